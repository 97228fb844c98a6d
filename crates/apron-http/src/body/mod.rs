//! A stream of events as the body of a response.

mod batch;
mod beat;
mod bell;
mod pieces;
mod state;

use std::convert::Infallible;
use std::fmt;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use apron_protocol::Event;
use bytes::Bytes;
use futures_core::Stream;
use pin_project_lite::pin_project;

use self::state::{Polled, State, Written};
use crate::config::Config;
use crate::dialect::Dialect;

pin_project! {
    /// A stream of events as chunks of server-sent events.
    ///
    /// - The first event leaves alone and at once. After it, what is ready leaves together: a
    ///   chunk is handed over when the events pause or end, or when it passes
    ///   [`chunk_bytes`](Config::chunk_bytes). Chunks hold whole frames.
    /// - The events are polled only when they asked for it. A chunk that is handed over because
    ///   they paused reaches the socket before they are polled again.
    /// - When nothing was handed over for the [`heartbeat`](Config::heartbeat) interval, counted
    ///   from the making of the body, a comment is.
    /// - A delta over [`delta_bytes`](Config::delta_bytes) leaves as several events. Another
    ///   event over [`event_bytes`](Config::event_bytes) is replaced by `RUN_ERROR` with the code
    ///   `event_too_large`, one that cannot be JSON by `encoding_failed`, and events that panic by
    ///   `internal_error`; each ends the body. The cause goes to `tracing`.
    /// - After `RUN_FINISHED` or `RUN_ERROR` only `RUN_STARTED` may follow. Anything else ends the
    ///   body instead, because a client that reads it in the same breath may lose the whole run.
    /// - The body ends with the events, without a sentinel.
    ///
    /// Heartbeats need a tokio runtime with time; elsewhere there are none, and a warning.
    ///
    /// # Cancellation
    ///
    /// Dropping the body drops the events first. They are also dropped as soon as they end or are
    /// cut off, not with the body.
    #[must_use = "a body does nothing unless it is polled"]
    pub struct EventBody<S> {
        // Before the state, so that what stops the run is dropped first.
        #[pin]
        events: Option<S>,
        state: State,
    }
}

impl<S: Stream<Item = Event>> EventBody<S> {
    /// A body with the default [`Config`] and [`Dialect`].
    pub fn new(events: S) -> Self {
        Self {
            events: Some(events),
            state: State::new(&Config::default()),
        }
    }

    /// Sets limits and intervals.
    pub fn with_config(mut self, config: &Config) -> Self {
        self.state.set(config);
        self
    }

    /// Sets how the peer wants events spelled.
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.state.dialect = dialect;
        self
    }
}

impl<S: Stream<Item = Event>> Stream for EventBody<S> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let state = this.state;
        if mem::take(&mut state.leaving) && state.has_news() {
            // A server asks for the next chunk before it writes this one. So it is told to write,
            // and to come back.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            let written = match state.poll_events(this.events.as_mut()) {
                Polled::Event(event) => state.write(event),
                Polled::Paused if state.batch.is_empty() => return state.wait(cx),
                Polled::Paused => {
                    state.leaving = true;
                    let chunk = state.batch.take();
                    return state.hand_over(chunk);
                }
                Polled::Ended if state.batch.is_empty() => return Poll::Ready(None),
                Polled::Ended => Written::Chunk,
                Polled::Panicked => state.fail_panicked(),
            };
            if let Written::More = written {
                continue;
            }
            if let Written::Last = written {
                state.close(this.events.as_mut());
            }
            if !state.batch.is_empty() {
                let chunk = state.batch.split();
                return state.hand_over(chunk);
            }
        }
    }
}

impl<S> fmt::Debug for EventBody<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventBody")
            .field("dialect", &self.state.dialect)
            .field("done", &self.events.is_none())
            .finish_non_exhaustive()
    }
}
