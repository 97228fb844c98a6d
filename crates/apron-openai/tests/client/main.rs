//! The client against a provider on this machine that can do everything wrong.

#![cfg(feature = "client")]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of a test fail the way a test does"
)]

mod errors;
mod limits;
mod requests;
mod retries;
mod secrets;
mod support;
