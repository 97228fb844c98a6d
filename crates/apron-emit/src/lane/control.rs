//! Stopping a run, and what its driver is told.

use std::task::{Context, Poll, Waker};

use super::wakers::{keep, wake};
use super::{Lane, Phase, Ticket};

/// What the driver is to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Orders {
    GoOn,
    Cancel,
    Abandon,
}

impl Lane {
    /// Asks the driver to end the run as cancelled.
    pub(crate) fn stop(&self) {
        let mut inner = self.lock();
        inner.stopping = true;
        let listening = inner.listening.take();
        let driver = inner.driver.take();
        // A driver that is polled inside the stream is woken through its reader.
        let reader = inner.reader.take();
        drop(inner);
        wake(listening);
        wake([driver, reader]);
    }

    /// What the driver must know before it polls the agent, and where to wake it.
    pub(crate) fn orders(&self, driver: &Waker) -> Orders {
        let mut inner = self.lock();
        let orders = match (inner.phase, inner.stopping) {
            (Phase::Gone, _) => Orders::Abandon,
            (Phase::Open, true) => Orders::Cancel,
            (Phase::Open, false) | (Phase::Ended, _) => Orders::GoOn,
        };
        let replaced = keep(&mut inner.driver, driver);
        drop(inner);
        drop(replaced);
        orders
    }

    /// Ready when the run is being stopped, has ended, or has lost its reader.
    pub(crate) fn poll_cancelled(&self, context: &Context<'_>, ticket: &mut Ticket) -> Poll<()> {
        let mut inner = self.lock();
        if inner.is_stopping() {
            return Poll::Ready(());
        }
        let replaced = inner.listening.keep(&mut ticket.0, context.waker());
        drop(inner);
        drop(replaced);
        Poll::Pending
    }

    /// Takes the waker of one who no longer waits for a stop out of the lane.
    pub(crate) fn stop_listening(&self, ticket: &mut Ticket) {
        if let Some(place) = ticket.0.take() {
            let waker = self.lock().listening.leave(place);
            drop(waker);
        }
    }
}
