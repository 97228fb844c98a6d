//! The reader's side of a run.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use apron_protocol::Event;
use futures_core::Stream;

use crate::lane::{Lane, Taken};

/// The events of a run, from [`split`](crate::split): it drains what the agent's task says.
///
/// Begins with `RUN_STARTED` and ends after exactly one terminal event.
///
/// # Cancellation
///
/// Dropping it tells the run that its client is gone: the driver drops the agent at once, and
/// with it the provider's response.
#[must_use = "a run is heard only while its events are read"]
pub struct Events {
    batch: VecDeque<Event>,
    lane: Arc<Lane>,
}

impl Events {
    pub(crate) fn new(lane: Arc<Lane>) -> Self {
        Self {
            batch: VecDeque::new(),
            lane,
        }
    }

    /// The next event of the batch in hand.
    pub(crate) fn pop(&mut self) -> Option<Event> {
        self.batch.pop_front()
    }

    /// Takes the next batch; parks when there is none.
    pub(crate) fn refill(&mut self, context: &Context<'_>) -> Taken {
        self.lane.take(&mut self.batch, context.waker())
    }

    pub(crate) fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            if let Some(event) = self.pop() {
                return Poll::Ready(Some(event));
            }
            match self.refill(context) {
                Taken::Batch => {}
                Taken::Nothing => return Poll::Pending,
                Taken::End => return Poll::Ready(None),
            }
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.lane.hang_up();
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events")
            .field("lane", &self.lane)
            .finish_non_exhaustive()
    }
}
