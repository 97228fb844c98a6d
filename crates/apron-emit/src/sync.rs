//! The locks and flags of this crate, in one place, so that the tests can put a scheduler's own in
//! their stead and try every order of steps.

pub(crate) use std::sync::atomic::{AtomicBool, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};
