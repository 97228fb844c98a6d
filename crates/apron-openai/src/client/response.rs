//! An answer that has begun.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use apron_emit::Failure;
use bytes::Bytes;
use futures_core::Stream;
use reqwest::header::{CONTENT_TYPE, HeaderMap};

use super::watchdog::Watchdog;
use crate::failure_code::FailureCode;
use crate::request::ToolNames;

/// The answer to a [`ChatRequest`](crate::request::ChatRequest), whose body is still on its way:
/// for [`chat::events`](crate::chat::events).
///
/// Nothing is read from the connection but what is asked for, so a slow reader slows the provider
/// down instead of filling the memory.
///
/// # Cancellation
///
/// Dropping it closes the connection, and the provider stops.
#[must_use = "an answer is read by nobody else"]
pub struct ChatResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(crate) bytes: ResponseBytes,
    pub(crate) watchdog: Watchdog,
    pub(crate) names: ToolNames,
}

/// The bytes of a [`ChatResponse`]. It ends after the first failure, which is
/// [`FailureCode::StreamInterrupted`].
#[must_use = "streams do nothing unless polled"]
pub struct ResponseBytes {
    body: Option<Body>,
}

type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

impl ChatResponse {
    /// The HTTP status: a good one.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The value of a header, when it is there and is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The id that the provider gave the request, for its support.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        request_id(&self.headers)
    }

    /// The media type of the body: `text/event-stream` as a rule, `application/json` of providers
    /// that do not stream.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        content_type(&self.headers)
    }

    /// The names under which the request's tools were sent.
    #[must_use]
    pub fn tool_names(&self) -> &ToolNames {
        &self.names
    }

    /// The bare bytes, for other uses than [`chat::events`](crate::chat::events). The limits on
    /// silence are lost: they need frames to go by.
    pub fn into_bytes(self) -> ResponseBytes {
        self.bytes
    }
}

impl ResponseBytes {
    pub(super) fn new(response: reqwest::Response) -> Self {
        Self {
            body: Some(Box::pin(response.bytes_stream())),
        }
    }
}

impl Stream for ResponseBytes {
    type Item = Result<Bytes, Failure>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Failure>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let next = std::task::ready!(body.as_mut().poll_next(context));
        let next = next.map(|bytes| {
            bytes.map_err(|err| FailureCode::StreamInterrupted.caused_by(err.without_url()))
        });
        if !matches!(next, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(next)
    }
}

pub(super) fn request_id(headers: &HeaderMap) -> Option<&str> {
    let names = ["x-request-id", "mistral-correlation-id", "apim-request-id"];
    names
        .into_iter()
        .find_map(|name| headers.get(name)?.to_str().ok())
}

pub(super) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(CONTENT_TYPE)?.to_str().ok()
}

impl fmt::Debug for ChatResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatResponse")
            .field("status", &self.status)
            .field("request_id", &self.request_id())
            .field("content_type", &self.content_type())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ResponseBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBytes")
            .field("over", &self.body.is_none())
            .finish_non_exhaustive()
    }
}
