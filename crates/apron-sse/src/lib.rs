//! Server-sent events, both ways: an [encoder](encode) that cannot write a broken frame, and a
//! [`Decoder`] that gives the same frames however the bytes were cut.
//!
//! No sockets, no async, no clock: bytes in, frames out, and back.
//!
//! ```
//! use apron_sse::{Decoder, Frame, encode};
//! use bytes::BytesMut;
//!
//! let mut wire = BytesMut::new();
//! encode::comment(&mut wire, "hello")?;
//! encode::data(&mut wire, r#"{"delta":"Hi"}"#)?;
//!
//! let mut decoder = Decoder::new();
//! let mut texts = Vec::new();
//! for chunk in wire.chunks(5) {
//!     decoder.feed(chunk);
//!     while let Some(frame) = decoder.next_frame() {
//!         match frame? {
//!             Frame::Event(event) => texts.push(event.data.into_owned()),
//!             Frame::Comment(_) => {} // nothing to read, but the peer is alive
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(texts, [r#"{"delta":"Hi"}"#]);
//! # Ok::<(), apron_sse::Error>(())
//! ```
//!
//! # What is in the box
//!
//! - [`encode`]: `data`, `id`, `retry` and comments, appended to a buffer of yours.
//! - [`Decoder`]: feed it bytes, take [`Frame`]s that borrow from it. It follows the WHATWG
//!   algorithm, with a size limit per event and a last frame for input that ends without one.
//!
//! # What it does not do
//!
//! It does not connect, reconnect, or time anything, and it does not look inside `data`.
//!
//! # Cancellation
//!
//! Nothing here waits, so nothing can be cancelled. An encoder call either appends a whole frame
//! or leaves the buffer as it was.

pub mod encode;

mod decode;
mod error;

pub use crate::decode::{Comment, DEFAULT_LIMIT, Decoder, Event, Field, Frame};
pub use crate::error::Error;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
