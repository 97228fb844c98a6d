//! Everything about a body but its events.

use std::convert::Infallible;
use std::error::Error;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use apron_protocol::{Event, RunError};
use apron_sse::encode::HEARTBEAT;
use bytes::Bytes;
use futures_core::Stream;

use super::batch::{Batch, Refused};
use super::beat::Beat;
use super::bell::Bell;
use super::pieces::{Pieces, delta_bytes};
use crate::config::Config;
use crate::dialect::Dialect;

/// Everything but the events.
pub(super) struct State {
    pub(super) dialect: Dialect,
    delta_bytes: usize,
    event_bytes: usize,
    pub(super) batch: Batch,
    beat: Option<Beat>,
    bell: Arc<Bell>,
    /// The bell, as the events see it.
    waker: Waker,
    /// What is left of a long delta.
    pieces: Option<Box<Pieces>>,
    /// No event was written yet.
    fresh: bool,
    /// The events are pending, and ring when that changes.
    parked: bool,
    /// The chunk that was just handed over is to leave before the events are polled again.
    pub(super) leaving: bool,
    /// The last event was a terminal one.
    ended: bool,
}

/// What polling the events came to.
pub(super) enum Polled {
    Event(Event),
    Paused,
    Ended,
    Panicked,
}

/// What writing an event came to.
pub(super) enum Written {
    More,
    /// Hand over what there is.
    Chunk,
    /// As `Chunk`, and the events are done for.
    Last,
}

impl State {
    pub(super) fn new(config: &Config) -> Self {
        let bell = Arc::new(Bell::default());
        Self {
            dialect: Dialect::default(),
            delta_bytes: config.delta_bytes,
            event_bytes: config.event_bytes,
            batch: Batch::new(config.chunk_bytes, config.event_bytes),
            beat: config.heartbeat.interval().map(Beat::new),
            waker: Waker::from(Arc::clone(&bell)),
            bell,
            pieces: None,
            fresh: true,
            parked: false,
            leaving: false,
            ended: false,
        }
    }

    /// Takes over limits and intervals, before the first poll.
    pub(super) fn set(&mut self, config: &Config) {
        self.delta_bytes = config.delta_bytes;
        self.event_bytes = config.event_bytes;
        self.batch = Batch::new(config.chunk_bytes, config.event_bytes);
        self.beat = config.heartbeat.interval().map(Beat::new);
    }

    /// Whether polling the events would tell something new.
    pub(super) fn has_news(&self) -> bool {
        !self.parked || self.bell.has_rung()
    }

    pub(super) fn poll_events<S>(&mut self, mut events: Pin<&mut Option<S>>) -> Polled
    where
        S: Stream<Item = Event>,
    {
        if let Some(pieces) = &mut self.pieces {
            if let Some(event) = pieces.next() {
                return Polled::Event(event);
            }
            self.pieces = None;
        }
        let Some(pinned) = events.as_mut().as_pin_mut() else {
            return Polled::Ended;
        };
        let rung = self.bell.answer();
        if self.parked && !rung {
            return Polled::Paused;
        }
        let mut cx = Context::from_waker(&self.waker);
        // A panic that left through the body would take the connection with it, and with that
        // all chunks the server still holds.
        let polled = catch_unwind(AssertUnwindSafe(|| pinned.poll_next(&mut cx)));
        self.parked = matches!(polled, Ok(Poll::Pending));
        match polled {
            Ok(Poll::Ready(Some(event))) => Polled::Event(event),
            Ok(Poll::Pending) => Polled::Paused,
            Ok(Poll::Ready(None)) => {
                self.close(events);
                Polled::Ended
            }
            Err(_) => Polled::Panicked,
        }
    }

    /// Appends an event to the batch, in its dialect and in as many pieces as it takes.
    pub(super) fn write(&mut self, mut event: Event) -> Written {
        if self.ended && !matches!(event, Event::RunStarted(_)) {
            let kind = event.event_type();
            tracing::warn!(%kind, "an event came after the end of the run, so the body ends");
            return Written::Last;
        }
        self.dialect.spell(&mut event);
        if self.pieces.is_none() && delta_bytes(&event) > self.delta_bytes {
            match self.cut(event) {
                Ok(()) => return Written::More,
                Err(whole) => event = whole,
            }
        }
        match self.batch.push(&event) {
            Ok(()) => {
                self.ended = event.is_terminal();
                if mem::take(&mut self.fresh) {
                    self.leaving = true;
                    Written::Chunk
                } else if self.batch.is_full() {
                    Written::Chunk
                } else {
                    Written::More
                }
            }
            Err(refused) => self.refuse(event, &refused),
        }
    }

    fn cut(&mut self, event: Event) -> Result<(), Event> {
        let limit = self.delta_bytes.min(self.event_bytes / 2);
        self.pieces = Some(Box::new(Pieces::of(event, limit)?));
        Ok(())
    }

    fn refuse(&mut self, event: Event, refused: &Refused) -> Written {
        let kind = event.event_type();
        match refused {
            Refused::TooLarge { bytes } => {
                // Escapes make up to six bytes of one, so this may be a delta all the same.
                if self.pieces.is_none() && self.cut(event).is_ok() {
                    return Written::More;
                }
                let limit = self.event_bytes;
                tracing::error!(%kind, bytes, limit, "an event is too large, so the run fails");
                self.fail("event_too_large", "The agent produced too large an event.")
            }
            Refused::Unwritable(cause) => {
                let cause: &dyn Error = cause;
                tracing::error!(%kind, cause, "an event cannot be written, so the run fails");
                self.fail("encoding_failed", UNWRITABLE)
            }
            Refused::Unframeable(cause) => {
                let cause: &dyn Error = cause;
                tracing::error!(%kind, cause, "an event cannot be framed, so the run fails");
                self.fail("encoding_failed", UNWRITABLE)
            }
        }
    }

    pub(super) fn fail_panicked(&mut self) -> Written {
        tracing::error!("the events panicked, so the run fails");
        if self.ended {
            return Written::Last;
        }
        self.fail("internal_error", "The run failed.")
    }

    fn fail(&mut self, code: &str, message: &str) -> Written {
        self.ended = true;
        self.batch.push_last(&RunError::new(code, message).into());
        Written::Last
    }

    /// Nothing can be handed over now.
    pub(super) fn wait(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        self.batch.rest();
        if let Some(beat) = &mut self.beat
            && beat.poll(cx).is_ready()
        {
            return Poll::Ready(Some(Ok(Bytes::from_static(HEARTBEAT.as_bytes()))));
        }
        if self.bell.listen(cx.waker()) {
            // The events rang while they were polled: they yielded, and so does the body.
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }

    pub(super) fn hand_over(&mut self, chunk: Bytes) -> Poll<Option<Result<Bytes, Infallible>>> {
        if let Some(beat) = &mut self.beat {
            beat.wrote();
        }
        Poll::Ready(Some(Ok(chunk)))
    }

    /// Drops the events, and whatever is left of the last one.
    pub(super) fn close<S>(&mut self, mut events: Pin<&mut Option<S>>) {
        self.pieces = None;
        self.bell.mute();
        if catch_unwind(AssertUnwindSafe(|| events.set(None))).is_err() {
            tracing::error!("the events panicked when they were dropped");
        }
    }
}

/// For the client of an event that is no JSON.
const UNWRITABLE: &str = "The agent produced an unwritable event.";

impl Drop for State {
    fn drop(&mut self) {
        self.bell.mute();
    }
}

#[cfg(test)]
mod tests {
    use apron_protocol::TextMessageContent;

    use super::*;

    /// No event that can be built is unwritable, so this is as close as one gets.
    #[test]
    fn an_event_that_cannot_be_written_ends_the_run_with_an_error() {
        let cause = serde_json::from_str::<u8>("no").unwrap_err();
        let refusals = [
            Refused::Unwritable(apron_protocol::Error::Unwritable(cause)),
            Refused::Unframeable(apron_sse::Error::Overwritten),
        ];
        for refused in refusals {
            let mut state = State::new(&Config::default());
            let event = TextMessageContent::new("m", "a").into();
            assert!(matches!(state.refuse(event, &refused), Written::Last));
            let error = RunError::new("encoding_failed", UNWRITABLE);
            let frame = format!("data: {}\n\n", Event::from(error).to_json());
            assert_eq!(state.batch.split(), frame);
        }
    }
}
