//! The grammar of AG-UI 1.0: a run that can only be spoken in a legal order.
//!
//! ```
//! use apron_emit::{Outcome, stream};
//! use apron_protocol::{EventType, RunAgentInput};
//! use futures_util::StreamExt;
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let input = RunAgentInput::new("thread", "run");
//! let events = stream(input, |run| async move {
//!     let mut text = run.text();
//!     text.push("Let me look. ").await?;
//!     let mut call = run.tool_call("get_weather").await?;
//!     call.push(r#"{"city":"Oslo"}"#).await?;
//!     Ok(Outcome::success()) // what is open is closed, and the call is reported as pending
//! });
//! let kinds: Vec<EventType> = events.map(|event| event.event_type()).collect().await;
//! assert_eq!(kinds.first(), Some(&EventType::RunStarted));
//! assert_eq!(kinds.last(), Some(&EventType::RunFinished));
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What is in the box
//!
//! * [`Run`]: what an agent speaks through. Its handles ([`TextMessage`], [`Reasoning`],
//!   [`ToolCall`], [`Step`]) are independent: several may be open at once, in several tasks.
//! * [`split`] and [`stream`]: a run as two sides, or as one stream.
//! * [`Ledger`]: the rules of order, usable on any stream of events.
//! * [`Source`] and [`Run::relay`]: events that come from elsewhere, such as a provider.
//! * [`Outcome`] and [`Failure`]: how a run ends.
//!
//! # What it promises
//!
//! A stream begins with `RUN_STARTED` and ends with exactly one terminal event, on success, error,
//! stop, drop and panic; whatever is open is closed before, deepest first. Wire order is the order in
//! which events were admitted, whoever spoke. What is queued is bounded by
//! [`RunOptions::with_budget`].
//!
//! # What it does not do
//!
//! It knows no frames, no HTTP, no provider, no clock and no executor. With `panic = "abort"` a panic
//! ends the process, and no stream survives that.

mod driver;
mod error;
mod events;
mod failure;
mod guard;
mod handle;
mod ids;
mod lane;
mod ledger;
mod options;
mod outcome;
mod relay;
mod run;
mod source;
mod stream;
mod sync;

pub use self::driver::Driver;
pub use self::error::Error;
pub use self::events::Events;
pub use self::failure::{BoxError, Failure};
pub use self::handle::{
    Attach, Emit, EndedToolCall, Open, Push, Reasoning, Step, TextMessage, ToolCall,
};
pub use self::ids::{CountingIds, Ids};
pub use self::ledger::{Closing, Ledger, Rule, Violation};
pub use self::options::{Ending, RunOptions};
pub use self::outcome::Outcome;
pub use self::relay::Relay;
pub use self::run::{Cancelled, Run, Stopper};
pub use self::source::{Source, SourceStart};
pub use self::stream::{RunStream, split, stream, stream_with};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
