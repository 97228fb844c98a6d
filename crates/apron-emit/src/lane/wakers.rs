//! Wakers of those who wait for the same thing.

use std::task::Waker;

/// Wakers, each in a place of its own: keeping one costs no search however many wait, and who stops
/// waiting takes its waker along.
#[derive(Default)]
pub(super) struct Wakers {
    places: Vec<Option<Waker>>,
    free: Vec<u32>,
    /// How often everybody was woken.
    round: u32,
}

/// Where somebody waits, and since which round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    round: u32,
    index: u32,
}

impl Wakers {
    /// True when everybody was woken since `place` was taken.
    pub(super) fn passed(&self, place: Place) -> bool {
        place.round != self.round
    }

    /// Keeps `waker` at `place`, or at a new one. What it gives back must be dropped outside the
    /// lock: the last waker of a task may drop the task, and a task may hold a handle of this run.
    pub(super) fn keep(&mut self, place: &mut Option<Place>, waker: &Waker) -> Option<Waker> {
        if let Some(at) = *place
            && at.round == self.round
            && let Some(kept) = self.places.get_mut(at.index as usize)
        {
            return keep(kept, waker);
        }
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            // 2^32 tasks that wait at once are out of memory first.
            u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
        });
        let round = self.round;
        *place = Some(Place { round, index });
        let kept = self.places.get_mut(index as usize)?;
        kept.replace(waker.clone())
    }

    /// Gives up `place`. What it gives back must be dropped outside the lock.
    pub(super) fn leave(&mut self, place: Place) -> Option<Waker> {
        if self.passed(place) {
            return None;
        }
        let waker = self.places.get_mut(place.index as usize)?.take()?;
        self.free.push(place.index);
        Some(waker)
    }

    /// Takes everybody out, to be woken outside the lock, and begins a new round.
    pub(super) fn take(&mut self) -> Vec<Option<Waker>> {
        self.round = self.round.wrapping_add(1);
        self.free.clear();
        std::mem::take(&mut self.places)
    }
}

/// Keeps `waker` in `kept`. What it gives back must be dropped outside the lock.
pub(super) fn keep(kept: &mut Option<Waker>, waker: &Waker) -> Option<Waker> {
    match kept {
        Some(known) if known.will_wake(waker) => None,
        _ => kept.replace(waker.clone()),
    }
}

/// Wakes each.
pub(super) fn wake(wakers: impl IntoIterator<Item = Option<Waker>>) {
    wakers.into_iter().flatten().for_each(Waker::wake);
}
