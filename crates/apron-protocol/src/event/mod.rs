//! The 31 events of AG-UI 1.0.
//!
//! [`Event`] is one line a kind; each payload is a struct of its own with the protocol's field
//! names. Payloads that are rare are boxed, so that a delta stays small where it is queued.

mod activity;
mod common;
mod kind;
mod reasoning;
mod run;
mod special;
mod state;
mod step;
mod subagent;
mod text;
mod tool;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::activity::{ActivityDelta, ActivitySnapshot};
pub use self::common::{Common, RunCommon};
pub use self::kind::EventType;
pub use self::reasoning::{
    ReasoningEncryptedValue, ReasoningEncryptedValueSubtype, ReasoningEnd, ReasoningMessageChunk,
    ReasoningMessageContent, ReasoningMessageEnd, ReasoningMessageStart, ReasoningRole,
    ReasoningStart,
};
pub use self::run::{RunError, RunFinished, RunStarted};
pub use self::special::{Custom, Raw};
pub use self::state::{MessagesSnapshot, StateDelta, StateSnapshot};
pub use self::step::{StepFinished, StepStarted};
pub use self::subagent::{SubagentError, SubagentFinished, SubagentStarted};
pub use self::text::{
    TextMessageChunk, TextMessageContent, TextMessageEnd, TextMessageRole, TextMessageStart,
};
pub use self::tool::{
    ToolCallArgs, ToolCallChunk, ToolCallEnd, ToolCallResult, ToolCallStart, ToolRole,
};
use crate::ids::SubagentRunId;

/// One event of a run, as AG-UI 1.0 defines it.
///
/// ```
/// use apron_protocol::{Event, TextMessageContent};
///
/// let event = Event::from(TextMessageContent::new("m1", "Hello"));
/// assert_eq!(
///     event.to_json(),
///     r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello"}"#,
/// );
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Event {
    /// `RUN_STARTED`.
    RunStarted(Box<RunStarted>),
    /// `RUN_FINISHED`.
    RunFinished(Box<RunFinished>),
    /// `RUN_ERROR`.
    RunError(Box<RunError>),
    /// `STEP_STARTED`.
    StepStarted(StepStarted),
    /// `STEP_FINISHED`.
    StepFinished(StepFinished),
    /// `TEXT_MESSAGE_START`.
    TextMessageStart(Box<TextMessageStart>),
    /// `TEXT_MESSAGE_CONTENT`.
    TextMessageContent(TextMessageContent),
    /// `TEXT_MESSAGE_END`.
    TextMessageEnd(TextMessageEnd),
    /// `TEXT_MESSAGE_CHUNK`.
    TextMessageChunk(Box<TextMessageChunk>),
    /// `TOOL_CALL_START`.
    ToolCallStart(Box<ToolCallStart>),
    /// `TOOL_CALL_ARGS`.
    ToolCallArgs(ToolCallArgs),
    /// `TOOL_CALL_END`.
    ToolCallEnd(ToolCallEnd),
    /// `TOOL_CALL_CHUNK`.
    ToolCallChunk(Box<ToolCallChunk>),
    /// `TOOL_CALL_RESULT`.
    ToolCallResult(Box<ToolCallResult>),
    /// `STATE_SNAPSHOT`.
    StateSnapshot(Box<StateSnapshot>),
    /// `STATE_DELTA`.
    StateDelta(Box<StateDelta>),
    /// `MESSAGES_SNAPSHOT`.
    MessagesSnapshot(Box<MessagesSnapshot>),
    /// `ACTIVITY_SNAPSHOT`.
    ActivitySnapshot(Box<ActivitySnapshot>),
    /// `ACTIVITY_DELTA`.
    ActivityDelta(Box<ActivityDelta>),
    /// `REASONING_START`.
    ReasoningStart(ReasoningStart),
    /// `REASONING_MESSAGE_START`.
    ReasoningMessageStart(ReasoningMessageStart),
    /// `REASONING_MESSAGE_CONTENT`.
    ReasoningMessageContent(ReasoningMessageContent),
    /// `REASONING_MESSAGE_END`.
    ReasoningMessageEnd(ReasoningMessageEnd),
    /// `REASONING_MESSAGE_CHUNK`.
    ReasoningMessageChunk(Box<ReasoningMessageChunk>),
    /// `REASONING_END`.
    ReasoningEnd(ReasoningEnd),
    /// `REASONING_ENCRYPTED_VALUE`.
    ReasoningEncryptedValue(Box<ReasoningEncryptedValue>),
    /// `SUBAGENT_STARTED`.
    SubagentStarted(Box<SubagentStarted>),
    /// `SUBAGENT_FINISHED`.
    SubagentFinished(Box<SubagentFinished>),
    /// `SUBAGENT_ERROR`.
    SubagentError(Box<SubagentError>),
    /// `RAW`.
    Raw(Box<Raw>),
    /// `CUSTOM`.
    Custom(Box<Custom>),
}

impl Event {
    /// The kind of event.
    #[must_use]
    pub fn event_type(&self) -> EventType {
        match self {
            Self::RunStarted(_) => EventType::RunStarted,
            Self::RunFinished(_) => EventType::RunFinished,
            Self::RunError(_) => EventType::RunError,
            Self::StepStarted(_) => EventType::StepStarted,
            Self::StepFinished(_) => EventType::StepFinished,
            Self::TextMessageStart(_) => EventType::TextMessageStart,
            Self::TextMessageContent(_) => EventType::TextMessageContent,
            Self::TextMessageEnd(_) => EventType::TextMessageEnd,
            Self::TextMessageChunk(_) => EventType::TextMessageChunk,
            Self::ToolCallStart(_) => EventType::ToolCallStart,
            Self::ToolCallArgs(_) => EventType::ToolCallArgs,
            Self::ToolCallEnd(_) => EventType::ToolCallEnd,
            Self::ToolCallChunk(_) => EventType::ToolCallChunk,
            Self::ToolCallResult(_) => EventType::ToolCallResult,
            Self::StateSnapshot(_) => EventType::StateSnapshot,
            Self::StateDelta(_) => EventType::StateDelta,
            Self::MessagesSnapshot(_) => EventType::MessagesSnapshot,
            Self::ActivitySnapshot(_) => EventType::ActivitySnapshot,
            Self::ActivityDelta(_) => EventType::ActivityDelta,
            Self::ReasoningStart(_) => EventType::ReasoningStart,
            Self::ReasoningMessageStart(_) => EventType::ReasoningMessageStart,
            Self::ReasoningMessageContent(_) => EventType::ReasoningMessageContent,
            Self::ReasoningMessageEnd(_) => EventType::ReasoningMessageEnd,
            Self::ReasoningMessageChunk(_) => EventType::ReasoningMessageChunk,
            Self::ReasoningEnd(_) => EventType::ReasoningEnd,
            Self::ReasoningEncryptedValue(_) => EventType::ReasoningEncryptedValue,
            Self::SubagentStarted(_) => EventType::SubagentStarted,
            Self::SubagentFinished(_) => EventType::SubagentFinished,
            Self::SubagentError(_) => EventType::SubagentError,
            Self::Raw(_) => EventType::Raw,
            Self::Custom(_) => EventType::Custom,
        }
    }

    /// The event's metadata.
    #[must_use]
    pub fn metadata(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::RunStarted(event) => event.common.metadata(),
            Self::RunFinished(event) => event.common.metadata(),
            Self::RunError(event) => event.common.metadata(),
            Self::StepStarted(event) => event.common.metadata(),
            Self::StepFinished(event) => event.common.metadata(),
            Self::TextMessageStart(event) => event.common.metadata(),
            Self::TextMessageContent(event) => event.common.metadata(),
            Self::TextMessageEnd(event) => event.common.metadata(),
            Self::TextMessageChunk(event) => event.common.metadata(),
            Self::ToolCallStart(event) => event.common.metadata(),
            Self::ToolCallArgs(event) => event.common.metadata(),
            Self::ToolCallEnd(event) => event.common.metadata(),
            Self::ToolCallChunk(event) => event.common.metadata(),
            Self::ToolCallResult(event) => event.common.metadata(),
            Self::StateSnapshot(event) => event.common.metadata(),
            Self::StateDelta(event) => event.common.metadata(),
            Self::MessagesSnapshot(event) => event.common.metadata(),
            Self::ActivitySnapshot(event) => event.common.metadata(),
            Self::ActivityDelta(event) => event.common.metadata(),
            Self::ReasoningStart(event) => event.common.metadata(),
            Self::ReasoningMessageStart(event) => event.common.metadata(),
            Self::ReasoningMessageContent(event) => event.common.metadata(),
            Self::ReasoningMessageEnd(event) => event.common.metadata(),
            Self::ReasoningMessageChunk(event) => event.common.metadata(),
            Self::ReasoningEnd(event) => event.common.metadata(),
            Self::ReasoningEncryptedValue(event) => event.common.metadata(),
            Self::SubagentStarted(event) => event.common.metadata(),
            Self::SubagentFinished(event) => event.common.metadata(),
            Self::SubagentError(event) => event.common.metadata(),
            Self::Raw(event) => event.common.metadata(),
            Self::Custom(event) => event.common.metadata(),
        }
    }

    /// The event's metadata, made when there is none.
    pub fn metadata_mut(&mut self) -> &mut Map<String, Value> {
        match self {
            Self::RunStarted(event) => event.common.metadata_mut(),
            Self::RunFinished(event) => event.common.metadata_mut(),
            Self::RunError(event) => event.common.metadata_mut(),
            Self::StepStarted(event) => event.common.metadata_mut(),
            Self::StepFinished(event) => event.common.metadata_mut(),
            Self::TextMessageStart(event) => event.common.metadata_mut(),
            Self::TextMessageContent(event) => event.common.metadata_mut(),
            Self::TextMessageEnd(event) => event.common.metadata_mut(),
            Self::TextMessageChunk(event) => event.common.metadata_mut(),
            Self::ToolCallStart(event) => event.common.metadata_mut(),
            Self::ToolCallArgs(event) => event.common.metadata_mut(),
            Self::ToolCallEnd(event) => event.common.metadata_mut(),
            Self::ToolCallChunk(event) => event.common.metadata_mut(),
            Self::ToolCallResult(event) => event.common.metadata_mut(),
            Self::StateSnapshot(event) => event.common.metadata_mut(),
            Self::StateDelta(event) => event.common.metadata_mut(),
            Self::MessagesSnapshot(event) => event.common.metadata_mut(),
            Self::ActivitySnapshot(event) => event.common.metadata_mut(),
            Self::ActivityDelta(event) => event.common.metadata_mut(),
            Self::ReasoningStart(event) => event.common.metadata_mut(),
            Self::ReasoningMessageStart(event) => event.common.metadata_mut(),
            Self::ReasoningMessageContent(event) => event.common.metadata_mut(),
            Self::ReasoningMessageEnd(event) => event.common.metadata_mut(),
            Self::ReasoningMessageChunk(event) => event.common.metadata_mut(),
            Self::ReasoningEnd(event) => event.common.metadata_mut(),
            Self::ReasoningEncryptedValue(event) => event.common.metadata_mut(),
            Self::SubagentStarted(event) => event.common.metadata_mut(),
            Self::SubagentFinished(event) => event.common.metadata_mut(),
            Self::SubagentError(event) => event.common.metadata_mut(),
            Self::Raw(event) => event.common.metadata_mut(),
            Self::Custom(event) => event.common.metadata_mut(),
        }
    }

    /// Sets the timestamp, in milliseconds since the Unix epoch.
    pub fn set_timestamp(&mut self, milliseconds: i64) {
        match self {
            Self::RunStarted(event) => event.common.set_timestamp(milliseconds),
            Self::RunFinished(event) => event.common.set_timestamp(milliseconds),
            Self::RunError(event) => event.common.set_timestamp(milliseconds),
            Self::StepStarted(event) => event.common.set_timestamp(milliseconds),
            Self::StepFinished(event) => event.common.set_timestamp(milliseconds),
            Self::TextMessageStart(event) => event.common.set_timestamp(milliseconds),
            Self::TextMessageContent(event) => event.common.set_timestamp(milliseconds),
            Self::TextMessageEnd(event) => event.common.set_timestamp(milliseconds),
            Self::TextMessageChunk(event) => event.common.set_timestamp(milliseconds),
            Self::ToolCallStart(event) => event.common.set_timestamp(milliseconds),
            Self::ToolCallArgs(event) => event.common.set_timestamp(milliseconds),
            Self::ToolCallEnd(event) => event.common.set_timestamp(milliseconds),
            Self::ToolCallChunk(event) => event.common.set_timestamp(milliseconds),
            Self::ToolCallResult(event) => event.common.set_timestamp(milliseconds),
            Self::StateSnapshot(event) => event.common.set_timestamp(milliseconds),
            Self::StateDelta(event) => event.common.set_timestamp(milliseconds),
            Self::MessagesSnapshot(event) => event.common.set_timestamp(milliseconds),
            Self::ActivitySnapshot(event) => event.common.set_timestamp(milliseconds),
            Self::ActivityDelta(event) => event.common.set_timestamp(milliseconds),
            Self::ReasoningStart(event) => event.common.set_timestamp(milliseconds),
            Self::ReasoningMessageStart(event) => event.common.set_timestamp(milliseconds),
            Self::ReasoningMessageContent(event) => event.common.set_timestamp(milliseconds),
            Self::ReasoningMessageEnd(event) => event.common.set_timestamp(milliseconds),
            Self::ReasoningMessageChunk(event) => event.common.set_timestamp(milliseconds),
            Self::ReasoningEnd(event) => event.common.set_timestamp(milliseconds),
            Self::ReasoningEncryptedValue(event) => event.common.set_timestamp(milliseconds),
            Self::SubagentStarted(event) => event.common.set_timestamp(milliseconds),
            Self::SubagentFinished(event) => event.common.set_timestamp(milliseconds),
            Self::SubagentError(event) => event.common.set_timestamp(milliseconds),
            Self::Raw(event) => event.common.set_timestamp(milliseconds),
            Self::Custom(event) => event.common.set_timestamp(milliseconds),
        }
    }

    /// The subagent invocation that the event belongs to or is about; absent for the run's own
    /// agent and for events of the run as a whole.
    #[must_use]
    pub fn subagent_run_id(&self) -> Option<&SubagentRunId> {
        match self {
            Self::RunStarted(_) => None,
            Self::RunFinished(_) => None,
            Self::RunError(_) => None,
            Self::StepStarted(event) => event.common.subagent_run_id(),
            Self::StepFinished(event) => event.common.subagent_run_id(),
            Self::TextMessageStart(event) => event.common.subagent_run_id(),
            Self::TextMessageContent(event) => event.common.subagent_run_id(),
            Self::TextMessageEnd(event) => event.common.subagent_run_id(),
            Self::TextMessageChunk(event) => event.common.subagent_run_id(),
            Self::ToolCallStart(event) => event.common.subagent_run_id(),
            Self::ToolCallArgs(event) => event.common.subagent_run_id(),
            Self::ToolCallEnd(event) => event.common.subagent_run_id(),
            Self::ToolCallChunk(event) => event.common.subagent_run_id(),
            Self::ToolCallResult(event) => event.common.subagent_run_id(),
            Self::StateSnapshot(event) => event.common.subagent_run_id(),
            Self::StateDelta(event) => event.common.subagent_run_id(),
            Self::MessagesSnapshot(_) => None,
            Self::ActivitySnapshot(event) => event.common.subagent_run_id(),
            Self::ActivityDelta(event) => event.common.subagent_run_id(),
            Self::ReasoningStart(event) => event.common.subagent_run_id(),
            Self::ReasoningMessageStart(event) => event.common.subagent_run_id(),
            Self::ReasoningMessageContent(event) => event.common.subagent_run_id(),
            Self::ReasoningMessageEnd(event) => event.common.subagent_run_id(),
            Self::ReasoningMessageChunk(event) => event.common.subagent_run_id(),
            Self::ReasoningEnd(event) => event.common.subagent_run_id(),
            Self::ReasoningEncryptedValue(event) => event.common.subagent_run_id(),
            Self::SubagentStarted(event) => Some(&event.subagent_run_id),
            Self::SubagentFinished(event) => Some(&event.subagent_run_id),
            Self::SubagentError(event) => Some(&event.subagent_run_id),
            Self::Raw(event) => event.common.subagent_run_id(),
            Self::Custom(event) => event.common.subagent_run_id(),
        }
    }

    /// True for `RUN_FINISHED` and `RUN_ERROR`.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::RunFinished(_) | Self::RunError(_))
    }
}

/// Lets a payload be passed where an event is wanted.
macro_rules! from_payload {
    ($($name:ident $(in $boxed:ident)?;)+) => {$(
        impl From<$name> for Event {
            fn from(payload: $name) -> Self {
                Self::$name($($boxed::new)?(payload))
            }
        }
    )+};
}

from_payload! {
    RunStarted in Box;
    RunFinished in Box;
    RunError in Box;
    StepStarted;
    StepFinished;
    TextMessageStart in Box;
    TextMessageContent;
    TextMessageEnd;
    TextMessageChunk in Box;
    ToolCallStart in Box;
    ToolCallArgs;
    ToolCallEnd;
    ToolCallChunk in Box;
    ToolCallResult in Box;
    StateSnapshot in Box;
    StateDelta in Box;
    MessagesSnapshot in Box;
    ActivitySnapshot in Box;
    ActivityDelta in Box;
    ReasoningStart;
    ReasoningMessageStart;
    ReasoningMessageContent;
    ReasoningMessageEnd;
    ReasoningMessageChunk in Box;
    ReasoningEnd;
    ReasoningEncryptedValue in Box;
    SubagentStarted in Box;
    SubagentFinished in Box;
    SubagentError in Box;
    Raw in Box;
    Custom in Box;
}
