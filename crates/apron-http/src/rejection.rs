//! Requests that are turned away.

use std::error::Error;
use std::fmt;

use apron_protocol::ProtocolVersion;

/// Why a request is not served: an HTTP status, a stable code and a fixed sentence.
///
/// None of the three says anything about the body. [`source`](Error::source) has the cause, whose
/// text may quote the body: look at it where you develop, and keep it out of answers and of shared
/// logs. `Debug` says where in the body the fault is, and quotes nothing.
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum Rejection {
    /// 415 `unsupported_media_type`: the content type is missing or no JSON.
    #[error("the content type is not json")]
    ContentType,
    /// 406 `not_acceptable`: `Accept` is there, and admits no event stream.
    #[error("accept does not admit text/event-stream")]
    Accept,
    /// 413 `body_too_large`.
    #[error("the body is over the limit of {limit} bytes")]
    TooLarge {
        /// The limit in force, in bytes.
        limit: usize,
    },
    /// 400 `body_unreadable`: the body broke off, or its transfer coding is wrong.
    #[error("the body could not be read to its end")]
    Body(#[source] Box<dyn Error + Send + Sync>),
    /// 400 `invalid_input`: the body is no JSON, or no `RunAgentInput`.
    #[error("the body is no run input")]
    Input(#[source] apron_protocol::Error),
    /// 400 `unsupported_protocol_version`: the client speaks a major version that is not
    /// implemented here.
    #[error("protocol version {0} is not implemented")]
    Version(ProtocolVersion),
}

impl Rejection {
    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.answer().0
    }

    /// The stable code, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.answer().1
    }

    /// The fixed sentence, for people.
    #[must_use]
    pub fn message(&self) -> &'static str {
        self.answer().2
    }

    /// The body of the answer: `{"code":"…","message":"…"}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let (_, code, message) = self.answer();
        serde_json::json!({ "code": code, "message": message }).to_string()
    }

    /// The headers of the answer.
    #[must_use]
    pub fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("content-type", "application/json"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("vary", "accept"),
        ]
    }

    fn answer(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::ContentType => (
                415,
                "unsupported_media_type",
                "The request body must be JSON, with the content type application/json.",
            ),
            Self::Accept => (
                406,
                "not_acceptable",
                "The answer is an event stream, so Accept must admit text/event-stream.",
            ),
            Self::TooLarge { .. } => (413, "body_too_large", "The request body is too large."),
            Self::Body(_) => (
                400,
                "body_unreadable",
                "The request body could not be read to its end.",
            ),
            Self::Input(_) => (
                400,
                "invalid_input",
                "The request body is not a valid RunAgentInput.",
            ),
            Self::Version(_) => (
                400,
                "unsupported_protocol_version",
                "This server speaks AG-UI 1; the request asks for another major version.",
            ),
        }
    }
}

impl fmt::Debug for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Rejection");
        out.field("status", &self.status());
        out.field("code", &self.code());
        match self {
            Self::TooLarge { limit } => out.field("limit", limit),
            Self::Version(version) => out.field("version", version),
            Self::Input(apron_protocol::Error::Input(cause)) => out
                .field("category", &cause.classify())
                .field("line", &cause.line())
                .field("column", &cause.column()),
            Self::ContentType | Self::Accept | Self::Body(_) | Self::Input(_) => &mut out,
        };
        out.finish_non_exhaustive()
    }
}
