//! The embedded OpenAI-compatible provider: scripted answers in the real wire format.
//!
//! It listens on an ephemeral loopback port and answers `POST {base_url}/chat/completions` the way
//! OpenAI does: `chat.completion.chunk` objects over server-sent events, `data: [DONE]` at the end,
//! HTTP statuses with an `error` object. Which answer it plays is chosen by the words of the last
//! user message ([`scenarios`](crate::scenarios)); a conversation that ends in tool results is
//! answered with a text about them.
//!
//! ```
//! use std::time::Duration;
//! use apron_cli::provider::Provider;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let provider = Provider::builder().pace(0.0).start().await?;
//! // … let a client ask `provider.base_url()` and hang up …
//! # let url = provider.base_url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
//! # {
//! #     use tokio::io::{AsyncReadExt, AsyncWriteExt};
//! #     let body = r#"{"stream":true,"messages":[{"role":"user","content":"hang"}]}"#;
//! #     let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
//! #     let mut socket = tokio::net::TcpStream::connect(url).await?;
//! #     socket.write_all((head + body).as_bytes()).await?;
//! #     socket.read(&mut [0; 256]).await?;
//! # }
//! let counts = provider.stats().wait_for(|counts| counts.dropped == 1, Duration::from_secs(5)).await;
//! assert!(counts.is_ok());
//! # Ok(())
//! # }
//! ```

mod answer;
mod ask;
mod body;
mod pieces;
mod script;
mod server;
mod stats;
mod wire;

pub(crate) use answer::{Answer, Refusal};
pub(crate) use ask::{Ask, ToolResult, ToolSpec};
pub(crate) use script::Script;

pub use answer::SECRETS;
pub use server::{Builder, Provider};
pub use stats::{Counts, Stats};
