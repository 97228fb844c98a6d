//! Tool calls: start, arguments, end, result, and the chunk form.

use serde::{Deserialize, Serialize};

use super::common::{Common, attributable};
use crate::ids::{MessageId, ToolCallId};
use crate::message::Content;
use crate::text::Text;

/// `TOOL_CALL_START`: opens a call.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCallStart {
    /// The call's id.
    pub tool_call_id: ToolCallId,
    /// The tool.
    pub tool_call_name: String,
    /// The assistant message that makes the call. Absent: the client mints one with the call's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_message_id: Option<MessageId>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `TOOL_CALL_ARGS`: appends to the argument text of an open call.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCallArgs {
    /// The open call.
    pub tool_call_id: ToolCallId,
    /// A piece of JSON text. The protocol never validates it.
    pub delta: Text,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `TOOL_CALL_END`: the arguments are complete.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCallEnd {
    /// The open call.
    pub tool_call_id: ToolCallId,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `TOOL_CALL_RESULT`: the answer to a call that the server ran. It becomes a tool message of its own.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCallResult {
    /// The tool message's id.
    pub message_id: MessageId,
    /// The call that is answered.
    pub tool_call_id: ToolCallId,
    /// The answer: text, or content parts (1.0; fatal to 0.x clients).
    pub content: Content,
    /// Always the tool's; absent on the wire unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ToolRole>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// The one role a tool result may name.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "a constant of the protocol")]
pub enum ToolRole {
    /// `"tool"`.
    #[default]
    Tool,
}

/// `TOOL_CALL_CHUNK`: the shorthand that a client expands to start, arguments and end.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCallChunk {
    /// The call; required on its first chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<ToolCallId>,
    /// The tool; required on the first chunk, and a repeat must equal it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_name: Option<String>,
    /// The assistant message that makes the call; a repeat must equal the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_message_id: Option<MessageId>,
    /// A piece of JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Text>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

attributable!(ToolCallStart);
attributable!(ToolCallArgs);
attributable!(ToolCallEnd);
attributable!(ToolCallResult);
attributable!(ToolCallChunk);

impl ToolCallStart {
    /// Opens a call without a parent message.
    #[must_use]
    pub fn new(tool_call_id: impl Into<ToolCallId>, name: impl Into<String>) -> Self {
        Self {
            tool_call_id: tool_call_id.into(),
            tool_call_name: name.into(),
            parent_message_id: None,
            common: Common::default(),
        }
    }

    /// Names the assistant message that makes the call.
    #[must_use]
    pub fn with_parent_message_id(mut self, id: impl Into<MessageId>) -> Self {
        self.parent_message_id = Some(id.into());
        self
    }
}

impl ToolCallArgs {
    /// Appends `delta` to the arguments of an open call.
    #[must_use]
    pub fn new(tool_call_id: impl Into<ToolCallId>, delta: impl Into<Text>) -> Self {
        Self {
            tool_call_id: tool_call_id.into(),
            delta: delta.into(),
            common: Common::default(),
        }
    }
}

impl ToolCallEnd {
    /// Closes an open call.
    #[must_use]
    pub fn new(tool_call_id: impl Into<ToolCallId>) -> Self {
        Self {
            tool_call_id: tool_call_id.into(),
            common: Common::default(),
        }
    }
}

impl ToolCallResult {
    /// Answers a call.
    #[must_use]
    pub fn new(
        message_id: impl Into<MessageId>,
        tool_call_id: impl Into<ToolCallId>,
        content: impl Into<Content>,
    ) -> Self {
        Self {
            message_id: message_id.into(),
            tool_call_id: tool_call_id.into(),
            content: content.into(),
            role: None,
            common: Common::default(),
        }
    }

    /// Spells out the role, which is otherwise absent.
    #[must_use]
    pub fn with_role(mut self) -> Self {
        self.role = Some(ToolRole::Tool);
        self
    }
}

impl ToolCallChunk {
    /// A chunk with nothing set. The first of a call needs an id and a tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the call.
    #[must_use]
    pub fn with_tool_call_id(mut self, id: impl Into<ToolCallId>) -> Self {
        self.tool_call_id = Some(id.into());
        self
    }

    /// Names the tool.
    #[must_use]
    pub fn with_tool_call_name(mut self, name: impl Into<String>) -> Self {
        self.tool_call_name = Some(name.into());
        self
    }

    /// Names the assistant message that makes the call.
    #[must_use]
    pub fn with_parent_message_id(mut self, id: impl Into<MessageId>) -> Self {
        self.parent_message_id = Some(id.into());
        self
    }

    /// Appends `delta` to the arguments.
    #[must_use]
    pub fn with_delta(mut self, delta: impl Into<Text>) -> Self {
        self.delta = Some(delta.into());
        self
    }
}
