//! One call: attempts, until one is answered or none is left.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use apron_emit::Failure;
use bytes::{Bytes, BytesMut};
use reqwest::Method;
use reqwest::header::HeaderMap;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::Inner;
use super::endpoint::Endpoint;
use super::response::{ChatResponse, ResponseBytes, content_type, request_id};
use super::retry::{Retries, Verdict};
use super::watchdog::Watchdog;
use crate::failure_code::FailureCode;
use crate::http_error::{HttpError, retry_after};
use crate::request::ChatRequest;

/// Bytes that are kept of an error's body.
const ERROR_BODY: usize = 64 * 1024;
/// How long an error's body may take. What is there by then has to do.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);

/// Sends a request, and again if need be.
pub(super) async fn send(inner: Arc<Inner>, request: ChatRequest) -> Result<ChatResponse, Failure> {
    let (body, names) = {
        let rendered = request.render(Some(inner.flavor));
        if let Some(refusal) = rendered.refusal {
            return Err(FailureCode::InvalidRequest.caused_by(refusal));
        }
        if !rendered.repairs.is_empty() {
            tracing::debug!(repairs = ?rendered.repairs, "the conversation was mended");
        }
        let body = serde_json::to_vec(&rendered.body).map_err(Failure::internal)?;
        (Bytes::from(body), rendered.names)
    };
    // By now the body is all that is needed of what may be a long conversation.
    drop(request);
    let call = inner.calls.fetch_add(1, Ordering::Relaxed);
    let mut retries = Retries::new(inner.retry, call);
    loop {
        let begun = Instant::now();
        match inner.attempt(body.clone()).await {
            Ok(response) => {
                let first_event = inner.first_event.saturating_sub(begun.elapsed());
                return Ok(ChatResponse {
                    status: response.status().as_u16(),
                    headers: response.headers().clone(),
                    bytes: ResponseBytes::new(response),
                    watchdog: Watchdog::new(first_event, inner.idle),
                    names,
                });
            }
            Err(Missed { failure, verdict }) => {
                let Some(wait) = retries.next(verdict) else {
                    return Err(failure);
                };
                tracing::debug!(
                    code = failure.code(),
                    ?wait,
                    "a call to the provider is repeated"
                );
                sleep(wait).await;
            }
        }
    }
}

/// An attempt without an answer.
struct Missed {
    failure: Failure,
    verdict: Verdict,
}

/// The provider did not begin to answer in time.
#[derive(Debug, thiserror::Error)]
#[error("the provider did not answer within {limit:?}")]
struct NoAnswer {
    limit: Duration,
}

impl Inner {
    async fn attempt(&self, body: Bytes) -> Result<reqwest::Response, Missed> {
        let endpoint = Endpoint::of(&*self.config, "/chat/completions")
            .map_err(|err| Missed::finally(Failure::internal(err)))?;
        let http = self
            .http
            .client(endpoint.is_https())
            .map_err(|cause| Missed::finally(FailureCode::ConnectFailed.caused_by(cause)))?;
        let request = http
            .request(Method::POST, endpoint.url)
            .headers(endpoint.headers)
            .body(body);
        // The limit also covers a connection that is set up but never answered.
        let limit = self.response.min(self.first_event);
        let response = match timeout(limit, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(err)) => return Err(Missed::by_transport(err)),
            Err(_) => {
                let cause = NoAnswer { limit };
                return Err(Missed::finally(FailureCode::Timeout.caused_by(cause)));
            }
        };
        let status = response.status();
        if status.is_success() && !is_page(response.headers()) {
            return Ok(response);
        }
        let header = |name| response.headers().get(name)?.to_str().ok();
        let wish = header("x-should-retry").map(str::to_owned);
        let retry_after = retry_after(header, SystemTime::now());
        let request_id = request_id(response.headers()).map(str::to_owned);
        let mut error = HttpError::new(status.as_u16(), error_body(response).await);
        error.retry_after = retry_after;
        error.request_id = request_id;
        Err(Missed {
            verdict: Verdict::of(&error, wish.as_deref()),
            failure: error.into_failure(),
        })
    }
}

impl Missed {
    fn finally(failure: Failure) -> Self {
        Self {
            failure,
            verdict: Verdict::Final,
        }
    }

    /// A connection that was not made, or broke before there was an answer. It is tried again, as
    /// the official clients do: a connection that was kept open for too long looks the same.
    fn by_transport(err: reqwest::Error) -> Self {
        // The address may hold a key.
        let err = err.without_url();
        if err.is_builder() || err.is_body() {
            return Self::finally(Failure::internal(err));
        }
        let code = if err.is_timeout() {
            FailureCode::Timeout
        } else {
            FailureCode::ConnectFailed
        };
        Self {
            failure: code.caused_by(err),
            verdict: Verdict::Transient(None),
        }
    }
}

/// True for a web page, which no provider answers with: a captive portal or a wrong address does.
fn is_page(headers: &HeaderMap) -> bool {
    let essence = content_type(headers).and_then(|it| it.split(';').next());
    essence.is_some_and(|it| it.trim().eq_ignore_ascii_case("text/html"))
}

/// Reads what an error says: no more than it takes to know, and no longer.
async fn error_body(mut response: reqwest::Response) -> String {
    let deadline = Instant::now() + ERROR_BODY_TIME;
    let mut body = BytesMut::new();
    while body.len() < ERROR_BODY {
        let Ok(Ok(Some(bytes))) = timeout_at(deadline, response.chunk()).await else {
            break;
        };
        body.extend_from_slice(&bytes);
    }
    body.truncate(ERROR_BODY);
    String::from_utf8_lossy(&body).into_owned()
}
