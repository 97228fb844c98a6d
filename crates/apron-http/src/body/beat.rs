//! When a silent body says that it is alive.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

/// Measures outbound silence. Writing costs one look at the clock: the timer is moved only when
/// it fires, and made only when there is something to wait for.
pub(super) struct Beat {
    every: Duration,
    last: Instant,
    timer: Timer,
    /// Whom the timer wakes.
    known: Option<Waker>,
}

enum Timer {
    Unmade,
    Made(Pin<Box<Sleep>>),
    /// There is no tokio here, so there is no beat.
    Impossible,
}

impl Beat {
    /// Starts to count at once.
    pub(super) fn new(every: Duration) -> Self {
        Self {
            every,
            last: Instant::now(),
            timer: Timer::Unmade,
            known: None,
        }
    }

    /// Bytes were handed over.
    pub(super) fn wrote(&mut self) {
        self.last = Instant::now();
    }

    /// Ready when it is time for a heartbeat, and then counts as written.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Timer::Unmade = self.timer {
            self.timer = self.make();
        }
        let Timer::Made(timer) = &mut self.timer else {
            return Poll::Pending;
        };
        loop {
            let known = self.known.as_ref().is_some_and(|w| w.will_wake(cx.waker()));
            if known && !timer.is_elapsed() {
                return Poll::Pending;
            }
            // Unconstrained: a poll that tokio's budget turns away does not reach the timer, and
            // then the waker would not be known to it.
            if Pin::new(&mut unconstrained(timer.as_mut()))
                .poll(cx)
                .is_pending()
            {
                if !known {
                    self.known = Some(cx.waker().clone());
                }
                return Poll::Pending;
            }
            self.known = None;
            let (now, due) = (Instant::now(), self.last + self.every);
            if due <= now {
                self.last = now;
                timer.as_mut().reset(now + self.every);
                return Poll::Ready(());
            }
            timer.as_mut().reset(due);
        }
    }

    fn make(&self) -> Timer {
        if Handle::try_current().is_err() {
            tracing::warn!("no heartbeat: the body is polled outside of a tokio runtime");
            return Timer::Impossible;
        }
        Timer::Made(Box::pin(sleep_until(self.last + self.every)))
    }
}
