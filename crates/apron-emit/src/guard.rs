//! Running code of the user that must not take the end of a run along when it panics.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `user`; a panic is logged and goes no further. `what` says what panicked.
pub(crate) fn guarded(what: &'static str, user: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(user)) {
        tracing::error!(panic = panic_text(&*panic), "{what} panicked");
    }
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
