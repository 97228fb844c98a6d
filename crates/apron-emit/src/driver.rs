//! Runs the agent and ends the run, whatever happens.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::failure::{BoxError, Failure};
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
    /// Drops the agent; a panic in one of its destructors must not lose the terminal event.
    fn drop_agent(&mut self) {
        if let Some(agent) = self.agent.take()
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(agent)))
        {
            tracing::error!(
                panic = panic_text(&*panic),
                "the agent panicked while it was dropped"
            );
        }
    }
}

impl<F> Future for Driver<F>
where
    F: Future<Output = Result<Outcome, BoxError>>,
{
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        if this.agent.is_none() {
            return Poll::Ready(());
        }
        match this.lane.orders(context.waker()) {
            Orders::GoOn => {}
            Orders::Cancel | Orders::Abandon => return this.end(End::Cancelled),
        }
        if let Some(deadline) = &mut this.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            let failure = Failure::new(Failure::DEADLINE, "The run took too long.");
            return this.end(End::Failure(failure));
        }
        let Some(agent) = &mut this.agent else {
            return Poll::Ready(());
        };
        let polled = catch_unwind(AssertUnwindSafe(|| agent.as_mut().poll(context)));
        let end = match polled {
            Ok(Poll::Pending) => {
                // A stop that came while the agent was polled woke a waker that is registered
                // already, so nothing is missed.
                return Poll::Pending;
            }
            Ok(Poll::Ready(_)) if this.lane.with(|inner| inner.is_stopping()) => {
                // The error of a cancelled provider must not win over the cancel that caused it.
                End::Cancelled
            }
            Ok(Poll::Ready(Ok(outcome))) => End::Outcome(outcome),
            Ok(Poll::Ready(Err(error))) => End::Failure(this.lane.failure_of(error)),
            Err(panic) => {
                let text = format!("the agent panicked: {}", panic_text(&*panic));
                End::Failure(Failure::internal(text))
            }
        };
        this.end(end)
    }
}

impl<F> Drop for Driver<F> {
    fn drop(&mut self) {
        if self.agent.is_some() {
            self.drop_agent();
            self.lane.end(End::Failure(Failure::internal(
                "the agent's task was dropped",
            )));
        }
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
    /// The failure that an agent's error stands for: the one in its chain of sources, or the one
    /// that was noted on the run (some error types hide their source), or an internal one.
    fn failure_of(&self, error: BoxError) -> Failure {
        let found = match error.downcast::<Failure>() {
            Ok(failure) => return *failure,
            Err(error) => match error.downcast::<Error>() {
                Ok(error) => match *error {
                    Error::Failed(failure) => return failure,
                    other => BoxError::from(other),
                },
                Err(error) => error,
            },
        };
        let mut next: Option<&(dyn std::error::Error + 'static)> = Some(&*found);
        while let Some(error) = next {
            if let Some(failure) = error.downcast_ref::<Failure>() {
                let mut public =
                    Failure::new(failure.code().to_owned(), failure.message().to_owned())
                        .with_usage(failure.usage().to_vec());
                if let Some(wait) = failure.retry_after() {
                    public = public.with_retry_after(wait);
                }
                return public.with_cause(found);
            }
            next = error.source();
        }
        match self.with(|inner| inner.noted().cloned()) {
            Some((code, message)) => Failure::new(code, message).with_cause(found),
            None => Failure::internal(found),
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
