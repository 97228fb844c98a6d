//! What each role has.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Content, ToolCall};
use crate::ids::{MessageId, SubagentRunId, ToolCallId};

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

    /// Says something.
    #[must_use]
    pub fn with_content(mut self, content: impl Into<String>) -> Self {
        self.content = Some(content.into());
        self
    }

    /// Adds a tool call.
    #[must_use]
    pub fn with_tool_call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self
    }
}

impl UserMessage {
    /// A message with the given content.
    #[must_use]
    pub fn new(id: impl Into<MessageId>, content: impl Into<Content>) -> Self {
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

impl ToolMessage {
    /// The answer to `tool_call_id`.
    #[must_use]
    pub fn new(
        id: impl Into<MessageId>,
        tool_call_id: impl Into<ToolCallId>,
        content: impl Into<Content>,
    ) -> Self {
        Self {
            id: id.into(),
            tool_call_id: tool_call_id.into(),
            content: content.into(),
            error: None,
            encrypted_value: None,
            metadata: None,
            subagent_run_id: None,
        }
    }

    /// Says what went wrong.
    #[must_use]
    pub fn with_error(mut self, error: impl Into<String>) -> Self {
        self.error = Some(error.into());
        self
    }
}

impl ActivityMessage {
    /// An activity with the given content.
    #[must_use]
    pub fn new(
        id: impl Into<MessageId>,
        activity_type: impl Into<String>,
        content: Map<String, Value>,
    ) -> Self {
        Self {
            id: id.into(),
            activity_type: activity_type.into(),
            content,
            metadata: None,
            subagent_run_id: None,
        }
    }
}

impl ReasoningMessage {
    /// A thought.
    #[must_use]
    pub fn new(id: impl Into<MessageId>, content: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            content: content.into(),
            encrypted_value: None,
            metadata: None,
            subagent_run_id: None,
        }
    }
}

/// The setters that every role has.
macro_rules! setters {
    ($($name:ident)+) => {$(
        impl $name {
            /// Sets one key of the message's metadata.
            #[must_use]
            pub fn with_metadata(
                mut self,
                key: impl Into<String>,
                value: impl Into<Value>,
            ) -> Self {
                let metadata = self.metadata.get_or_insert_default();
                metadata.insert(key.into(), value.into());
                self
            }

            /// Attributes the message to a subagent invocation.
            #[must_use]
            pub fn with_subagent_run_id(mut self, id: impl Into<SubagentRunId>) -> Self {
                self.subagent_run_id = Some(id.into());
                self
            }
        }
    )+};
}

/// The setter of the roles that have an author's name.
macro_rules! named {
    ($($name:ident)+) => {$(
        impl $name {
            /// Names the author.
            #[must_use]
            pub fn with_name(mut self, name: impl Into<String>) -> Self {
                self.name = Some(name.into());
                self
            }
        }
    )+};
}

/// The setter of the roles that carry hidden reasoning.
macro_rules! encrypted {
    ($($name:ident)+) => {$(
        impl $name {
            /// Attaches hidden reasoning, opaque to the client.
            #[must_use]
            pub fn with_encrypted_value(mut self, value: impl Into<String>) -> Self {
                self.encrypted_value = Some(value.into());
                self
            }
        }
    )+};
}

setters! {
    InstructionMessage AssistantMessage UserMessage ToolMessage ActivityMessage ReasoningMessage
}
named! { InstructionMessage AssistantMessage UserMessage }
encrypted! { InstructionMessage AssistantMessage UserMessage ToolMessage ReasoningMessage }
