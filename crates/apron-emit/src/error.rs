//! What a handle may answer.

use crate::failure::Failure;
use crate::ledger::Violation;

/// An error of a run's handles. Whose fault it is tells what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller: the run has its terminal event, or was stopped. Join tasks before the agent
    /// returns.
    #[error("the run has ended")]
    Ended,
    /// The peer: nobody reads the stream any more.
    #[error("the client is gone")]
    Disconnected,
    /// The caller: the event may not come now. Nothing was sent and nothing changed.
    #[error("an event out of order")]
    Violation(#[from] Violation),
    /// The source of a relay failed. An agent that returns it ends the run with the source's code.
    #[error("the relayed source failed")]
    Failed(#[from] Failure),
}
