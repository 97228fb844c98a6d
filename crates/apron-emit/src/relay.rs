//! Taking over the events of a source.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use apron_protocol::{Event, RunFinished, RunOutcome};
use pin_project_lite::pin_project;
use serde_json::Map;

use crate::error::Error;
use crate::failure::Failure;
use crate::lane::{Inner, Lane, Ticket};
use crate::ledger::{Closing, Slot};
use crate::outcome::Outcome;
use crate::run::Run;
use crate::source::{Source, SourceStart};

pin_project! {
    /// Relays a source, from [`Run::relay`](crate::Run::relay).
    ///
    /// # Cancellation
    ///
    /// Dropping it drops the source and closes what the source had opened.
    #[must_use = "a source is relayed while its relay is awaited"]
    pub struct Relay<S> {
        #[pin]
        source: S,
        hand: Hand,
    }
}

/// All of a relay but its source.
struct Hand {
    lane: Arc<Lane>,
    begun: bool,
    /// The event that waits for room.
    waiting: Option<Event>,
    ticket: Ticket,
    /// The event that came while another waited: one, so that errors and timeouts of the source are
    /// heard while the reader is behind.
    ahead: Option<Event>,
    /// How the source ended.
    ended: Option<Result<Outcome, Failure>>,
    opened: Vec<Slot>,
}

impl<S: Source> Relay<S> {
    pub(crate) fn new(lane: Arc<Lane>, source: S) -> Self {
        let hand = Hand {
            lane,
            begun: false,
            waiting: None,
            ticket: Ticket::default(),
            ahead: None,
            ended: None,
            opened: Vec::new(),
        };
        Self { source, hand }
    }
}

impl<S: Source> Future for Relay<S> {
    type Output = Result<Outcome, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let hand = this.hand;
        if !hand.begun {
            hand.begun = true;
            let lane = Arc::clone(&hand.lane);
            let ids = Run::new(Arc::clone(&lane)).ids();
            this.source.as_mut().begin(SourceStart {
                ids,
                input: &lane.input,
            });
        }
        for _ in 0..MOST_AT_ONCE {
            let blocked = hand.poll_room(context)?.is_pending();
            match &hand.ended {
                // A failing source ends the relay at once, so that what it holds is released.
                Some(Err(_)) => return Poll::Ready(hand.finish()),
                Some(Ok(_)) if !blocked => return Poll::Ready(hand.finish()),
                Some(Ok(_)) => return Poll::Pending,
                None => {}
            }
            if blocked && hand.ahead.is_some() {
                return Poll::Pending;
            }
            match this.source.as_mut().poll_event(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(event))) => hand.take(event, blocked),
                Poll::Ready(Some(Err(failure))) => hand.ended = Some(Err(failure)),
                Poll::Ready(None) => hand.ended = Some(Ok(Outcome::success())),
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Events taken from a source that is always ready before others have their turn: as many as the
/// default budget holds, roughly.
const MOST_AT_ONCE: usize = 64;

impl Hand {
    /// Sends what waits, in order; ready when nothing waits any more.
    fn poll_room(&mut self, context: &Context<'_>) -> Result<Poll<()>, Error> {
        while let Some(event) = &mut self.waiting {
            let opened = &mut self.opened;
            let polled = self.lane.poll_admit(context, &mut self.ticket, |inner| {
                // The event is moved, not cloned; the placeholder is never sent.
                admit(inner, std::mem::replace(event, placeholder()), opened)
            });
            let Poll::Ready(admitted) = polled else {
                return Ok(Poll::Pending);
            };
            self.waiting = self.ahead.take();
            admitted?;
        }
        Ok(Poll::Ready(()))
    }

    /// Sorts one event of the source out.
    fn take(&mut self, event: Event, blocked: bool) {
        match event {
            // The run has its own start.
            Event::RunStarted(_) => {}
            Event::RunFinished(finished) => self.ended = Some(Ok(self.absorb(*finished))),
            Event::RunError(error) => {
                let code = error.code.unwrap_or_else(|| Failure::INTERNAL.to_owned());
                self.ended = Some(Err(
                    Failure::new(code, error.message).with_usage(error.usage)
                ));
            }
            event if blocked => self.ahead = Some(event),
            event => self.waiting = Some(event),
        }
    }

    /// The outcome that a source ends with; its tokens are the run's from now on.
    fn absorb(&self, finished: RunFinished) -> Outcome {
        let mut outcome = Outcome::of(finished.outcome.unwrap_or_else(RunOutcome::success));
        outcome.result = finished.result;
        if let Some(metadata) = finished.common.metadata() {
            outcome.metadata.clone_from(metadata);
        }
        self.lane.with(|inner| {
            for usage in finished.usage {
                inner.add_usage(usage);
            }
        });
        outcome
    }

    /// Closes what the source left open and gives its outcome.
    fn finish(&mut self) -> Result<Outcome, Error> {
        match self.ended.take() {
            Some(Err(mut failure)) => {
                self.flush();
                self.close(Closing::Failed);
                self.lane.with(|inner| {
                    // Counted here, since an agent may answer the failure with another model.
                    inner.count_usage_of_failure(&mut failure);
                    inner.note_failure(Some(&failure));
                });
                Err(Error::Failed(failure))
            }
            ended => {
                let outcome = ended.and_then(Result::ok).unwrap_or_default();
                self.close(outcome.closing());
                self.lane.with(|inner| inner.note_failure(None));
                Ok(outcome)
            }
        }
    }

    /// Sends what a failing source said before, over the budget: it is in memory already. An event
    /// out of order ends it; the failure is the better answer.
    fn flush(&mut self) {
        for event in self.waiting.take().into_iter().chain(self.ahead.take()) {
            let opened = &mut self.opened;
            if self
                .lane
                .admit_now(|inner| admit(inner, event, opened))
                .is_err()
            {
                return;
            }
        }
    }

    /// Closes what is still open of what the source opened, newest first.
    fn close(&mut self, why: Closing) {
        let opened = std::mem::take(&mut self.opened);
        if opened.is_empty() {
            return;
        }
        // After the end of the run there is nothing to close, and nobody to tell.
        let _ = self.lane.admit_now(|inner| {
            for slot in opened.into_iter().rev() {
                inner.close(slot, why, Map::new());
            }
            Ok(())
        });
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.lane.leave(&mut self.ticket);
        self.close(Closing::Cancelled);
    }
}

/// Admits an event and notes what it opens.
fn admit(inner: &mut Inner, event: Event, opened: &mut Vec<Slot>) -> Result<(), Error> {
    if let Some(slot) = inner.admit(event)? {
        // What was closed since is forgotten before the list grows, so it stays about as long as what
        // is open, however long the source goes on.
        if opened.len() == opened.capacity() {
            opened.retain(|slot| inner.ledger.is_open(*slot));
            opened.reserve(opened.len() + 1);
        }
        opened.push(slot);
    }
    Ok(())
}

fn placeholder() -> Event {
    apron_protocol::StepFinished::new("").into()
}

impl<S> std::fmt::Debug for Relay<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay")
            .field("lane", &self.hand.lane)
            .finish_non_exhaustive()
    }
}
