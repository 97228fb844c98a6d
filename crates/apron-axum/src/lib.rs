//! The axum door: an extractor and a response for AG-UI 1.0, and a listener that ends connections
//! whose client stopped reading.
//!
//! ```no_run
//! use apron_axum::{Listener, RunRequest, Sse};
//! use apron_protocol::{Event, RunFinished, RunStarted};
//! use axum::{Router, routing::post};
//! use futures_util::{Stream, stream};
//!
//! async fn run(RunRequest { input, reply }: RunRequest) -> Sse<impl Stream<Item = Event>> {
//!     let (thread, run) = (input.thread_id, input.run_id);
//!     reply.stream(stream::iter([
//!         Event::from(RunStarted::new(thread.clone(), run.clone())),
//!         Event::from(RunFinished::new(thread, run)),
//!     ]))
//! }
//!
//! # async fn serve() -> std::io::Result<()> {
//! let app = Router::new().route("/run", post(run));
//! let tcp = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
//! axum::serve(Listener::new(tcp), app).await
//! # }
//! ```
//!
//! # What is in the box
//!
//! - [`RunRequest`]: the request, read within limits or turned away with a status and a code. Its
//!   limits, and the heartbeat of its answer, are a [`Config`] that a layer sets.
//! - [`Reply`] and [`Sse`]: a stream of events as a response, spelled for the client at hand.
//! - [`RunRejection`]: why a request is not served.
//! - [`Listener`]: any listener, with a limit on how long a write may stall.
//!
//! # What it does not do
//!
//! It knows no agent and no provider: events come as a stream. It authenticates nobody, sets no
//! CORS headers, and puts no deadline on slow request headers or bodies; tower layers do these.
//!
//! # Cancellation
//!
//! A client that goes away makes hyper drop the response, and that drops the stream of events at
//! once. While a client does not read, nothing in the stream is polled, so no timeout inside of it
//! fires: let the agent run in a task of its own, tied to the stream, and serve with [`Listener`].

mod listener;
mod rejection;
mod request;
mod response;

pub use apron_http::{Config, Dialect, Heartbeat, InvalidHeartbeat};

pub use self::listener::{Connection, Listener};
pub use self::rejection::RunRejection;
pub use self::request::RunRequest;
pub use self::response::{Reply, Sse};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
