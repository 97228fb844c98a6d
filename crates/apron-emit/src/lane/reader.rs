//! The reader's side of the lane.

use std::collections::VecDeque;
use std::task::Waker;

use apron_protocol::Event;

use super::wakers::{keep, wake};
use super::{Lane, Phase};

/// What [`Lane::take`] found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Taken {
    Batch,
    /// Nothing; the reader is parked.
    Nothing,
    /// Nothing, and there will be nothing more.
    End,
}

impl Lane {
    /// Takes the whole queue in exchange for an empty one, or parks the reader.
    pub(crate) fn take(&self, batch: &mut VecDeque<Event>, reader: &Waker) -> Taken {
        let mut inner = self.lock();
        if inner.queue.is_empty() {
            if inner.phase != Phase::Open {
                return Taken::End;
            }
            let replaced = keep(&mut inner.reader, reader);
            drop(inner);
            drop(replaced);
            return Taken::Nothing;
        }
        std::mem::swap(&mut inner.queue, batch);
        inner.weight = 0;
        let waiting = inner.waiting.take();
        drop(inner);
        wake(waiting);
        Taken::Batch
    }

    /// Wakes the reader if it is parked.
    pub(crate) fn wake_reader(&self) {
        let reader = self.lock().reader.take();
        wake([reader]);
    }

    /// The reader is gone: whoever waits is told, and nothing of it is kept.
    pub(crate) fn hang_up(&self) {
        let mut inner = self.lock();
        let reader = inner.reader.take();
        let queue = std::mem::take(&mut inner.queue);
        if inner.phase == Phase::Open {
            inner.phase = Phase::Gone;
        }
        let waiting = inner.waiting.take();
        let listening = inner.listening.take();
        let driver = inner.driver.take();
        drop(inner);
        drop((reader, queue));
        wake(waiting);
        wake(listening);
        wake([driver]);
    }
}
