//! What makes a conversation unfit to be sent.

use apron_protocol::ToolCallId;

/// Why a [`ChatRequest`](super::ChatRequest) must not be sent: the client's input is at fault.
///
/// It may quote the client, so it is for the log and not for the wire.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Two tools of one side share a name, so nobody could say which one is called.
    #[error("there are two tools named {name:?}")]
    DuplicateTool {
        /// The name.
        name: String,
    },
    /// More tools than providers accept.
    #[error("there are {count} tools, and {limit} are the limit", limit = super::tools::MAX_TOOLS)]
    TooManyTools {
        /// How many there are, the server's included.
        count: usize,
    },
    /// The newest message calls tools, and not all of them are answered.
    #[error("the tool call {id:?} is not answered")]
    UnansweredCall {
        /// The call.
        id: ToolCallId,
    },
    /// A forwarded property that the server allows has a value that it cannot have.
    #[error("the forwarded property {key:?} has an unusable value")]
    ForwardedProp {
        /// The property.
        key: String,
    },
    /// The client's response schema is no JSON object.
    #[error("the response schema is no object")]
    ResponseSchema,
}
