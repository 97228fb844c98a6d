//! The lane between those who speak and the one who reads.
//!
//! One lock covers the ledger and the queue, so wire order is admission order, whoever speaks. The
//! hand-off is bounded by weight. A push that finds no room waits for the reader to take the
//! whole queue (an *epoch*) and is then admitted once even if the queue is full again: nobody
//! waits longer than one batch, and a push that is polled and set aside blocks nobody, which
//! permits handed out in order would.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use apron_protocol::{
    Event, MessageId, RunAgentInput, RunError, RunFinished, RunOutcome, RunStarted, TokenUsage,
    ToolCallId,
};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::failure::Failure;
use crate::ledger::{Closing, Ledger, Rule, Slot, Violation};
use crate::options::{EndHook, Ending, RunOptions};
use crate::outcome::Outcome;

/// What everybody who has a part in a run shares.
pub(crate) struct Lane {
    pub(crate) input: RunAgentInput,
    budget: usize,
    inner: Mutex<Inner>,
}

pub(crate) struct Inner {
    pub(crate) ledger: Ledger,
    queue: VecDeque<Event>,
    weight: usize,
    epoch: u64,
    /// Pushes that wait for room.
    waiting: Vec<Waker>,
    /// The reader, while it is parked.
    reader: Option<Waker>,
    /// The task that polls the agent.
    driver: Option<Waker>,
    /// Those who wait to hear that the run is being stopped.
    listening: Vec<Waker>,
    phase: Phase,
    stopping: bool,
    usage: Vec<TokenUsage>,
    /// Code and message of the failure noted last, for an agent whose error hides its source.
    noted: Option<(String, String)>,
    /// The assistant message of the current turn and whether a text message was opened under it.
    pub(crate) turn: Option<(MessageId, bool)>,
    minted: Minted,
    on_end: Option<EndHook>,
}

#[derive(Default)]
struct Minted {
    messages: u32,
    reasonings: u32,
    calls: u32,
    reserved: HashSet<String>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Phase {
    /// Events are admitted.
    Open,
    /// The terminal event is queued, or read.
    Ended,
    /// The reader is gone.
    Gone,
}

/// When a push began to wait: the epoch it saw.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticket(Option<u64>);

/// How the run is to end, told by the driver.
pub(crate) enum End {
    Outcome(Outcome),
    Failure(Failure),
    Cancelled,
}

impl Lane {
    /// A lane with `RUN_STARTED` queued.
    pub(crate) fn new(input: RunAgentInput, options: RunOptions) -> Arc<Self> {
        let mut ledger = Ledger::for_input(&input);
        let mut start = RunStarted::new(input.thread_id.clone(), input.run_id.clone());
        start.parent_run_id.clone_from(&input.parent_run_id);
        let start = Event::from(start);
        let admitted = ledger.admit(&start);
        debug_assert!(admitted.is_ok(), "a fresh ledger admits a start");
        let RunOptions { budget, on_end, .. } = options;
        Arc::new(Self {
            input,
            budget,
            inner: Mutex::new(Inner {
                ledger,
                weight: start.weight(),
                queue: VecDeque::from([start]),
                epoch: 0,
                waiting: Vec::new(),
                reader: None,
                driver: None,
                listening: Vec::new(),
                phase: Phase::Open,
                stopping: false,
                usage: Vec::new(),
                noted: None,
                turn: None,
                minted: Minted::default(),
                on_end,
            }),
        })
    }

    /// No code of the user runs under the lock, so a poisoned one is in order all the same.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits something when there is room, or waits for it.
    ///
    /// Cancel-safe: a push that is dropped while it waits leaves no trace and sends nothing.
    pub(crate) fn poll_admit<T>(
        &self,
        context: &Context<'_>,
        ticket: &mut Ticket,
        admit: impl FnOnce(&mut Inner) -> Result<T, Error>,
    ) -> Poll<Result<T, Error>> {
        let mut inner = self.lock();
        inner.check_open()?;
        if inner.weight >= self.budget {
            let epoch = inner.epoch;
            match ticket.0 {
                Some(seen) if seen != epoch => {}
                _ => {
                    ticket.0 = Some(epoch);
                    register(&mut inner.waiting, context.waker());
                    return Poll::Pending;
                }
            }
        }
        ticket.0 = None;
        let admitted = admit(&mut inner);
        let reader = inner.wake_reader();
        drop(inner);
        wake(reader);
        Poll::Ready(admitted)
    }

    /// Admits something over the budget: ends, which are paid for by their starts, and what a
    /// failing relay holds in its hand.
    pub(crate) fn admit_now<T>(
        &self,
        admit: impl FnOnce(&mut Inner) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut inner = self.lock();
        inner.check_open()?;
        let admitted = admit(&mut inner);
        let reader = inner.wake_reader();
        drop(inner);
        wake(reader);
        admitted
    }

    /// Looks at or changes the shared state without queueing anything.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Inner) -> T) -> T {
        look(&mut self.lock())
    }

    /// Closes the item in `slot` at once; nothing happens after the end of the run.
    pub(crate) fn close(&self, slot: Slot, metadata: Map<String, Value>) {
        // After the end there is nothing to close, and nobody to tell.
        let _ = self.admit_now(|inner| {
            inner.close(slot, metadata);
            Ok(())
        });
    }

    /// Takes the whole queue in exchange for an empty one.
    pub(crate) fn take(&self, batch: &mut VecDeque<Event>, park: Option<&Waker>) -> Taken {
        let mut inner = self.lock();
        if inner.queue.is_empty() {
            if inner.phase != Phase::Open {
                return Taken::End;
            }
            if let Some(waker) = park {
                match &mut inner.reader {
                    Some(parked) => parked.clone_from(waker),
                    parked => *parked = Some(waker.clone()),
                }
            }
            return Taken::Nothing;
        }
        std::mem::swap(&mut inner.queue, batch);
        inner.weight = 0;
        inner.epoch += 1;
        let waiting = std::mem::take(&mut inner.waiting);
        drop(inner);
        waiting.into_iter().for_each(Waker::wake);
        Taken::Batch
    }

    /// Wakes the reader if it is parked.
    pub(crate) fn wake_reader(&self) {
        let reader = self.lock().wake_reader();
        wake(reader);
    }

    /// Ends the run with exactly one terminal event, unless it has one.
    pub(crate) fn end(&self, end: End) {
        let mut inner = self.lock();
        if inner.phase != Phase::Open {
            let hook = inner.on_end.take();
            drop(inner);
            if let Some(hook) = hook {
                hook(&Ending::Disconnected);
            }
            return;
        }
        let hook = inner.on_end.take();
        let end = inner.finish(&self.input, end);
        inner.phase = Phase::Ended;
        let mut wakers = std::mem::take(&mut inner.waiting);
        wakers.append(&mut inner.listening);
        wakers.extend(inner.wake_reader());
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
        report(&self.input, &end);
        if let Some(hook) = hook {
            hook(&match &end {
                End::Outcome(outcome) => Ending::Finished(outcome),
                End::Failure(failure) => Ending::Failed(failure),
                End::Cancelled => Ending::Cancelled,
            });
        }
    }

    /// The reader is gone: whoever waits is told.
    pub(crate) fn hang_up(&self) {
        let mut inner = self.lock();
        inner.reader = None;
        // Dropped outside the lock, since an event may own anything.
        let queue = std::mem::take(&mut inner.queue);
        if inner.phase == Phase::Open {
            inner.phase = Phase::Gone;
        }
        let mut wakers = std::mem::take(&mut inner.waiting);
        wakers.append(&mut inner.listening);
        wakers.extend(inner.driver.take());
        drop(inner);
        drop(queue);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Asks the driver to end the run as cancelled.
    pub(crate) fn stop(&self) {
        let mut inner = self.lock();
        inner.stopping = true;
        let mut wakers = std::mem::take(&mut inner.listening);
        wakers.extend(inner.driver.take());
        // A driver that is polled inside the stream is woken through it.
        wakers.extend(inner.wake_reader());
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// What the driver must know before it polls the agent, and where to wake it.
    pub(crate) fn orders(&self, driver: &Waker) -> Orders {
        let mut inner = self.lock();
        match &mut inner.driver {
            Some(known) => known.clone_from(driver),
            known => *known = Some(driver.clone()),
        }
        match (inner.phase, inner.stopping) {
            (Phase::Gone, _) => Orders::Abandon,
            (Phase::Open, true) => Orders::Cancel,
            (Phase::Open, false) | (Phase::Ended, _) => Orders::GoOn,
        }
    }

    /// Resolves when the run is stopped, ends, or loses its reader.
    pub(crate) fn poll_cancelled(&self, context: &Context<'_>) -> Poll<()> {
        let mut inner = self.lock();
        if inner.stopping || inner.phase != Phase::Open {
            return Poll::Ready(());
        }
        register(&mut inner.listening, context.waker());
        Poll::Pending
    }
}

/// What [`Lane::take`] found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Taken {
    Batch,
    Nothing,
    End,
}

/// What the driver is to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Orders {
    GoOn,
    Cancel,
    Abandon,
}

impl Inner {
    fn check_open(&self) -> Result<(), Error> {
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Ended => Err(Error::Ended),
            Phase::Gone => Err(Error::Disconnected),
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping || self.phase != Phase::Open
    }

    /// Admits an event and queues it.
    pub(crate) fn admit(&mut self, event: impl Into<Event>) -> Result<Option<Slot>, Error> {
        let event = event.into();
        if event.is_terminal() {
            let rule = Rule::TerminalReserved;
            return Err(Violation {
                event: event.event_type(),
                rule,
                id: None,
            }
            .into());
        }
        let slot = self.ledger.admit_slot(&event)?;
        self.note_turn(&event);
        self.queue(event);
        Ok(slot)
    }

    /// Queues an event that the ledger has admitted.
    pub(crate) fn queue(&mut self, event: Event) {
        self.weight += event.weight();
        self.queue.push_back(event);
    }

    /// Closes the item in `slot`; its closing event carries `metadata`.
    pub(crate) fn close(&mut self, slot: Slot, metadata: Map<String, Value>) {
        let mut events = Vec::new();
        self.ledger.close(slot, Closing::Failed, &mut events);
        if let Some(last) = events.last_mut()
            && !metadata.is_empty()
        {
            last.metadata_mut().extend(metadata);
        }
        events.into_iter().for_each(|event| self.queue(event));
    }

    /// Keeps the assistant message of the turn: calls belong to the text that was said with them,
    /// and what comes after a result is another message.
    fn note_turn(&mut self, event: &Event) {
        match event {
            Event::TextMessageStart(event) => self.turn = Some((event.message_id.clone(), true)),
            Event::ToolCallResult(_) => self.turn = None,
            _ => {}
        }
    }

    fn wake_reader(&mut self) -> Option<Waker> {
        self.reader.take()
    }

    pub(crate) fn add_usage(&mut self, usage: TokenUsage) {
        if !usage.is_empty() {
            usage.merge_into(&mut self.usage);
        }
    }

    pub(crate) fn note_failure(&mut self, failure: Option<&Failure>) {
        self.noted =
            failure.map(|failure| (failure.code().to_owned(), failure.message().to_owned()));
    }

    pub(crate) fn noted(&self) -> Option<&(String, String)> {
        self.noted.as_ref()
    }

    /// Closes everything and queues the terminal event. An outcome that the ledger refuses (two
    /// interrupts with one id) is the agent's fault and becomes a failure.
    fn finish(&mut self, input: &RunAgentInput, end: End) -> End {
        let why = match &end {
            End::Outcome(Outcome {
                kind: RunOutcome::Cancelled,
                ..
            })
            | End::Cancelled => Closing::Cancelled,
            End::Outcome(_) => Closing::Done,
            End::Failure(_) => Closing::Failed,
        };
        for event in self.ledger.close_all(why) {
            self.queue(event);
        }
        let mut usage = std::mem::take(&mut self.usage);
        let end = match end {
            End::Outcome(outcome) => {
                for entry in outcome.usage.clone() {
                    entry.merge_into(&mut usage);
                }
                let finished = self.finished(input, &outcome, usage.clone());
                match self.ledger.admit(&finished) {
                    Ok(()) => {
                        self.queue(finished);
                        return End::Outcome(outcome);
                    }
                    Err(violation) => End::Failure(Failure::internal(violation)),
                }
            }
            End::Cancelled => {
                let mut finished = RunFinished::new(input.thread_id.clone(), input.run_id.clone());
                finished.outcome = Some(RunOutcome::Cancelled);
                finished.usage = usage;
                let finished = Event::from(finished);
                let admitted = self.ledger.admit(&finished);
                debug_assert!(admitted.is_ok(), "everything was closed");
                self.queue(finished);
                return End::Cancelled;
            }
            End::Failure(failure) => End::Failure(failure),
        };
        if let End::Failure(failure) = &end {
            for entry in failure.usage() {
                entry.clone().merge_into(&mut usage);
            }
            let error =
                Event::from(RunError::new(failure.code(), failure.message()).with_usage(usage));
            let admitted = self.ledger.admit(&error);
            debug_assert!(admitted.is_ok(), "an active run may always fail");
            self.queue(error);
        }
        end
    }

    fn finished(&self, input: &RunAgentInput, outcome: &Outcome, usage: Vec<TokenUsage>) -> Event {
        let mut finished = RunFinished::new(input.thread_id.clone(), input.run_id.clone());
        let mut kind = outcome.kind.clone();
        if let RunOutcome::Success {
            pending_tool_call_ids,
        } = &mut kind
            && pending_tool_call_ids.is_empty()
        {
            pending_tool_call_ids.extend(self.ledger.unanswered().cloned());
        }
        finished.outcome = Some(kind);
        finished.result.clone_from(&outcome.result);
        finished.usage = usage;
        if !outcome.metadata.is_empty() {
            finished
                .common
                .metadata_mut()
                .extend(outcome.metadata.clone());
        }
        finished.into()
    }

    // ---- ids ----

    fn taken(&self, id: &str) -> bool {
        self.ledger.knows(id) || self.minted.reserved.contains(id)
    }

    fn fresh(&mut self, input: &RunAgentInput, kind: char) -> String {
        loop {
            let counter = match kind {
                'a' => &mut self.minted.messages,
                'r' => &mut self.minted.reasonings,
                _ => &mut self.minted.calls,
            };
            *counter += 1;
            let id = format!("{}:{kind}{counter}", input.run_id);
            // A client that uses a run id again has the ids of the first time in its history.
            if !self.taken(&id) {
                return id;
            }
        }
    }

    pub(crate) fn fresh_message(&mut self, input: &RunAgentInput) -> MessageId {
        self.fresh(input, 'a').into()
    }

    pub(crate) fn fresh_reasoning(&mut self, input: &RunAgentInput) -> MessageId {
        self.fresh(input, 'r').into()
    }

    pub(crate) fn fresh_call(
        &mut self,
        input: &RunAgentInput,
        provider: Option<&str>,
    ) -> ToolCallId {
        match provider {
            Some(wish) => {
                let id: ToolCallId = crate::ids::unused(wish, |id| self.taken(id));
                self.minted.reserved.insert(id.as_str().to_owned());
                id
            }
            None => self.fresh(input, 'c').into(),
        }
    }

    pub(crate) fn fresh_result(&mut self, call: &ToolCallId) -> MessageId {
        let id: MessageId = crate::ids::unused(&format!("{call}:result"), |id| self.taken(id));
        self.minted.reserved.insert(id.as_str().to_owned());
        id
    }

    /// The assistant message that a call of this turn belongs to; minted when nothing was said.
    pub(crate) fn turn_message(&mut self, input: &RunAgentInput) -> MessageId {
        if let Some((id, _)) = &self.turn {
            return id.clone();
        }
        let id = self.fresh_message(input);
        self.turn = Some((id.clone(), false));
        id
    }

    /// The id for the next text message: that of the turn while no text was said under it.
    pub(crate) fn text_message(&mut self, input: &RunAgentInput) -> MessageId {
        match &self.turn {
            Some((id, false)) => id.clone(),
            _ => self.fresh_message(input),
        }
    }
}

/// Adds `waker` unless it is there.
fn register(wakers: &mut Vec<Waker>, waker: &Waker) {
    if !wakers.iter().any(|known| known.will_wake(waker)) {
        wakers.push(waker.clone());
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// One line in the log for a run that did not go well; the cause goes here and nowhere else.
fn report(input: &RunAgentInput, end: &End) {
    let End::Failure(failure) = end else { return };
    let cause = failure
        .cause()
        .map(|cause| tracing::field::debug(Chain(cause)));
    tracing::error!(
        thread_id = input.thread_id.as_str(),
        run_id = input.run_id.as_str(),
        code = failure.code(),
        cause,
        "the run failed"
    );
}

/// An error and its sources, one after the other.
struct Chain<'a>(&'a (dyn std::error::Error + 'static));

impl std::fmt::Debug for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut next = Some(self.0);
        let mut first = true;
        while let Some(error) = next {
            if !first {
                f.write_str(": ")?;
            }
            first = false;
            write!(f, "{error}")?;
            next = error.source();
        }
        Ok(())
    }
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lane")
            .field("run_id", &self.input.run_id)
            .finish_non_exhaustive()
    }
}
