//! From arguments to work.

use std::io::{self, BufWriter};

use tokio::runtime::Builder;
use tracing_subscriber::EnvFilter;

use crate::args::{Cli, Command};
use crate::{Error, replay, serve};

/// Does what the command line asks for: output goes to standard output, logs to standard error.
///
/// # Errors
///
/// Whatever stopped it; [`Error::exit_code`] is what the process should end with.
pub fn run(cli: &Cli) -> Result<(), Error> {
    log();
    match &cli.command {
        Command::Serve(args) => {
            let runtime = Builder::new_multi_thread().enable_all().build();
            let runtime = runtime.map_err(Error::Serve)?;
            runtime.block_on(serve::serve(args, &mut io::stdout()))
        }
        Command::Replay(args) => {
            // A replay waits for nothing, so the runtime is only there to poll it.
            let runtime = Builder::new_current_thread().enable_time().build();
            let runtime = runtime.map_err(Error::Serve)?;
            let mut out = BufWriter::new(io::stdout().lock());
            runtime.block_on(replay::replay(args, &mut out))
        }
    }
}

/// Warnings, unless `RUST_LOG` says otherwise. A host that has set up logging already keeps it.
fn log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .try_init();
}
