//! `apron replay`: recorded provider streams to AG-UI events.

use std::fs;
use std::io::Write;

use crate::Error;
use crate::args::Replay;

/// Replays every file.
pub(crate) fn replay(args: &Replay, _out: &mut impl Write) -> Result<(), Error> {
    for path in &args.files {
        fs::read(path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
    }
    Err(Error::Untranslated)
}
