//! Messages: what a conversation remembers.

mod content;
mod wire;

use serde::de::{Deserialize, Deserializer};
use serde::{Deserialize as DeriveDeserialize, Serialize};
use serde_json::{Map, Value};

pub use self::content::{Content, ContentPart, MediaPart, PartSource, TextPart};
pub(crate) use self::wire::WireMessage;
use crate::ids::{MessageId, SubagentRunId, ToolCallId};
use crate::notes::Notes;

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

/// A message of the developer or the system.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InstructionMessage {
    /// The message's id.
    pub id: MessageId,
    /// The instructions.
    pub content: String,
    /// A name for the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Hidden reasoning to send back to the provider that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_value: Option<String>,
    /// Data of the producer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The subagent invocation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_run_id: Option<SubagentRunId>,
}

/// A message of the agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AssistantMessage {
    /// The message's id.
    pub id: MessageId,
    /// What it said; absent when it only called tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The tools it called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// A name for the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Hidden reasoning to send back to the provider that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_value: Option<String>,
    /// Data of the producer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The subagent invocation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_run_id: Option<SubagentRunId>,
}

/// A message of the person.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserMessage {
    /// The message's id.
    pub id: MessageId,
    /// What the person said or attached.
    pub content: Content,
    /// A name for the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Hidden reasoning to send back to the provider that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_value: Option<String>,
    /// Data of the producer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The subagent invocation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_run_id: Option<SubagentRunId>,
}

/// The answer to a tool call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolMessage {
    /// The message's id.
    pub id: MessageId,
    /// The call it answers.
    pub tool_call_id: ToolCallId,
    /// The answer.
    pub content: Content,
    /// What went wrong, when the tool failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Hidden reasoning to send back to the provider that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_value: Option<String>,
    /// Data of the producer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The subagent invocation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_run_id: Option<SubagentRunId>,
}

/// Structured progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ActivityMessage {
    /// The message's id.
    pub id: MessageId,
    /// What kind of activity it is.
    pub activity_type: String,
    /// The content; always an object.
    pub content: Map<String, Value>,
    /// Data of the producer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The subagent invocation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_run_id: Option<SubagentRunId>,
}

/// What the agent thought.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningMessage {
    /// The message's id.
    pub id: MessageId,
    /// The thought.
    pub content: String,
    /// Hidden reasoning to send back to the provider that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_value: Option<String>,
    /// Data of the producer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The subagent invocation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_run_id: Option<SubagentRunId>,
}

/// A tool call of an [`AssistantMessage`].
#[derive(Clone, Debug, DeriveDeserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCall {
    /// The call's id.
    pub id: ToolCallId,
    /// Always `"function"`.
    #[serde(rename = "type", default)]
    pub kind: ToolCallKind,
    /// What is called.
    pub function: FunctionCall,
    /// Hidden reasoning to send back to the provider that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_value: Option<String>,
    /// Data of the producer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// The one kind of tool call there is.
#[derive(Clone, Copy, Debug, Default, DeriveDeserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "a constant of the protocol")]
pub enum ToolCallKind {
    /// `"function"`.
    #[default]
    Function,
}

/// The function that a [`ToolCall`] names.
#[derive(Clone, Debug, DeriveDeserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FunctionCall {
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON text by intention, never checked here.
    pub arguments: String,
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
        Self::User(UserMessage {
            id: id.into(),
            content: content.into(),
            name: None,
            encrypted_value: None,
            metadata: None,
            subagent_run_id: None,
        })
    }

    /// A message of the agent that only speaks.
    #[must_use]
    pub fn assistant(id: impl Into<MessageId>, content: impl Into<String>) -> Self {
        let mut message = AssistantMessage::new(id);
        message.content = Some(content.into());
        Self::Assistant(message)
    }

    /// Instructions of the system.
    #[must_use]
    pub fn system(id: impl Into<MessageId>, content: impl Into<String>) -> Self {
        Self::System(InstructionMessage::new(id, content))
    }

    /// The answer to a tool call.
    #[must_use]
    pub fn tool(
        id: impl Into<MessageId>,
        tool_call_id: impl Into<ToolCallId>,
        content: impl Into<Content>,
    ) -> Self {
        Self::Tool(ToolMessage {
            id: id.into(),
            tool_call_id: tool_call_id.into(),
            content: content.into(),
            error: None,
            encrypted_value: None,
            metadata: None,
            subagent_run_id: None,
        })
    }
}

impl InstructionMessage {
    /// Instructions with the given text.
    #[must_use]
    pub fn new(id: impl Into<MessageId>, content: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            content: content.into(),
            name: None,
            encrypted_value: None,
            metadata: None,
            subagent_run_id: None,
        }
    }
}

impl AssistantMessage {
    /// A message that says nothing and calls nothing yet.
    #[must_use]
    pub fn new(id: impl Into<MessageId>) -> Self {
        Self {
            id: id.into(),
            content: None,
            tool_calls: Vec::new(),
            name: None,
            encrypted_value: None,
            metadata: None,
            subagent_run_id: None,
        }
    }

    /// Adds a tool call.
    #[must_use]
    pub fn with_tool_call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self
    }
}

impl ToolCall {
    /// A call of a function.
    #[must_use]
    pub fn new(
        id: impl Into<ToolCallId>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            kind: ToolCallKind::Function,
            function: FunctionCall {
                name: name.into(),
                arguments: arguments.into(),
            },
            encrypted_value: None,
            metadata: None,
        }
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = WireMessage::deserialize(deserializer)?;
        wire.read(&mut Notes::default())
            .map_err(serde::de::Error::custom)?
            .ok_or_else(|| serde::de::Error::custom("unknown role"))
    }
}

/// Reads a message list and leaves out messages of an unknown role.
pub(crate) fn messages<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Message>, D::Error> {
    let wire = Vec::<WireMessage>::deserialize(deserializer)?;
    wire::read_all(wire, &mut Notes::default()).map_err(serde::de::Error::custom)
}
