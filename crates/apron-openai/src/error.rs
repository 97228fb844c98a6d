//! What can go wrong, and whose doing it is.

use crate::provider_error::ProviderError;

/// Why a model call failed: the cause behind a [`Failure`](apron_emit::Failure).
///
/// It may quote the provider, so it is for the log and not for the wire.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The provider reported an error.
    #[error("the provider failed")]
    Provider(#[from] ProviderError),
    /// A piece of the stream is no JSON.
    #[error("chunk {at} of the stream is no JSON")]
    Malformed {
        /// Which one, counted from 1.
        at: u64,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// The stream's frames cannot be read.
    #[error("the stream's framing is broken")]
    Framing(#[from] apron_sse::Error),
    /// A JSON document in the answer is over the limit.
    #[error("a JSON document is over the limit of {limit} bytes")]
    TooLarge {
        /// The limit in force, in bytes.
        limit: usize,
    },
    /// The stream has more tool calls than anybody could answer.
    #[error("more than {limit} tool calls in one answer")]
    TooManyCalls {
        /// The limit in force.
        limit: usize,
    },
    /// A chunk of the caller's own stream cannot be written as JSON.
    #[error("a chunk cannot be written as JSON")]
    Unserializable(#[source] serde_json::Error),
    /// The stream ended without `finish_reason` and without a closing usage report.
    #[error("the stream ended after {chunks} chunks without a sign of completion{}", field.as_ref().map(|it| format!(", and with the field {it:?}")).unwrap_or_default())]
    Truncated {
        /// How many chunks there were.
        chunks: u64,
        /// What came in an SSE field named `error`, which parsers are bound to ignore.
        field: Option<String>,
    },
    /// The answer has not a single chunk.
    #[error("the answer has no chunk; was streaming asked for?")]
    Empty,
    /// The model's tool call has arguments and no name.
    #[error("a tool call has no name")]
    Nameless,
    /// The model was cut off while it wrote a tool call.
    #[error("the answer was cut off inside a tool call")]
    CutCall,
    /// The provider's filter stopped the answer.
    #[error("a content filter stopped the answer")]
    Filtered,
    /// The model declined.
    #[error("the model declined")]
    Refused,
    /// The provider ended with `finish_reason: "error"` and no other word.
    #[error("the stream ended with finish_reason \"error\"")]
    FinishedInError,
}
