//! An answer that is no answer: a status, headers and a body that say what went wrong.

mod retry_after;

use std::fmt;
use std::time::Duration;

use apron_emit::Failure;

pub(crate) use self::retry_after::retry_after;
use crate::failure_code::FailureCode;
use crate::provider_error::ProviderError;

/// What the provider answered with instead of a stream.
///
/// It is the cause of the [`Failure`] that a call ends with, for the log: the body may quote keys,
/// account ids and prompts.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpError {
    /// The HTTP status. It is 200 when a web page came with it, as captive portals and mistyped
    /// addresses send.
    pub status: u16,
    /// The id that the provider gave the request, for its support.
    pub request_id: Option<String>,
    /// How long the provider asks to wait, by whichever header it says so.
    pub retry_after: Option<Duration>,
    /// The body, at most 64 KiB of it, as far as it is text.
    pub body: String,
    /// What the body says, as far as it can be told.
    pub provider: ProviderError,
}

impl HttpError {
    /// An error with the given status and body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        let body = body.into();
        Self {
            status,
            request_id: None,
            retry_after: None,
            provider: ProviderError::from_body(status, &body),
            body,
        }
    }

    /// The code that the run fails with.
    #[must_use]
    pub fn failure_code(&self) -> FailureCode {
        // Whatever a page says under a good status, it is not what a provider says.
        if self.status < 400 {
            return FailureCode::ProviderError;
        }
        self.provider.failure_code()
    }

    /// The failure of the run: a code and its sentence, with the error as its cause.
    #[must_use]
    pub fn into_failure(self) -> Failure {
        let failure = self.failure_code().failure();
        let failure = match self.retry_after {
            Some(wait) => failure.with_retry_after(wait),
            None => failure,
        };
        failure.with_cause(self)
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the provider answered with status {}", self.status)?;
        match &self.request_id {
            Some(id) => write!(f, " to request {id:?}"),
            None => Ok(()),
        }
    }
}

/// Without the body, which a log gets on demand only.
impl fmt::Debug for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpError")
            .field("status", &self.status)
            .field("request_id", &self.request_id)
            .field("retry_after", &self.retry_after)
            .field("body_bytes", &self.body.len())
            .field("provider", &self.provider)
            .finish()
    }
}

impl std::error::Error for HttpError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.provider)
    }
}
