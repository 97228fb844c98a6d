//! Delivery of AG-UI 1.0 over HTTP, for any framework: what a request must look like, and how a
//! stream of events becomes the bytes of a response.
//!
//! ```
//! use apron_http::{Config, EventBody, RequestReader, headers};
//! use apron_protocol::{Event, RunFinished, RunStarted};
//! use futures_util::{StreamExt, stream};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), apron_http::Rejection> {
//! // A door reads the request as the bytes come in …
//! let config = Config::default();
//! let sent = [("content-type", "application/json"), ("accept", "text/event-stream")];
//! let mut reader = RequestReader::open(&sent, &config)?;
//! reader.push(br#"{"threadId":"t1","runId":"r1","#)?;
//! reader.push(br#""protocolVersion":"1.0","messages":[]}"#)?;
//! let request = reader.finish()?;
//!
//! // … and answers with headers and a body.
//! let (thread, run) = (request.input.thread_id, request.input.run_id);
//! let events = stream::iter([
//!     Event::from(RunStarted::new(thread.clone(), run.clone())),
//!     Event::from(RunFinished::new(thread, run)),
//! ]);
//! assert!(headers().contains(&("content-type", "text/event-stream")));
//! let mut body = EventBody::new(events).with_config(&config).with_dialect(request.dialect);
//! while let Some(Ok(chunk)) = body.next().await {
//!     assert!(chunk.starts_with(b"data: {\"type\":\"RUN_"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What is in the box
//!
//! - [`RequestReader`]: headers and bytes in, a [`Request`] or a [`Rejection`] out.
//! - [`EventBody`]: events in, chunks of server-sent events out, with heartbeats and size limits.
//! - [`headers`]: what the response says about itself.
//! - [`Dialect`]: how the peer at hand wants events spelled.
//! - [`Config`]: every limit and interval, with its default.
//!
//! # What it does not do
//!
//! It knows no framework, no socket and no `http` type: headers cross as pairs of strings, the
//! status as a number. It does not judge the order of events. A write that stalls is the
//! connection's affair, because a framework polls no body that it cannot write.
//!
//! # Cancellation
//!
//! Dropping an [`EventBody`] drops the stream of events at once, and that is how a client that
//! went away stops the run. Dropping a [`RequestReader`] forgets what was read.

mod body;
mod config;
mod dialect;
mod headers;
mod rejection;
mod request;

pub use self::body::EventBody;
pub use self::config::{Config, Heartbeat, InvalidHeartbeat};
pub use self::dialect::Dialect;
pub use self::headers::headers;
pub use self::rejection::Rejection;
pub use self::request::{Request, RequestReader};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
