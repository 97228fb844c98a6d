//! The extractor.

use std::future::poll_fn;
use std::pin::Pin;

use apron_http::{Config, Rejection, Request as Accepted, RequestReader};
use apron_protocol::RunAgentInput;
use axum::body::BodyDataStream;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use futures_core::Stream;

use crate::rejection::RunRejection;
use crate::response::Reply;

/// A request to run an agent: what the client asks for, and how to answer it.
///
/// As an extractor it consumes the body, so it comes last among a handler's arguments. Limits and
/// intervals are the defaults of [`Config`], unless a layer sets others:
///
/// ```
/// use apron_axum::{Config, RunRequest};
/// use axum::{Extension, Router, http::StatusCode, routing::post};
///
/// async fn run(_request: RunRequest) -> StatusCode {
///     StatusCode::NOT_IMPLEMENTED
/// }
///
/// let app: Router = Router::new()
///     .route("/run", post(run))
///     .layer(Extension(Config::default().with_body_bytes(256 * 1024)));
/// ```
///
/// axum's own `DefaultBodyLimit` does not apply; [`body_bytes`](Config::body_bytes) does, while
/// the body is read.
///
/// # Errors
///
/// A request that may not be served is answered with a [`RunRejection`], before anything runs.
///
/// # Cancellation
///
/// A client that goes away while the body is read drops the extractor, and nothing was started.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is there to be taken apart in a handler's arguments"
)]
pub struct RunRequest {
    /// What the client asks for. All of it is the client's claim, messages and state included.
    pub input: RunAgentInput,
    /// How to answer.
    pub reply: Reply,
}

impl<S: Send + Sync> FromRequest<S> for RunRequest {
    type Rejection = RunRejection;

    async fn from_request(request: Request, _state: &S) -> Result<Self, RunRejection> {
        let (parts, body) = request.into_parts();
        let config = parts
            .extensions
            .get::<Config>()
            .cloned()
            .unwrap_or_default();
        let reader = RequestReader::open(&pairs(&parts.headers), &config)?;
        let Accepted { input, dialect, .. } = read(reader, body.into_data_stream()).await?;
        let reply = Reply::new(config, dialect);
        Ok(Self { input, reply })
    }
}

async fn read(mut reader: RequestReader, mut body: BodyDataStream) -> Result<Accepted, Rejection> {
    while let Some(chunk) = poll_fn(|cx| Pin::new(&mut body).poll_next(cx)).await {
        reader.push(&chunk.map_err(|err| Rejection::Body(err.into()))?)?;
    }
    reader.finish()
}

/// The headers as text.
fn pairs(headers: &HeaderMap) -> Vec<(&str, &str)> {
    let text = headers.iter().map(|(name, value)| {
        // What is no text must not look absent: it is a value that fits nothing.
        (name.as_str(), value.to_str().unwrap_or("?"))
    });
    text.collect()
}
