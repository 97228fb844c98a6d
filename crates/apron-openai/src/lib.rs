//! Translation between OpenAI-compatible providers and AG-UI 1.0: conversations into requests, and
//! streams into runs.
//!
//! ```
//! use apron_emit::stream;
//! use apron_openai::chat;
//! use apron_protocol::{EventType, RunAgentInput};
//! use futures_util::StreamExt;
//! use std::convert::Infallible;
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! // Any stream of bytes will do. `Client::chat` gives one that is connected to a provider.
//! let answer = futures_util::stream::iter([Ok::<_, Infallible>(concat!(
//!     "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n",
//!     "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
//!     "data: [DONE]\n\n",
//! ))]);
//! let input = RunAgentInput::new("thread", "run");
//! let run = stream(input, |run| async move { Ok(run.relay(chat::events(answer)).await?) });
//! let kinds: Vec<EventType> = run.map(|event| event.event_type()).collect().await;
//! assert_eq!(
//!     kinds,
//!     [
//!         EventType::RunStarted,
//!         EventType::TextMessageStart,
//!         EventType::TextMessageContent,
//!         EventType::TextMessageEnd,
//!         EventType::RunFinished,
//!     ]
//! );
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What is in the box
//!
//! * [`chat::request`]: a conversation as a chat-completions request, repaired where a provider
//!   would refuse it.
//! * `Client` (feature `client`, on by default): sends it, with limits on everything, and gives the
//!   answer's bytes as they come.
//! * [`chat::events`]: the answer as a source of events, for `Run::relay`. It reads what some forty
//!   servers make of the format; `docs/OPENAI.md` lists their quirks.
//! * [`chat::Translator`]: the same without I/O, one frame at a time.
//! * [`FailureCode`], [`ProviderError`], [`Error`]: what a model call fails with, for the client
//!   and for the log.
//!
//! # What it does not do
//!
//! It runs no tools and no loop: a call is left to the client, or answered with an error when the
//! client does not have the tool. It knows no web framework. It does not read the Responses API.
//!
//! # Cancellation
//!
//! A source owns the provider's stream. Dropping the run, or the relay, drops both, which closes
//! the connection, and the provider stops.

pub mod chat;

#[cfg(feature = "client")]
mod client;
mod envelope;
mod error;
mod failure_code;
#[cfg(feature = "client")]
mod http_error;
mod lenient;
mod provider_error;
mod request;
mod usage;

/// How to reach a provider: async-openai's configurations, so that nobody needs that crate for them.
#[cfg(feature = "client")]
pub use async_openai::config::{AzureConfig, Config, OpenAIConfig};

#[cfg(feature = "client")]
pub use self::client::{ChatResponse, Client, ClientBuilder, EnvError, ResponseBytes};
pub use self::error::Error;
pub use self::failure_code::FailureCode;
#[cfg(feature = "client")]
pub use self::http_error::HttpError;
pub use self::provider_error::ProviderError;

#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../README.md")]
struct Readme;
