//! Text messages: start, content, end, and the chunk form.

use serde::{Deserialize, Serialize};

use super::common::{Common, attributable};
use crate::ids::MessageId;
use crate::text::Text;

/// Who speaks in a streamed text message.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(
    clippy::exhaustive_enums,
    reason = "a closed enum of the protocol: an unknown role is fatal"
)]
pub enum TextMessageRole {
    /// Instructions of the developer.
    Developer,
    /// Instructions of the system.
    System,
    /// The agent. What an absent role means.
    Assistant,
    /// The person.
    User,
}

/// `TEXT_MESSAGE_START`: opens a message.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextMessageStart {
    /// The message's id.
    pub message_id: MessageId,
    /// Who speaks; absent means the assistant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<TextMessageRole>,
    /// A name for the speaker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `TEXT_MESSAGE_CONTENT`: appends to an open message.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextMessageContent {
    /// The open message.
    pub message_id: MessageId,
    /// What to append. Empty is legal in 1.0 and fatal to 0.x clients.
    pub delta: Text,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `TEXT_MESSAGE_END`: closes a message.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextMessageEnd {
    /// The open message.
    pub message_id: MessageId,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `TEXT_MESSAGE_CHUNK`: the shorthand that a client expands to start, content and end.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextMessageChunk {
    /// The message; required on its first chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// Who speaks; a repeat must equal the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<TextMessageRole>,
    /// What to append.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Text>,
    /// A name for the speaker; a repeat must equal the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

attributable!(TextMessageStart);
attributable!(TextMessageContent);
attributable!(TextMessageEnd);
attributable!(TextMessageChunk);

impl TextMessageStart {
    /// Opens an assistant message, with the role spelled out: not every client assumes it.
    #[must_use]
    pub fn new(message_id: impl Into<MessageId>) -> Self {
        Self {
            message_id: message_id.into(),
            role: Some(TextMessageRole::Assistant),
            name: None,
            common: Common::default(),
        }
    }

    /// Sets who speaks.
    #[must_use]
    pub fn with_role(mut self, role: TextMessageRole) -> Self {
        self.role = Some(role);
        self
    }

    /// Names the speaker.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl TextMessageContent {
    /// Appends `delta` to an open message.
    #[must_use]
    pub fn new(message_id: impl Into<MessageId>, delta: impl Into<Text>) -> Self {
        Self {
            message_id: message_id.into(),
            delta: delta.into(),
            common: Common::default(),
        }
    }
}

impl TextMessageChunk {
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

    /// Sets who speaks.
    #[must_use]
    pub fn with_role(mut self, role: TextMessageRole) -> Self {
        self.role = Some(role);
        self
    }

    /// Appends `delta`.
    #[must_use]
    pub fn with_delta(mut self, delta: impl Into<Text>) -> Self {
        self.delta = Some(delta.into());
        self
    }

    /// Names the speaker.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl TextMessageEnd {
    /// Closes an open message.
    #[must_use]
    pub fn new(message_id: impl Into<MessageId>) -> Self {
        Self {
            message_id: message_id.into(),
            common: Common::default(),
        }
    }
}
