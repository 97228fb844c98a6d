//! The names of the events.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The `type` of an event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[non_exhaustive]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventType {
    /// `RUN_STARTED`.
    RunStarted,
    /// `RUN_FINISHED`.
    RunFinished,
    /// `RUN_ERROR`.
    RunError,
    /// `STEP_STARTED`.
    StepStarted,
    /// `STEP_FINISHED`.
    StepFinished,
    /// `TEXT_MESSAGE_START`.
    TextMessageStart,
    /// `TEXT_MESSAGE_CONTENT`.
    TextMessageContent,
    /// `TEXT_MESSAGE_END`.
    TextMessageEnd,
    /// `TEXT_MESSAGE_CHUNK`.
    TextMessageChunk,
    /// `TOOL_CALL_START`.
    ToolCallStart,
    /// `TOOL_CALL_ARGS`.
    ToolCallArgs,
    /// `TOOL_CALL_END`.
    ToolCallEnd,
    /// `TOOL_CALL_CHUNK`.
    ToolCallChunk,
    /// `TOOL_CALL_RESULT`.
    ToolCallResult,
    /// `STATE_SNAPSHOT`.
    StateSnapshot,
    /// `STATE_DELTA`.
    StateDelta,
    /// `MESSAGES_SNAPSHOT`.
    MessagesSnapshot,
    /// `ACTIVITY_SNAPSHOT`.
    ActivitySnapshot,
    /// `ACTIVITY_DELTA`.
    ActivityDelta,
    /// `REASONING_START`.
    ReasoningStart,
    /// `REASONING_MESSAGE_START`.
    ReasoningMessageStart,
    /// `REASONING_MESSAGE_CONTENT`.
    ReasoningMessageContent,
    /// `REASONING_MESSAGE_END`.
    ReasoningMessageEnd,
    /// `REASONING_MESSAGE_CHUNK`.
    ReasoningMessageChunk,
    /// `REASONING_END`.
    ReasoningEnd,
    /// `REASONING_ENCRYPTED_VALUE`.
    ReasoningEncryptedValue,
    /// `SUBAGENT_STARTED`.
    SubagentStarted,
    /// `SUBAGENT_FINISHED`.
    SubagentFinished,
    /// `SUBAGENT_ERROR`.
    SubagentError,
    /// `RAW`.
    Raw,
    /// `CUSTOM`.
    Custom,
}

impl EventType {
    /// Every event of AG-UI 1.0. Tests walk it, so that a new event is loud.
    pub const ALL: [Self; 31] = [
        Self::RunStarted,
        Self::RunFinished,
        Self::RunError,
        Self::StepStarted,
        Self::StepFinished,
        Self::TextMessageStart,
        Self::TextMessageContent,
        Self::TextMessageEnd,
        Self::TextMessageChunk,
        Self::ToolCallStart,
        Self::ToolCallArgs,
        Self::ToolCallEnd,
        Self::ToolCallChunk,
        Self::ToolCallResult,
        Self::StateSnapshot,
        Self::StateDelta,
        Self::MessagesSnapshot,
        Self::ActivitySnapshot,
        Self::ActivityDelta,
        Self::ReasoningStart,
        Self::ReasoningMessageStart,
        Self::ReasoningMessageContent,
        Self::ReasoningMessageEnd,
        Self::ReasoningMessageChunk,
        Self::ReasoningEnd,
        Self::ReasoningEncryptedValue,
        Self::SubagentStarted,
        Self::SubagentFinished,
        Self::SubagentError,
        Self::Raw,
        Self::Custom,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RunStarted => "RUN_STARTED",
            Self::RunFinished => "RUN_FINISHED",
            Self::RunError => "RUN_ERROR",
            Self::StepStarted => "STEP_STARTED",
            Self::StepFinished => "STEP_FINISHED",
            Self::TextMessageStart => "TEXT_MESSAGE_START",
            Self::TextMessageContent => "TEXT_MESSAGE_CONTENT",
            Self::TextMessageEnd => "TEXT_MESSAGE_END",
            Self::TextMessageChunk => "TEXT_MESSAGE_CHUNK",
            Self::ToolCallStart => "TOOL_CALL_START",
            Self::ToolCallArgs => "TOOL_CALL_ARGS",
            Self::ToolCallEnd => "TOOL_CALL_END",
            Self::ToolCallChunk => "TOOL_CALL_CHUNK",
            Self::ToolCallResult => "TOOL_CALL_RESULT",
            Self::StateSnapshot => "STATE_SNAPSHOT",
            Self::StateDelta => "STATE_DELTA",
            Self::MessagesSnapshot => "MESSAGES_SNAPSHOT",
            Self::ActivitySnapshot => "ACTIVITY_SNAPSHOT",
            Self::ActivityDelta => "ACTIVITY_DELTA",
            Self::ReasoningStart => "REASONING_START",
            Self::ReasoningMessageStart => "REASONING_MESSAGE_START",
            Self::ReasoningMessageContent => "REASONING_MESSAGE_CONTENT",
            Self::ReasoningMessageEnd => "REASONING_MESSAGE_END",
            Self::ReasoningMessageChunk => "REASONING_MESSAGE_CHUNK",
            Self::ReasoningEnd => "REASONING_END",
            Self::ReasoningEncryptedValue => "REASONING_ENCRYPTED_VALUE",
            Self::SubagentStarted => "SUBAGENT_STARTED",
            Self::SubagentFinished => "SUBAGENT_FINISHED",
            Self::SubagentError => "SUBAGENT_ERROR",
            Self::Raw => "RAW",
            Self::Custom => "CUSTOM",
        }
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no event of AG-UI 1.0.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("no event type of AG-UI 1.0")]
#[non_exhaustive]
pub struct UnknownEventType;

impl FromStr for EventType {
    type Err = UnknownEventType;

    fn from_str(name: &str) -> Result<Self, UnknownEventType> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or(UnknownEventType)
    }
}
