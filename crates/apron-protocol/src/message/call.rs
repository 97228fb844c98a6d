//! The tool calls of an assistant message.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::wire::{WireCall, WireFunction};
use crate::ids::ToolCallId;
use crate::slot;

/// A tool call of an [`AssistantMessage`](crate::AssistantMessage).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCall {
    /// The call's id.
    pub id: ToolCallId,
    /// Always `"function"`.
    #[serde(rename = "type")]
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
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "a constant of the protocol")]
pub enum ToolCallKind {
    /// `"function"`.
    #[default]
    Function,
}

/// The function that a [`ToolCall`] names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FunctionCall {
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON text by intention, never checked here.
    pub arguments: String,
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

    /// Attaches hidden reasoning, opaque to the client.
    #[must_use]
    pub fn with_encrypted_value(mut self, value: impl Into<String>) -> Self {
        self.encrypted_value = Some(value.into());
        self
    }

    /// Sets one key of the call's metadata.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let metadata = self.metadata.get_or_insert_default();
        metadata.insert(key.into(), value.into());
        self
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        slot::whole(deserializer, "toolCall", WireCall::read)
    }
}

impl<'de> Deserialize<'de> for FunctionCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        slot::whole(deserializer, "function", WireFunction::read)
    }
}
