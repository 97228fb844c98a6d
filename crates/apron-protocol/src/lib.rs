//! The words of AG-UI 1.0: 31 events, messages, input, outcomes and capabilities, with their exact
//! JSON.
//!
//! ```
//! use apron_protocol::{Decoded, Event, RunAgentInput, TextMessageStart};
//!
//! let body = br#"{"threadId":"t","runId":"r","state":null,"messages":[
//!     {"id":"1","role":"user","content":"Hi"},
//!     {"id":"2","role":"moderator","content":"a role of the future"}]}"#;
//! let (input, notes) = RunAgentInput::from_slice(body)?;
//! assert_eq!(input.messages.len(), 1);
//! assert_eq!(notes.total(), 1);
//!
//! let event = Event::from(TextMessageStart::new("m1"));
//! let json = event.to_json();
//! assert_eq!(json, r#"{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}"#);
//! assert!(matches!(Decoded::from_slice(json.as_bytes()), Decoded::Event(same) if same == event));
//! # Ok::<(), apron_protocol::Error>(())
//! ```
//!
//! # What is in the box
//!
//! * [`Event`]: one of 31, written by [`Event::encode`] and read by [`Decoded`].
//! * [`RunAgentInput`]: the request, read leniently by [`RunAgentInput::from_slice`].
//! * [`Message`], [`Content`], [`RunOutcome`], [`TokenUsage`], [`PatchOperation`],
//!   [`AgentCapabilities`]: what events and input are made of.
//!
//! # What it does not do
//!
//! It knows nothing of frames, order, transport or async. An event that is well-formed may still
//! come at the wrong time; that is the emitter's and the reducer's concern.
//!
//! Optional members are left out and never written as `null`; a `null` that is a value (a state, a
//! raw event) survives.

mod absent;
mod capabilities;
mod decode;
mod encode;
mod error;
mod event;
mod ids;
mod input;
mod message;
mod notes;
mod number;
mod object;
mod outcome;
mod patch;
mod slot;
mod text;
mod usage;
mod version;
mod weight;

pub use self::capabilities::{
    AgentCapabilities, ExecutionCapabilities, HumanInTheLoopCapabilities, IdentityCapabilities,
    MultiAgentCapabilities, MultimodalCapabilities, MultimodalInputCapabilities,
    MultimodalOutputCapabilities, OutputCapabilities, ReasoningCapabilities, StateCapabilities,
    SubagentInfo, ToolsCapabilities, TransportCapabilities,
};
pub use self::decode::Decoded;
pub use self::error::Error;
pub use self::event::{
    ActivityDelta, ActivitySnapshot, Common, Custom, Event, EventType, MessagesSnapshot, Raw,
    ReasoningEncryptedValue, ReasoningEncryptedValueSubtype, ReasoningEnd, ReasoningMessageChunk,
    ReasoningMessageContent, ReasoningMessageEnd, ReasoningMessageStart, ReasoningRole,
    ReasoningStart, RunCommon, RunError, RunFinished, RunStarted, StateDelta, StateSnapshot,
    StepFinished, StepStarted, SubagentError, SubagentFinished, SubagentStarted, TextMessageChunk,
    TextMessageContent, TextMessageEnd, TextMessageRole, TextMessageStart, ToolCallArgs,
    ToolCallChunk, ToolCallEnd, ToolCallResult, ToolCallStart, ToolRole, UnknownEventType,
};
pub use self::ids::{InterruptId, MessageId, RunId, SubagentRunId, ThreadId, ToolCallId};
pub use self::input::{Context, ResumeEntry, ResumeStatus, RunAgentInput, Tool};
pub use self::message::{
    ActivityMessage, AssistantMessage, Content, ContentPart, FunctionCall, InstructionMessage,
    MediaPart, Message, PartSource, ReasoningMessage, TextPart, ToolCall, ToolCallKind,
    ToolMessage, UserMessage,
};
pub use self::notes::{Note, NoteKind, Notes};
pub use self::outcome::{Interrupt, RunOutcome, SubagentOutcome};
pub use self::patch::{
    FromOperation, InvalidPointer, JsonPointer, PatchOperation, PathOperation, ValueOperation,
};
pub use self::text::Text;
pub use self::usage::TokenUsage;
pub use self::version::{InvalidVersion, PROTOCOL_VERSION, ProtocolVersion};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
