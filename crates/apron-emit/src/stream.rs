//! Setting a run up: split into two sides, or as one stream that polls the agent itself.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use apron_protocol::{Event, RunAgentInput};
use futures_core::Stream;

use crate::driver::Driver;
use crate::events::Events;
use crate::failure::BoxError;
use crate::lane::{Lane, Taken};
use crate::options::RunOptions;
use crate::outcome::Outcome;
use crate::run::Run;
use crate::sync::{AtomicBool, Ordering};

/// Splits a run into the agent's side, to be spawned, and the reader's side.
///
/// This is how a run is served: while a client does not read, a framework polls no body, and an
/// agent inside the stream would stand still with all its timers. As a task of its own it does
/// not.
///
/// The agent is called at the driver's first poll. It returns an [`Outcome`], or any error; an
/// error ends the run with the code of the [`Failure`](crate::Failure) in its chain of sources.
pub fn split<F, Fut>(
    input: RunAgentInput,
    options: RunOptions,
    agent: F,
) -> (
    Driver<impl Future<Output = Result<Outcome, BoxError>> + Send + use<F, Fut>>,
    Events,
)
where
    F: FnOnce(Run) -> Fut + Send + 'static,
    Fut: Future<Output = Result<Outcome, BoxError>> + Send + 'static,
{
    let mut options = options;
    let deadline = options.deadline.take();
    let lane = Lane::new(input, options);
    let run = Run::new(Arc::clone(&lane));
    // The closure itself may panic, so it is called inside the future that is guarded.
    let agent = async move { agent(run).await };
    (
        Driver::new(Arc::clone(&lane), agent, deadline),
        Events::new(lane),
    )
}

/// A run as one stream that polls the agent itself: for tests and executors without tasks.
///
/// ```
/// use apron_emit::{Outcome, stream};
/// use apron_protocol::{Event, RunAgentInput};
/// use futures_util::StreamExt;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let events: Vec<Event> = stream(RunAgentInput::new("t", "r"), |run| async move {
///     let mut text = run.text();
///     text.push("Hello").await?;
///     text.end().await?;
///     Ok(Outcome::success())
/// })
/// .collect()
/// .await;
/// assert_eq!(events.len(), 5); // started, start, content, end, finished
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Cancellation
///
/// Dropping the stream drops the agent. While nobody polls the stream, nothing inside it runs: no
/// timeout fires and no stop is seen. Use [`split`] where that matters.
pub fn stream<F, Fut>(
    input: RunAgentInput,
    agent: F,
) -> RunStream<impl Future<Output = Result<Outcome, BoxError>> + Send + use<F, Fut>>
where
    F: FnOnce(Run) -> Fut + Send + 'static,
    Fut: Future<Output = Result<Outcome, BoxError>> + Send + 'static,
{
    stream_with(input, RunOptions::default(), agent)
}

/// As [`stream`], with options.
pub fn stream_with<F, Fut>(
    input: RunAgentInput,
    options: RunOptions,
    agent: F,
) -> RunStream<impl Future<Output = Result<Outcome, BoxError>> + Send + use<F, Fut>>
where
    F: FnOnce(Run) -> Fut + Send + 'static,
    Fut: Future<Output = Result<Outcome, BoxError>> + Send + 'static,
{
    let (driver, events) = split(input, options, agent);
    let child = Arc::new(Child {
        woken: AtomicBool::new(true),
        lane: Arc::clone(events.lane()),
    });
    RunStream {
        events,
        driver: Some(driver),
        waker: Waker::from(Arc::clone(&child)),
        child,
        started: false,
        pause: false,
    }
}

/// A run as one stream, from [`stream`].
///
/// Wakes of the agent are told from pushes of other tasks: the agent is polled only when it was
/// woken, and then once a batch, so a task that keeps the queue full cannot starve it.
///
/// It pauses (returns pending, and asks to be polled again) once after `RUN_STARTED`, so that a
/// body can send it off before the agent's first step, however long that takes; and whenever the
/// agent has woken itself, so that an agent that yields lets others run.
///
/// # Cancellation
///
/// As [`stream`].
#[must_use = "a run stands still until its stream is polled"]
pub struct RunStream<F> {
    // Declared first, so dropped first: whoever still speaks learns that the reader is gone
    // before the agent is dropped.
    events: Events,
    driver: Option<Driver<F>>,
    waker: Waker,
    child: Arc<Child>,
    /// `RUN_STARTED` is out, so the agent may have its turns.
    started: bool,
    /// Pending once, when the batch in hand is read.
    pause: bool,
}

/// The waker that the driver is polled with.
struct Child {
    woken: AtomicBool,
    lane: Arc<Lane>,
}

impl Child {
    fn is_woken(&self) -> bool {
        self.woken.load(Ordering::SeqCst)
    }
}

impl Wake for Child {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.woken.swap(true, Ordering::SeqCst) {
            self.lane.wake_reader();
        }
    }
}

impl<F> Stream for RunStream<F>
where
    F: Future<Output = Result<Outcome, BoxError>>,
{
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let this = &mut *self;
        loop {
            if let Some(event) = this.events.pop() {
                return Poll::Ready(Some(event));
            }
            if std::mem::take(&mut this.pause) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            if this.started && this.child.is_woken() {
                this.poll_driver();
            }
            match this.events.refill(context) {
                Taken::Batch => {
                    this.pause |= !this.started;
                    this.started = true;
                }
                Taken::Nothing if this.pause => {}
                // A wake that came just before the reader was parked did not find it, and left its
                // flag; one that comes after finds it.
                Taken::Nothing if this.child.is_woken() => {}
                Taken::Nothing => return Poll::Pending,
                Taken::End => return Poll::Ready(None),
            }
        }
    }
}

impl<F> RunStream<F>
where
    F: Future<Output = Result<Outcome, BoxError>>,
{
    fn poll_driver(&mut self) {
        self.child.woken.store(false, Ordering::SeqCst);
        let Some(driver) = &mut self.driver else {
            return;
        };
        let context = &mut Context::from_waker(&self.waker);
        if Pin::new(driver).poll(context).is_ready() {
            self.driver = None;
        } else {
            // It woke itself.
            self.pause = self.child.is_woken();
        }
    }
}

impl<F> std::fmt::Debug for RunStream<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunStream")
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}
