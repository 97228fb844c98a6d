//! Where relayed events come from.

use std::pin::Pin;
use std::task::{Context, Poll};

use apron_protocol::{Event, RunAgentInput};
use futures_core::Stream;

use crate::failure::Failure;
use crate::ids::Ids;

/// A stream of events that a run takes over with [`Run::relay`](crate::Run::relay).
///
/// Every [`Stream`] of [`Event`]s is one. A translator implements the trait itself, to be given
/// fresh ids and the input before its first event, and to report failures with a cause.
///
/// `RUN_STARTED` is ignored, since the run has its own. `RUN_FINISHED` ends the relay with its
/// outcome, usage, result and metadata; `RUN_ERROR` and an `Err` end it with a failure. What the
/// source leaves open is closed.
///
/// # Cancellation
///
/// A source is dropped as soon as the relay is; it must release what it holds then.
pub trait Source: Send {
    /// Called once, before the first poll.
    fn begin(self: Pin<&mut Self>, start: SourceStart<'_>);

    /// The next event; `None` ends the relay as a success.
    fn poll_event(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, Failure>>>;
}

/// What a [`Source`] is given at its start.
#[non_exhaustive]
pub struct SourceStart<'a> {
    /// Mints ids that nothing else in the run has.
    pub ids: Box<dyn Ids>,
    /// The request.
    pub input: &'a RunAgentInput,
}

impl<'a> SourceStart<'a> {
    /// A start with the given ids and input, for tests of sources.
    #[must_use]
    pub fn new(ids: Box<dyn Ids>, input: &'a RunAgentInput) -> Self {
        Self { ids, input }
    }
}

impl std::fmt::Debug for SourceStart<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceStart")
            .field("run_id", &self.input.run_id)
            .finish_non_exhaustive()
    }
}

impl<S: Stream<Item = Event> + Send> Source for S {
    fn begin(self: Pin<&mut Self>, _: SourceStart<'_>) {}

    fn poll_event(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, Failure>>> {
        self.poll_next(context).map(|event| event.map(Ok))
    }
}
