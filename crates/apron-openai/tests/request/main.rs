//! From a conversation to the body that goes out.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "the helpers of a test fail the way a test does"
)]

mod cases;
mod content;
mod history;
mod options;
mod property;
mod replay;
