//! The waker that a source gets, which remembers that it was rung.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

/// Tells the body whether its source has news, so that a source is polled only when it asked for
/// it: not because a heartbeat is due, nor because the server asks again after every chunk.
///
/// A ring is kept until it is answered. So a poll of the body that does not reach the source, or a
/// task that is polled without polling the body, loses none.
#[derive(Default)]
pub(super) struct Bell {
    rung: AtomicBool,
    /// Whom to wake. Taken by the ring, because a poll follows, and a poll that waits listens again.
    listener: Mutex<Option<Waker>>,
}

impl Bell {
    /// Asks to be woken by the next ring, and says whether it has rung already. In this order, so
    /// that a ring in between is seen by one of the two.
    pub(super) fn listen(&self, waker: &Waker) -> bool {
        {
            let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
            match &mut *listener {
                Some(known) => known.clone_from(waker),
                None => *listener = Some(waker.clone()),
            }
        }
        self.has_rung()
    }

    pub(super) fn has_rung(&self) -> bool {
        self.rung.load(Ordering::Acquire)
    }

    /// Says whether it has rung, and forgets it. Called before a source is polled, never after:
    /// what rings during the poll may be about what the poll did not see.
    pub(super) fn answer(&self) -> bool {
        // The load spares the exchange that nearly every event would cost.
        self.rung.load(Ordering::Relaxed) && self.rung.swap(false, Ordering::Acquire)
    }

    /// Forgets whom to wake, so that a source that keeps its waker keeps no task alive.
    pub(super) fn mute(&self) {
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        drop(mem::take(&mut *listener));
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.rung.swap(true, Ordering::AcqRel) {
            return;
        }
        let listener = {
            let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
            listener.take()
        };
        // Not under the lock: some executors poll inside `wake`.
        if let Some(listener) = listener {
            listener.wake();
        }
    }
}
