//! Runs the agent and ends the run, whatever happens.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::failure::{BoxError, Failure};
use crate::guard::{guarded, panic_text};
use crate::lane::{End, Lane, Orders};
use crate::options::Timer;
use crate::outcome::Outcome;

/// The agent's side of a run, from [`split`](crate::split): a future to be polled by any executor.
///
/// It resolves when the run has its terminal event or its reader is gone. A panic of the agent is
/// caught (not with `panic = "abort"`) and becomes a failure.
///
/// # Cancellation
///
/// Dropping it drops the agent and fails the run, so that the reader is not left waiting.
#[must_use = "the agent runs only while its driver is polled"]
pub struct Driver<F> {
    // The agent is dropped before the run is ended.
    agent: Option<Pin<Box<F>>>,
    deadline: Option<Timer>,
    lane: Arc<Lane>,
}

impl<F> Driver<F>
where
    F: Future<Output = Result<Outcome, BoxError>>,
{
    pub(crate) fn new(lane: Arc<Lane>, agent: F, deadline: Option<Timer>) -> Self {
        Self {
            agent: Some(Box::pin(agent)),
            deadline,
            lane,
        }
    }

    fn end(&mut self, end: End) -> Poll<()> {
        self.drop_agent();
        self.lane.end(end);
        Poll::Ready(())
    }
}

impl<F> Driver<F> {
    /// Drops the agent and its timer; a panic in a destructor must not lose the terminal event.
    fn drop_agent(&mut self) {
        let agent = self.agent.take();
        guarded("the agent's destructor", || drop(agent));
        let deadline = self.deadline.take();
        guarded("the deadline's destructor", || drop(deadline));
    }
}

impl<F> Future for Driver<F>
where
    F: Future<Output = Result<Outcome, BoxError>>,
{
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let Some(agent) = &mut this.agent else {
            return Poll::Ready(());
        };
        match this.lane.orders(context.waker()) {
            Orders::GoOn => {}
            Orders::Cancel | Orders::Abandon => return this.end(End::Cancelled),
        }
        let (deadline, lane) = (&mut this.deadline, &this.lane);
        let polled = catch_unwind(AssertUnwindSafe(|| {
            if let Some(deadline) = deadline
                && deadline.as_mut().poll(context).is_ready()
            {
                let failure = Failure::new(Failure::DEADLINE, "The run took too long.");
                return Poll::Ready(End::Failure(failure));
            }
            // Looking into an error runs code of the user, so it happens in here as well.
            agent.as_mut().poll(context).map(|end| lane.judge(end))
        }));
        match polled {
            // A stop that came while the agent was polled woke a waker that was registered before,
            // so nothing is missed.
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(end)) => this.end(end),
            Err(panic) => {
                let text = format!("the agent panicked: {}", panic_text(&*panic));
                guarded("the destructor of a panic", || drop(panic));
                this.end(End::Failure(Failure::internal(text)))
            }
        }
    }
}

impl<F> Drop for Driver<F> {
    fn drop(&mut self) {
        if self.agent.is_none() {
            return;
        }
        self.drop_agent();
        // Whoever stops a run may well drop its task before it was polled once more.
        let stopped = self.lane.with(|inner| inner.is_stopping());
        self.lane.end(if stopped {
            End::Cancelled
        } else {
            End::Failure(Failure::internal("the agent's task was dropped"))
        });
    }
}

impl<F> std::fmt::Debug for Driver<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver")
            .field("lane", &self.lane)
            .finish_non_exhaustive()
    }
}

impl Lane {
    /// What the agent's answer means. The error of a cancelled provider must not win over the cancel
    /// that caused it; the tokens that it reports count all the same.
    fn judge(&self, answer: Result<Outcome, BoxError>) -> End {
        let mut end = match answer {
            Ok(outcome) => End::Outcome(outcome),
            Err(error) => End::Failure(self.failure_of(error)),
        };
        let stopped = self.with(|inner| {
            let stopped = inner.is_stopping();
            if stopped {
                inner.count_usage_of(&mut end);
            }
            stopped
        });
        if stopped { End::Cancelled } else { end }
    }

    /// The failure that an agent's error stands for: the one in its chain of sources, or the one
    /// that was noted on the run (some error types hide their source), or an internal one.
    fn failure_of(&self, error: BoxError) -> Failure {
        let error = match error.downcast::<Failure>() {
            Ok(failure) => return *failure,
            Err(error) => error,
        };
        let error = match error.downcast::<Error>() {
            Ok(error) => {
                return match *error {
                    Error::Failed(failure) => failure,
                    // It hides nothing, so what was noted is not what went wrong.
                    other => Failure::internal(other),
                };
            }
            Err(error) => error,
        };
        let mut next: Option<&(dyn std::error::Error + 'static)> = Some(&*error);
        while let Some(source) = next {
            if let Some(failure) = source.downcast_ref::<Failure>() {
                let said = failure.said();
                return said.with_cause(error);
            }
            next = source.source();
        }
        match self.with(|inner| inner.noted().cloned()) {
            Some((code, message)) => Failure::new(code, message).with_cause(error),
            None => Failure::internal(error),
        }
    }
}
