//! The lane between those who speak and the one who reads.
//!
//! One lock covers the ledger and the queue, so wire order is admission order, whoever speaks. The
//! hand-off is bounded by weight. A push that finds no room waits for the reader to take the
//! whole queue (a round of [`Wakers`]) and is then admitted once even if the queue is full again:
//! nobody waits longer than one batch, and a push that is polled and set aside blocks nobody, which
//! permits handed out in order would.
//!
//! No code of the user runs under the lock but the clone of a waker. That goes for destructors too:
//! whatever is replaced or thrown away is dropped after the lock is given back.

mod control;
mod end;
mod mint;
mod reader;
mod say;
mod wakers;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use apron_protocol::{Event, MessageId, RunAgentInput, RunStarted, TokenUsage};

pub(crate) use self::control::Orders;
pub(crate) use self::end::End;
use self::mint::Minted;
pub(crate) use self::reader::Taken;
use self::wakers::{Place, Wakers};
use crate::error::Error;
use crate::failure::Failure;
use crate::ledger::Ledger;
use crate::options::{EndHook, RunOptions};
use crate::sync::{Mutex, MutexGuard, PoisonError};

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
    /// Pushes that wait for room; a round of theirs is the taking of one batch.
    waiting: Wakers,
    /// The reader, while it is parked.
    reader: Option<Waker>,
    /// The task that polls the agent.
    driver: Option<Waker>,
    /// Those who wait to hear that the run is being stopped.
    listening: Wakers,
    phase: Phase,
    stopping: bool,
    usage: Vec<TokenUsage>,
    /// Code and message of the failure noted last, for an agent whose error hides its source.
    noted: Option<(String, String)>,
    /// The assistant message of the current turn and whether a text message was opened under it.
    turn: Option<(MessageId, bool)>,
    minted: Minted,
    on_end: Option<EndHook>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Phase {
    /// Events are admitted.
    Open,
    /// The terminal event is queued, or read.
    Ended,
    /// The reader is gone.
    Gone,
}

/// Where somebody waits, if so: for room, or to hear of a stop.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticket(Option<Place>);

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
            // An empty queue must have room for one event, or nobody would ever speak.
            budget: budget.max(1),
            inner: Mutex::new(Inner {
                ledger,
                weight: start.weight(),
                queue: VecDeque::from([start]),
                waiting: Wakers::default(),
                reader: None,
                driver: None,
                listening: Wakers::default(),
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

    /// Nothing that panics under the lock leaves it half changed, so a poisoned one is in order.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits something when there is room, or waits for it.
    ///
    /// Cancel-safe: a push that is dropped while it waits sends nothing; see [`Lane::leave`].
    pub(crate) fn poll_admit<T>(
        &self,
        context: &Context<'_>,
        ticket: &mut Ticket,
        admit: impl FnOnce(&mut Inner) -> Result<T, Error>,
    ) -> Poll<Result<T, Error>> {
        let mut inner = self.lock();
        inner.check_open()?;
        let passed = ticket.0.is_some_and(|place| inner.waiting.passed(place));
        if inner.weight >= self.budget && !passed {
            let replaced = inner.waiting.keep(&mut ticket.0, context.waker());
            drop(inner);
            drop(replaced);
            return Poll::Pending;
        }
        ticket.0 = None;
        let admitted = admit(&mut inner);
        let reader = inner.reader.take();
        drop(inner);
        wakers::wake([reader]);
        Poll::Ready(admitted)
    }

    /// Takes the waker of a push that is dropped while it waits out of the lane.
    pub(crate) fn leave(&self, ticket: &mut Ticket) {
        if let Some(place) = ticket.0.take() {
            let waker = self.lock().waiting.leave(place);
            drop(waker);
        }
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
        let reader = inner.reader.take();
        drop(inner);
        wakers::wake([reader]);
        admitted
    }

    /// Looks at or changes the shared state without queueing anything.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Inner) -> T) -> T {
        look(&mut self.lock())
    }
}

impl Inner {
    fn check_open(&self) -> Result<(), Error> {
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Ended => Err(Error::Ended),
            Phase::Gone => Err(Error::Disconnected),
        }
    }

    /// True when the run is being stopped, has ended, or has lost its reader.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping || self.phase != Phase::Open
    }

    pub(crate) fn add_usage(&mut self, usage: TokenUsage) {
        if !usage.is_empty() {
            usage.merge_into(&mut self.usage);
        }
    }

    /// Keeps what a failure says in public; `None` when the run is well again.
    pub(crate) fn note_failure(&mut self, failure: Option<&Failure>) {
        self.noted = failure.map(|it| (it.code().to_owned(), it.message().to_owned()));
    }

    pub(crate) fn noted(&self) -> Option<&(String, String)> {
        self.noted.as_ref()
    }
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lane")
            .field("run_id", &self.input.run_id)
            .finish_non_exhaustive()
    }
}
