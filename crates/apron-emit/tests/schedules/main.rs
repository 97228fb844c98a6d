//! The orders in which threads may take their steps: random ones, by the thousand.
//!
//! The emitter's own sources are built a second time here, with the locks and flags of a scheduler
//! in place of the system's: every step on one is a point where another thread may go first. A lost
//! wake-up shows as a deadlock, which the scheduler reports with the order that led to it.
//!
//! `APRON_SCHEDULES` sets how many orders each test tries; few by default, a million in CI: a planted
//! race of this kind has survived 48,000.

#![expect(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "the emitter's sources, of which this needs a part"
)]

#[path = "../../src/driver.rs"]
mod driver;
#[path = "../../src/error.rs"]
mod error;
#[path = "../../src/events.rs"]
mod events;
#[path = "../../src/failure.rs"]
mod failure;
#[path = "../../src/guard.rs"]
mod guard;
#[path = "../../src/handle/mod.rs"]
mod handle;
#[path = "../../src/ids.rs"]
mod ids;
#[path = "../../src/lane/mod.rs"]
mod lane;
#[path = "../../src/ledger/mod.rs"]
mod ledger;
#[path = "../../src/options.rs"]
mod options;
#[path = "../../src/outcome.rs"]
mod outcome;
#[path = "../../src/relay.rs"]
mod relay;
#[path = "../../src/run.rs"]
mod run;
#[path = "../../src/source.rs"]
mod source;
#[path = "../../src/stream.rs"]
mod stream;

/// In place of the emitter's own.
mod sync {
    pub(crate) use shuttle::sync::atomic::{AtomicBool, Ordering};
    pub(crate) use shuttle::sync::{Mutex, MutexGuard, PoisonError};
}

#[cfg(test)]
#[path = "../emit/check.rs"]
mod check;
#[cfg(test)]
#[path = "../emit/client.rs"]
mod client;
#[cfg(test)]
mod races;
