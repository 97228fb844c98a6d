//! Reasoning: spans, the messages inside them, encrypted values, and the chunk form.

use serde::{Deserialize, Serialize};

use super::common::{Common, attributable};
use crate::ids::MessageId;
use crate::text::Text;

/// `REASONING_START`: opens a span. It may share its id with a message inside it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningStart {
    /// The span's id.
    pub message_id: MessageId,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `REASONING_END`: closes a span.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningEnd {
    /// The open span.
    pub message_id: MessageId,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// The one role a reasoning message may name; required on the wire.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "a constant of the protocol")]
pub enum ReasoningRole {
    /// `"reasoning"`.
    #[default]
    Reasoning,
}

/// `REASONING_MESSAGE_START`: opens a message of reasoning.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningMessageStart {
    /// The message's id.
    pub message_id: MessageId,
    /// Always `"reasoning"`.
    pub role: ReasoningRole,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `REASONING_MESSAGE_CONTENT`: appends to an open message of reasoning.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningMessageContent {
    /// The open message.
    pub message_id: MessageId,
    /// What to append.
    pub delta: Text,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `REASONING_MESSAGE_END`: closes a message of reasoning.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningMessageEnd {
    /// The open message.
    pub message_id: MessageId,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `REASONING_MESSAGE_CHUNK`: the shorthand that a client expands to start, content and end.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningMessageChunk {
    /// The message; required on its first chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// What to append.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Text>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// What a [`ReasoningEncryptedValue`] belongs to.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(
    clippy::exhaustive_enums,
    reason = "a closed enum of the protocol: an unknown value is fatal"
)]
pub enum ReasoningEncryptedValueSubtype {
    /// A tool call.
    ToolCall,
    /// A message.
    Message,
}

/// `REASONING_ENCRYPTED_VALUE`: hidden reasoning that the client stores on a message or a call and
/// sends back.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningEncryptedValue {
    /// The kind of entity.
    pub subtype: ReasoningEncryptedValueSubtype,
    /// The message's or the call's id.
    pub entity_id: MessageId,
    /// The value, opaque to the client.
    pub encrypted_value: String,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

attributable!(ReasoningStart);
attributable!(ReasoningEnd);
attributable!(ReasoningMessageStart);
attributable!(ReasoningMessageContent);
attributable!(ReasoningMessageEnd);
attributable!(ReasoningMessageChunk);
attributable!(ReasoningEncryptedValue);

impl ReasoningStart {
    /// Opens a span.
    #[must_use]
    pub fn new(message_id: impl Into<MessageId>) -> Self {
        Self {
            message_id: message_id.into(),
            common: Common::default(),
        }
    }
}

impl ReasoningEnd {
    /// Closes an open span.
    #[must_use]
    pub fn new(message_id: impl Into<MessageId>) -> Self {
        Self {
            message_id: message_id.into(),
            common: Common::default(),
        }
    }
}

impl ReasoningMessageStart {
    /// Opens a message of reasoning.
    #[must_use]
    pub fn new(message_id: impl Into<MessageId>) -> Self {
        Self {
            message_id: message_id.into(),
            role: ReasoningRole::Reasoning,
            common: Common::default(),
        }
    }
}

impl ReasoningMessageContent {
    /// Appends `delta` to an open message of reasoning.
    #[must_use]
    pub fn new(message_id: impl Into<MessageId>, delta: impl Into<Text>) -> Self {
        Self {
            message_id: message_id.into(),
            delta: delta.into(),
            common: Common::default(),
        }
    }
}

impl ReasoningMessageEnd {
    /// Closes an open message of reasoning.
    #[must_use]
    pub fn new(message_id: impl Into<MessageId>) -> Self {
        Self {
            message_id: message_id.into(),
            common: Common::default(),
        }
    }
}

impl ReasoningMessageChunk {
    /// A chunk with nothing set. The first of a message needs an id.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the message.
    #[must_use]
    pub fn with_message_id(mut self, id: impl Into<MessageId>) -> Self {
        self.message_id = Some(id.into());
        self
    }

    /// Appends `delta`.
    #[must_use]
    pub fn with_delta(mut self, delta: impl Into<Text>) -> Self {
        self.delta = Some(delta.into());
        self
    }
}

impl ReasoningEncryptedValue {
    /// A value that belongs to a message.
    #[must_use]
    pub fn of_message(id: impl Into<MessageId>, value: impl Into<String>) -> Self {
        Self {
            subtype: ReasoningEncryptedValueSubtype::Message,
            entity_id: id.into(),
            encrypted_value: value.into(),
            common: Common::default(),
        }
    }

    /// A value that belongs to a tool call.
    #[must_use]
    pub fn of_tool_call(id: &crate::ids::ToolCallId, value: impl Into<String>) -> Self {
        Self {
            subtype: ReasoningEncryptedValueSubtype::ToolCall,
            entity_id: id.into(),
            encrypted_value: value.into(),
            common: Common::default(),
        }
    }
}
