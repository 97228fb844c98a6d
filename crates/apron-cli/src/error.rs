//! Why the command stopped.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A failure of the command, told on its standard error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server's address is not to be had.
    #[error("cannot listen on {addr}")]
    Listen {
        /// The address asked for.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The embedded provider could not start.
    #[error("cannot start the embedded provider")]
    Provider(#[source] io::Error),
    /// The runtime could not start, or the server stopped.
    #[error("the server stopped")]
    Serve(#[source] io::Error),
    /// A recording could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The recording.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Standard output could not be written.
    #[error("cannot write to standard output")]
    Write(#[source] io::Error),
}

impl Error {
    /// The exit code that goes with it: 2 where the caller can mend the command line or a file,
    /// else 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Read { .. } => 2,
            Self::Listen { .. } | Self::Provider(_) | Self::Serve(_) | Self::Write(_) => 1,
        }
    }
}
