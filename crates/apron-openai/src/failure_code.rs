//! The codes a run may fail with when its provider does, each with its public sentence.

use std::fmt;

use apron_emit::{BoxError, Failure};

/// Why a model call failed, as it goes into `RUN_ERROR`.
///
/// The code is stable, the sentence is fixed, and neither holds anything that the provider said:
/// that is in the cause, for the log.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FailureCode {
    /// `rate_limit_exceeded`: too many requests or tokens for now; HTTP 429.
    RateLimitExceeded,
    /// `insufficient_quota`: the account's budget is spent; HTTP 402 and some 429.
    InsufficientQuota,
    /// `authentication_error`: the provider refuses our key; HTTP 401 and 403.
    AuthenticationError,
    /// `invalid_request`: the provider refuses what we asked; HTTP 400, 422 and other 4xx.
    InvalidRequest,
    /// `context_length_exceeded`: the conversation does not fit into the model.
    ContextLengthExceeded,
    /// `model_not_found`: there is no such model, or not for us; HTTP 404.
    ModelNotFound,
    /// `content_filter`: a filter stopped the answer before there was one.
    ContentFilter,
    /// `max_output_tokens`: the output limit cut a tool call, which must not be run.
    MaxOutputTokens,
    /// `refusal`: the model declined where only a structured answer will do.
    Refusal,
    /// `tool_call_invalid`: the model called a tool in a way that nobody can read.
    ToolCallInvalid,
    /// `provider_overloaded`: no capacity for now; HTTP 503 and 529.
    ProviderOverloaded,
    /// `provider_error`: the provider failed; HTTP 5xx, and whatever it does not explain.
    ProviderError,
    /// `connect_failed`: there was no connection to the provider.
    ConnectFailed,
    /// `timeout`: the provider did not connect, answer or go on in time.
    Timeout,
    /// `stream_interrupted`: the connection broke in the middle of the answer.
    StreamInterrupted,
    /// `stream_truncated`: the answer ended without any sign of being complete.
    StreamTruncated,
    /// `decode_error`: the provider sent something that is not its own format.
    DecodeError,
    /// `empty_response`: the provider sent nothing at all.
    EmptyResponse,
    /// `internal_error`: our own fault.
    InternalError,
}

impl FailureCode {
    /// Every code. Tests walk it, so that a new one is loud.
    pub const ALL: [Self; 19] = [
        Self::RateLimitExceeded,
        Self::InsufficientQuota,
        Self::AuthenticationError,
        Self::InvalidRequest,
        Self::ContextLengthExceeded,
        Self::ModelNotFound,
        Self::ContentFilter,
        Self::MaxOutputTokens,
        Self::Refusal,
        Self::ToolCallInvalid,
        Self::ProviderOverloaded,
        Self::ProviderError,
        Self::ConnectFailed,
        Self::Timeout,
        Self::StreamInterrupted,
        Self::StreamTruncated,
        Self::DecodeError,
        Self::EmptyResponse,
        Self::InternalError,
    ];

    /// The code on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The sentence for the user.
    #[must_use]
    pub const fn message(self) -> &'static str {
        self.row().1
    }

    /// A failure with this code and its sentence.
    #[must_use]
    pub fn failure(self) -> Failure {
        Failure::new(self.as_str(), self.message())
    }

    /// A failure with this code, its sentence, and the cause for the log.
    #[must_use]
    pub fn caused_by(self, cause: impl Into<BoxError>) -> Failure {
        self.failure().with_cause(cause)
    }

    /// The table: code and sentence.
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::RateLimitExceeded => (
                "rate_limit_exceeded",
                "The model is handling too many requests right now. Try again in a moment.",
            ),
            Self::InsufficientQuota => (
                "insufficient_quota",
                "The model provider's quota is used up.",
            ),
            Self::AuthenticationError => (
                "authentication_error",
                "The model provider refused the server's credentials.",
            ),
            Self::InvalidRequest => (
                "invalid_request",
                "The model provider did not accept the request.",
            ),
            Self::ContextLengthExceeded => (
                "context_length_exceeded",
                "The conversation is too long for the model.",
            ),
            Self::ModelNotFound => ("model_not_found", "The model is not available."),
            Self::ContentFilter => (
                "content_filter",
                "The answer was stopped by a content filter.",
            ),
            Self::MaxOutputTokens => (
                "max_output_tokens",
                "The answer was cut off by the output limit.",
            ),
            Self::Refusal => ("refusal", "The model declined to answer."),
            Self::ToolCallInvalid => (
                "tool_call_invalid",
                "The model made a tool call that could not be read.",
            ),
            Self::ProviderOverloaded => (
                "provider_overloaded",
                "The model provider is overloaded. Try again in a moment.",
            ),
            Self::ProviderError => ("provider_error", "The model provider reported an error."),
            Self::ConnectFailed => ("connect_failed", "The model provider could not be reached."),
            Self::Timeout => ("timeout", "The model provider took too long."),
            Self::StreamInterrupted => (
                "stream_interrupted",
                "The connection to the model provider broke.",
            ),
            Self::StreamTruncated => (
                "stream_truncated",
                "The answer ended before it was complete.",
            ),
            Self::DecodeError => (
                "decode_error",
                "The model provider's answer could not be read.",
            ),
            Self::EmptyResponse => ("empty_response", "The model provider sent no answer."),
            Self::InternalError => (Failure::INTERNAL, "The run failed."),
        }
    }
}

impl fmt::Display for FailureCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_sentences_are_sentences() {
        for (at, code) in FailureCode::ALL.iter().enumerate() {
            let before = &FailureCode::ALL[..at];
            assert!(before.iter().all(|other| other.as_str() != code.as_str()));
            assert!(code.message().ends_with('.'), "{code}");
        }
    }
}
