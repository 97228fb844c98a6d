//! A server, a client and providers for runs over real sockets.
//!
//! The client is a bare socket: it can stop reading, leave, or half-close at any byte.

use std::net::SocketAddr;
use std::time::Duration;

use apron::openai::OpenAIConfig;
use apron::protocol::Event;
use axum::Router;
use tokio::net::TcpListener;

mod body;
mod client;
mod provider;

pub use self::client::Client;
pub use self::provider::{EndlessProvider, Manner};

/// How long a test waits for anything before it fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Serves `app` on a loopback port until the test ends.
///
/// # Errors
///
/// When no port is to be had.
pub async fn serve(app: Router) -> std::io::Result<SocketAddr> {
    serve_with(app, None).await
}

/// As [`serve`]; a write that stalls longer than `limit` ends its connection.
///
/// # Errors
///
/// When no port is to be had.
pub async fn serve_with(app: Router, limit: Option<Duration>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let addr = listener.local_addr()?;
    let mut listener = apron::axum::Listener::new(listener);
    if let Some(limit) = limit {
        listener = listener.with_stall_limit(limit);
    }
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(addr)
}

/// How to reach a provider at `base_url`.
#[must_use]
pub fn config(base_url: &str) -> OpenAIConfig {
    OpenAIConfig::new()
        .with_api_base(base_url)
        .with_api_key("k")
}

/// The body of a request for a run that says `text`.
#[must_use]
pub fn input(text: &str) -> String {
    serde_json::json!({
        "threadId": "t",
        "runId": "r",
        "protocolVersion": "1.0",
        "messages": [{ "id": "u1", "role": "user", "content": text }],
    })
    .to_string()
}

/// The text that `events` say, all messages together.
#[must_use]
pub fn text(events: &[Event]) -> String {
    let deltas = events.iter().filter_map(|event| match event {
        Event::TextMessageContent(content) => Some(content.delta.as_str()),
        _ => None,
    });
    deltas.collect()
}
