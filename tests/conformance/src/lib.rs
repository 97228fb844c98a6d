//! What the conformance suites are made of. The suites are in `tests/`, and say which of them they
//! skipped and why.
//!
//! ```
//! use conformance::{Answer, Sample, order, replay};
//!
//! let sample = Sample::of(7);
//! let events = replay(&sample.bytes, &sample.cuts, &sample.tools);
//! assert!(order::violations(&events).is_empty());
//! assert_eq!(Answer::of_events(&events).text, sample.expected.answer.text);
//! ```
//!
//! * [`Recording`], [`frames`] and [`oracle`]: recorded streams, and what their providers said.
//! * [`Sample`]: random streams, and what must come of them.
//! * [`replay`]: a stream through Apron's public door, to the JSON of its events.
//! * [`Served`] and [`Refusing`]: our server, and a provider that refuses, on loopback ports.
//! * [`order`] and [`judges`]: who decides whether the events are right.

#![expect(
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "only tests use this package, and a panic is how a test fails"
)]

mod answer;
mod gate;
pub mod judges;
pub mod oracle;
pub mod order;
mod provider;
mod quirks;
mod recording;
mod replay;
mod served;

pub use self::answer::{Answer, Call};
pub use self::gate::{Suite, cases, seed};
pub use self::oracle::Told;
pub use self::provider::Refusing;
pub use self::quirks::{Counts, End, Expected, ROWS, Sample};
pub use self::recording::{Data, Framed, Recording, frames};
pub use self::replay::{Relayed, replay, usage_of};
pub use self::served::Served;
