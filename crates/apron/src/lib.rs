//! The server side of AG-UI 1.0: turn a model provider's stream into a correct run and serve it.
//!
//! An axum route that answers with whatever an OpenAI-compatible provider streams:
//!
//! ```
//! use apron::openai::{Client, chat};
//! use apron::{Chat, Outcome};
//! use axum::Router;
//! use axum::extract::State;
//! use axum::response::Response;
//! use axum::routing::post;
//!
//! async fn ask(State(openai): State<Client>, chat: Chat) -> Response {
//!     let request = chat::request(chat.input(), "gpt-5-mini");
//!     chat.serve(move |run| async move {
//!         let response = openai.chat(request).await?;
//!         Ok(run.relay(chat::events(response)).await?)
//!     })
//! }
//!
//! # fn app(openai: Client) -> Router {
//! Router::new().route("/run", post(ask)).with_state(openai)
//! # }
//! ```
//!
//! # What is in the box
//!
//! * [`Chat`]: the axum extractor, with the request's input and [`Chat::serve`].
//! * [`Run`]: what an agent speaks through, by hand or by [`Run::relay`].
//! * [`openai`]: requests to and streams from OpenAI and everything that speaks its wire format.
//! * [`axum`]: the door itself, and [`axum::Listener`], which ends connections whose client has
//!   stopped reading.
//! * [`protocol`], [`emit`], [`http`], [`sse`]: the rooms behind the desk.
//!
//! # Features
//!
//! | feature | what it adds | default |
//! | --- | --- | --- |
//! | `axum` | the axum door | yes |
//! | `openai` | the OpenAI translation and client | yes |
//!
//! # What it promises
//!
//! Every run ends with exactly one terminal event: on success, error, panic, stop and deadline. A
//! client that goes away cancels the run, and with it the provider's request. Errors reach the client
//! as a stable code and a fixed sentence; the cause goes to `tracing` and to [`Chat::on_end`].

#[cfg(feature = "axum")]
mod chat;

#[cfg(feature = "axum")]
pub use apron_axum as axum;
pub use apron_emit as emit;
pub use apron_emit::{BoxError, Ending, Error, Failure, Outcome, Run, Stopper};
pub use apron_http as http;
#[cfg(feature = "openai")]
pub use apron_openai as openai;
pub use apron_protocol as protocol;
pub use apron_sse as sse;

#[cfg(feature = "axum")]
pub use self::chat::Chat;
