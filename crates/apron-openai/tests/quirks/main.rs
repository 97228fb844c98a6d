//! Every quirk of OpenAI-compatible chat streams that `docs/OPENAI.md` lists, each by its own test.
//!
//! A script has one line an event: `TMS`, `TMC`, `TME` for a text's start, content and end; `RS`,
//! `RMS`, `RMC`, `RME`, `RE` for reasoning; `TCS`, `TCA`, `TCE`, `TCR` for a tool call's start,
//! arguments, end and result; `REV` for an encrypted value; `FIN` with the pending calls, or `ERR`
//! with the code.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of a test fail the way a test does"
)]

mod calls;
mod cases;
mod chunks;
mod citations;
mod docs;
mod endings;
mod errors;
mod framing;
mod identity;
mod reasoning;
mod sources;
mod support;
