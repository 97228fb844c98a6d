//! Two limits on silence.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use apron_emit::Failure;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::failure_code::FailureCode;

/// Says when an answer has been silent for too long.
///
/// It is asked where frames are known, since comments and keep-alives move bytes and say nothing:
/// [`progress`](Self::progress) for each frame that says something, and
/// [`poll_elapsed`](Self::poll_elapsed) whenever there is nothing to do but wait. Only waiting
/// counts: while a slow client holds us up, no limit runs.
pub(crate) struct Watchdog {
    first_event: Duration,
    idle: Duration,
    begun: bool,
    /// When the present wait is too long. `None` while we do not wait.
    deadline: Option<Instant>,
    /// Wakes us at the deadline or before it: it is moved only when it goes off, which is seldom,
    /// and not with each wait, of which there are as many as events.
    timer: Option<Pin<Box<Sleep>>>,
}

/// The provider was silent for longer than the limit.
#[derive(Debug, thiserror::Error)]
#[error("the provider sent nothing for {limit:?}")]
struct Silent {
    limit: Duration,
}

impl Watchdog {
    /// A watchdog for an answer of which nothing was seen yet. `Duration::MAX` is no limit.
    pub(crate) fn new(first_event: Duration, idle: Duration) -> Self {
        Self {
            first_event,
            idle,
            begun: false,
            deadline: None,
            timer: None,
        }
    }

    /// Notes that the provider said something.
    pub(crate) fn progress(&mut self) {
        self.begun = true;
        self.deadline = None;
    }

    /// Ready with the failure once the provider was silent for too long, which is then the end.
    pub(crate) fn poll_elapsed(&mut self, context: &mut Context<'_>) -> Poll<Failure> {
        let limit = if self.begun {
            self.idle
        } else {
            self.first_event
        };
        let deadline = match self.deadline {
            Some(deadline) => deadline,
            None => match Instant::now().checked_add(limit) {
                Some(deadline) => *self.deadline.insert(deadline),
                None => return Poll::Pending,
            },
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() > deadline {
            timer.as_mut().reset(deadline);
        }
        while timer.as_mut().poll(context).is_ready() {
            if timer.deadline() >= deadline {
                return Poll::Ready(FailureCode::Timeout.caused_by(Silent { limit }));
            }
            timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog")
            .field("first_event", &self.first_event)
            .field("idle", &self.idle)
            .field("begun", &self.begun)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::time::{advance, timeout};

    use super::*;

    const FIRST: Duration = Duration::from_secs(120);
    const IDLE: Duration = Duration::from_secs(60);

    /// How long it takes until the watchdog barks.
    async fn bark(watchdog: &mut Watchdog) -> Duration {
        let start = Instant::now();
        let failure = poll_fn(|context| watchdog.poll_elapsed(context)).await;
        assert_eq!(failure.code(), "timeout");
        start.elapsed()
    }

    /// Waits for less than it takes.
    async fn wait(watchdog: &mut Watchdog, time: Duration) {
        let barked = poll_fn(|context| watchdog.poll_elapsed(context));
        assert!(timeout(time, barked).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_event_has_its_own_limit() {
        let mut watchdog = Watchdog::new(FIRST, IDLE);
        assert_eq!(bark(&mut watchdog).await, FIRST);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_after_an_event_ends_at_the_idle_limit() {
        let mut watchdog = Watchdog::new(FIRST, IDLE);
        wait(&mut watchdog, IDLE).await;
        watchdog.progress();
        assert_eq!(bark(&mut watchdog).await, IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn every_event_starts_the_limit_again() {
        let mut watchdog = Watchdog::new(FIRST, IDLE);
        for _ in 0..10 {
            watchdog.progress();
            wait(&mut watchdog, Duration::from_secs(59)).await;
        }
        assert_eq!(bark(&mut watchdog).await, Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_without_an_event_goes_on_counting() {
        let mut watchdog = Watchdog::new(FIRST, IDLE);
        watchdog.progress();
        // As when comments come every five seconds, and nothing else.
        for _ in 0..11 {
            wait(&mut watchdog, Duration::from_secs(5)).await;
        }
        assert_eq!(bark(&mut watchdog).await, Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn time_in_which_nobody_waits_does_not_count() {
        let mut watchdog = Watchdog::new(FIRST, IDLE);
        wait(&mut watchdog, Duration::from_secs(1)).await;
        watchdog.progress();
        advance(Duration::from_secs(3600)).await;
        assert_eq!(bark(&mut watchdog).await, IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn no_limit_never_ends() {
        let mut watchdog = Watchdog::new(Duration::MAX, Duration::MAX);
        wait(&mut watchdog, Duration::from_secs(1_000_000)).await;
        watchdog.progress();
        wait(&mut watchdog, Duration::from_secs(1_000_000)).await;
    }
}
