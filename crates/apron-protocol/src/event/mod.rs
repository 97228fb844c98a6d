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
pub use self::kind::{EventType, UnknownEventType};
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

/// One expression for every kind of event.
macro_rules! every {
    ($self:ident, $event:ident => $body:expr) => {
        match $self {
            Self::RunStarted($event) => $body,
            Self::RunFinished($event) => $body,
            Self::RunError($event) => $body,
            Self::StepStarted($event) => $body,
            Self::StepFinished($event) => $body,
            Self::TextMessageStart($event) => $body,
            Self::TextMessageContent($event) => $body,
            Self::TextMessageEnd($event) => $body,
            Self::TextMessageChunk($event) => $body,
            Self::ToolCallStart($event) => $body,
            Self::ToolCallArgs($event) => $body,
            Self::ToolCallEnd($event) => $body,
            Self::ToolCallChunk($event) => $body,
            Self::ToolCallResult($event) => $body,
            Self::StateSnapshot($event) => $body,
            Self::StateDelta($event) => $body,
            Self::MessagesSnapshot($event) => $body,
            Self::ActivitySnapshot($event) => $body,
            Self::ActivityDelta($event) => $body,
            Self::ReasoningStart($event) => $body,
            Self::ReasoningMessageStart($event) => $body,
            Self::ReasoningMessageContent($event) => $body,
            Self::ReasoningMessageEnd($event) => $body,
            Self::ReasoningMessageChunk($event) => $body,
            Self::ReasoningEnd($event) => $body,
            Self::ReasoningEncryptedValue($event) => $body,
            Self::SubagentStarted($event) => $body,
            Self::SubagentFinished($event) => $body,
            Self::SubagentError($event) => $body,
            Self::Raw($event) => $body,
            Self::Custom($event) => $body,
        }
    };
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

    /// The event's timestamp, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn timestamp(&self) -> Option<i64> {
        every!(self, event => event.common.timestamp())
    }

    /// Sets the timestamp, in milliseconds since the Unix epoch.
    pub fn set_timestamp(&mut self, milliseconds: i64) {
        every!(self, event => event.common.set_timestamp(milliseconds));
    }

    /// Where the event came from, verbatim.
    #[must_use]
    pub fn raw_event(&self) -> Option<&Value> {
        every!(self, event => event.common.raw_event())
    }

    /// Says where the event came from, verbatim; `null` means nowhere.
    pub fn set_raw_event(&mut self, raw: Value) {
        every!(self, event => event.common.set_raw_event(raw));
    }

    /// The event's metadata.
    #[must_use]
    pub fn metadata(&self) -> Option<&Map<String, Value>> {
        every!(self, event => event.common.metadata())
    }

    /// The event's metadata, made when there is none.
    pub fn metadata_mut(&mut self) -> &mut Map<String, Value> {
        every!(self, event => event.common.metadata_mut())
    }

    /// Bytes that the optional fields take, roughly.
    pub(crate) fn common_weight(&self) -> usize {
        every!(self, event => event.common.weight())
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

    /// Attributes the event to a subagent invocation. Events of the run as a whole, and those that
    /// are about an invocation, stay as they are.
    pub fn attribute(&mut self, owner: &SubagentRunId) {
        match self {
            Self::StepStarted(event) => event.common.set_subagent_run_id(owner),
            Self::StepFinished(event) => event.common.set_subagent_run_id(owner),
            Self::TextMessageStart(event) => event.common.set_subagent_run_id(owner),
            Self::TextMessageContent(event) => event.common.set_subagent_run_id(owner),
            Self::TextMessageEnd(event) => event.common.set_subagent_run_id(owner),
            Self::TextMessageChunk(event) => event.common.set_subagent_run_id(owner),
            Self::ToolCallStart(event) => event.common.set_subagent_run_id(owner),
            Self::ToolCallArgs(event) => event.common.set_subagent_run_id(owner),
            Self::ToolCallEnd(event) => event.common.set_subagent_run_id(owner),
            Self::ToolCallChunk(event) => event.common.set_subagent_run_id(owner),
            Self::ToolCallResult(event) => event.common.set_subagent_run_id(owner),
            Self::StateSnapshot(event) => event.common.set_subagent_run_id(owner),
            Self::StateDelta(event) => event.common.set_subagent_run_id(owner),
            Self::ActivitySnapshot(event) => event.common.set_subagent_run_id(owner),
            Self::ActivityDelta(event) => event.common.set_subagent_run_id(owner),
            Self::ReasoningStart(event) => event.common.set_subagent_run_id(owner),
            Self::ReasoningMessageStart(event) => event.common.set_subagent_run_id(owner),
            Self::ReasoningMessageContent(event) => event.common.set_subagent_run_id(owner),
            Self::ReasoningMessageEnd(event) => event.common.set_subagent_run_id(owner),
            Self::ReasoningMessageChunk(event) => event.common.set_subagent_run_id(owner),
            Self::ReasoningEnd(event) => event.common.set_subagent_run_id(owner),
            Self::ReasoningEncryptedValue(event) => event.common.set_subagent_run_id(owner),
            Self::Raw(event) => event.common.set_subagent_run_id(owner),
            Self::Custom(event) => event.common.set_subagent_run_id(owner),
            Self::RunStarted(_)
            | Self::RunFinished(_)
            | Self::RunError(_)
            | Self::MessagesSnapshot(_)
            | Self::SubagentStarted(_)
            | Self::SubagentFinished(_)
            | Self::SubagentError(_) => {}
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
