//! Taking over the events of a source.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use apron_protocol::{Event, RunOutcome};
use pin_project_lite::pin_project;
use serde_json::Map;

use crate::error::Error;
use crate::failure::Failure;
use crate::lane::{Lane, Ticket};
use crate::ledger::Slot;
use crate::outcome::Outcome;
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
            let ids = crate::Run::new(Arc::clone(&lane)).ids();
            this.source.as_mut().begin(SourceStart {
                ids,
                input: &lane.input,
            });
        }
        loop {
            let blocked = match hand.poll_room(context) {
                Poll::Ready(admitted) => {
                    admitted?;
                    false
                }
                Poll::Pending => true,
            };
            if hand.ended.is_some() {
                if blocked && !matches!(hand.ended, Some(Err(_))) {
                    return Poll::Pending;
                }
                return Poll::Ready(hand.finish());
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
    }
}

impl Hand {
    /// Sends what waits, in order; ready when nothing waits any more.
    fn poll_room(&mut self, context: &Context<'_>) -> Poll<Result<(), Error>> {
        loop {
            let Some(event) = &mut self.waiting else {
                return Poll::Ready(Ok(()));
            };
            let opened = &mut self.opened;
            let polled = self.lane.poll_admit(context, &mut self.ticket, |inner| {
                // The event is moved, not cloned; the placeholder is never sent.
                let event = std::mem::replace(event, placeholder());
                let slot = inner.admit(event)?;
                opened.extend(slot);
                Ok(())
            });
            match polled {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(admitted) => {
                    self.waiting = self.ahead.take();
                    admitted?;
                }
            }
        }
    }

    /// Sorts one event of the source out.
    fn take(&mut self, event: Event, blocked: bool) {
        match event {
            // The run has its own start.
            Event::RunStarted(_) => {}
            Event::RunFinished(finished) => {
                let mut finished = *finished;
                let outcome = finished.outcome.take().unwrap_or_else(RunOutcome::success);
                let mut outcome = Outcome::of(outcome);
                outcome.result = finished.result.take();
                if let Some(metadata) = finished.common.metadata() {
                    outcome.metadata.clone_from(metadata);
                }
                self.lane.with(|inner| {
                    finished
                        .usage
                        .into_iter()
                        .for_each(|usage| inner.add_usage(usage));
                });
                self.ended = Some(Ok(outcome));
            }
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

    /// Closes what the source left open and gives its outcome.
    fn finish(&mut self) -> Result<Outcome, Error> {
        // A failing source ends the relay at once, so that what it holds is released; what it said
        // before is in memory already and goes out over the budget.
        for event in self.waiting.take().into_iter().chain(self.ahead.take()) {
            let opened = &mut self.opened;
            self.lane.admit_now(|inner| {
                opened.extend(inner.admit(event)?);
                Ok(())
            })?;
        }
        self.close();
        match self.ended.take() {
            Some(Err(failure)) => {
                self.lane.with(|inner| {
                    inner.note_failure(Some(&failure));
                });
                Err(Error::Failed(failure))
            }
            Some(Ok(outcome)) => {
                self.lane.with(|inner| inner.note_failure(None));
                Ok(outcome)
            }
            None => Ok(Outcome::success()),
        }
    }

    /// Closes what is still open of what the source opened, newest first.
    fn close(&mut self) {
        let opened = std::mem::take(&mut self.opened);
        if opened.is_empty() {
            return;
        }
        // After the end of the run there is nothing to close, and nobody to tell.
        let _ = self.lane.admit_now(|inner| {
            for slot in opened.into_iter().rev() {
                inner.close(slot, Map::new());
            }
            Ok(())
        });
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.close();
    }
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
