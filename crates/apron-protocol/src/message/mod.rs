//! Messages: what a conversation remembers.

mod call;
mod content;
mod part;
mod roles;
mod wire;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::call::{FunctionCall, ToolCall, ToolCallKind};
pub use self::content::{Content, ContentPart, MediaPart, PartSource, TextPart};
pub use self::roles::{
    ActivityMessage, AssistantMessage, InstructionMessage, ReasoningMessage, ToolMessage,
    UserMessage,
};
pub(crate) use self::wire::Messages;
use self::wire::WireMessage;
use crate::ids::{MessageId, SubagentRunId, ToolCallId};
use crate::notes::Notes;
use crate::slot;

/// A message of the conversation, by role.
///
/// Reading is lenient as a 1.0 consumer must be: nulls of optional members are absent, unknown
/// members are ignored, content parts of an unknown type are left out. In a list, a message of an
/// unknown role is left out too.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Message {
    /// Instructions of the developer.
    Developer(InstructionMessage),
    /// Instructions of the system.
    System(InstructionMessage),
    /// What the agent said and which tools it called.
    Assistant(AssistantMessage),
    /// What the person said.
    User(UserMessage),
    /// The answer to a tool call.
    Tool(ToolMessage),
    /// Structured progress. It never reaches the model.
    Activity(ActivityMessage),
    /// What the agent thought.
    Reasoning(ReasoningMessage),
}

impl Message {
    /// The message's id.
    #[must_use]
    pub fn id(&self) -> &MessageId {
        match self {
            Self::Developer(message) | Self::System(message) => &message.id,
            Self::Assistant(message) => &message.id,
            Self::User(message) => &message.id,
            Self::Tool(message) => &message.id,
            Self::Activity(message) => &message.id,
            Self::Reasoning(message) => &message.id,
        }
    }

    /// The role's name on the wire.
    #[must_use]
    pub fn role(&self) -> &'static str {
        match self {
            Self::Developer(_) => "developer",
            Self::System(_) => "system",
            Self::Assistant(_) => "assistant",
            Self::User(_) => "user",
            Self::Tool(_) => "tool",
            Self::Activity(_) => "activity",
            Self::Reasoning(_) => "reasoning",
        }
    }

    /// The subagent invocation that the message belongs to.
    #[must_use]
    pub fn subagent_run_id(&self) -> Option<&SubagentRunId> {
        match self {
            Self::Developer(message) | Self::System(message) => message.subagent_run_id.as_ref(),
            Self::Assistant(message) => message.subagent_run_id.as_ref(),
            Self::User(message) => message.subagent_run_id.as_ref(),
            Self::Tool(message) => message.subagent_run_id.as_ref(),
            Self::Activity(message) => message.subagent_run_id.as_ref(),
            Self::Reasoning(message) => message.subagent_run_id.as_ref(),
        }
    }

    /// A message of the person.
    #[must_use]
    pub fn user(id: impl Into<MessageId>, content: impl Into<Content>) -> Self {
        Self::User(UserMessage::new(id, content))
    }

    /// A message of the agent that only speaks.
    #[must_use]
    pub fn assistant(id: impl Into<MessageId>, content: impl Into<String>) -> Self {
        Self::Assistant(AssistantMessage::new(id).with_content(content))
    }

    /// Instructions of the system.
    #[must_use]
    pub fn system(id: impl Into<MessageId>, content: impl Into<String>) -> Self {
        Self::System(InstructionMessage::new(id, content))
    }

    /// Instructions of the developer.
    #[must_use]
    pub fn developer(id: impl Into<MessageId>, content: impl Into<String>) -> Self {
        Self::Developer(InstructionMessage::new(id, content))
    }

    /// What the agent thought.
    #[must_use]
    pub fn reasoning(id: impl Into<MessageId>, content: impl Into<String>) -> Self {
        Self::Reasoning(ReasoningMessage::new(id, content))
    }

    /// The answer to a tool call.
    #[must_use]
    pub fn tool(
        id: impl Into<MessageId>,
        tool_call_id: impl Into<ToolCallId>,
        content: impl Into<Content>,
    ) -> Self {
        Self::Tool(ToolMessage::new(id, tool_call_id, content))
    }
}

/// Lets a message of one role be passed where a message is wanted.
macro_rules! from_role {
    ($($role:ident($name:ident))+) => {$(
        impl From<$name> for Message {
            fn from(message: $name) -> Self {
                Self::$role(message)
            }
        }
    )+};
}

from_role! {
    Assistant(AssistantMessage)
    User(UserMessage)
    Tool(ToolMessage)
    Activity(ActivityMessage)
    Reasoning(ReasoningMessage)
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |wire: WireMessage| wire.read(&mut Notes::default());
        slot::whole(deserializer, "message", read)?
            .ok_or_else(|| D::Error::custom("a message of an unknown role"))
    }
}

/// Reads a message list and leaves out messages of an unknown role.
pub(crate) fn messages<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Message>, D::Error> {
    Messages::deserialize(deserializer).map(|messages| messages.list)
}
