//! Reading events: the tag first, then the rest.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::Error;
use crate::event::{self, Event, EventType};
use crate::slot::{Kind, Slot, object_kind};

/// What one line of JSON turned out to be.
///
/// Unknown and corrupt are different things: a consumer skips an event type it does not know (a
/// newer peer may send one), and must not skip a known one that it cannot read.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a decoder has these three answers")]
pub enum Decoded {
    /// An event of AG-UI 1.0.
    Event(Event),
    /// An object with a `type` that AG-UI 1.0 does not have.
    Unknown {
        /// The type it names.
        kind: String,
        /// The whole object.
        raw: Value,
    },
    /// No event at all (no JSON object, or one without a type), or a known type with a malformed member.
    Corrupt(Error),
}

impl Decoded {
    /// Reads one event.
    ///
    /// Nulls of optional members are read as absent and legal nulls survive; unknown members,
    /// roles, content parts, outcomes and patch operations are left out.
    #[must_use]
    pub fn from_slice(json: &[u8]) -> Self {
        let object = match serde_json::from_slice::<Slot<Tag>>(json) {
            Ok(object) => object,
            Err(source) => return Self::Corrupt(Error::NotAnEvent(Some(source))),
        };
        match object.held().and_then(|Tag { kind }| kind.held()) {
            Some(Name::Known(kind)) => {
                let mut deserializer = serde_json::Deserializer::from_slice(json);
                Self::of(kind, read(kind, &mut deserializer))
            }
            Some(Name::Unknown(kind)) => match serde_json::from_slice(json) {
                Ok(raw) => Self::Unknown { kind, raw },
                Err(source) => Self::Corrupt(Error::NotAnEvent(Some(source))),
            },
            None => Self::Corrupt(Error::NotAnEvent(None)),
        }
    }

    /// As [`Decoded::from_slice`], from a value.
    #[must_use]
    pub fn from_value(value: Value) -> Self {
        let name = value
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match Name::from_text(name.into()) {
            Some(Name::Known(kind)) => Self::of(kind, read(kind, value)),
            Some(Name::Unknown(kind)) => Self::Unknown { kind, raw: value },
            None => Self::Corrupt(Error::NotAnEvent(None)),
        }
    }

    fn of(kind: EventType, read: Result<Event, serde_json::Error>) -> Self {
        match read {
            Ok(event) => Self::Event(event),
            Err(source) => Self::Corrupt(Error::Event { kind, source }),
        }
    }

    /// The event, if it is one of AG-UI 1.0.
    #[must_use]
    pub fn into_event(self) -> Option<Event> {
        match self {
            Self::Event(event) => Some(event),
            Self::Unknown { .. } | Self::Corrupt(_) => None,
        }
    }
}

/// As much of an event as says what the rest is.
#[derive(Deserialize)]
struct Tag {
    #[serde(rename = "type")]
    kind: Slot<Name>,
}

object_kind!(Tag);

/// The type that an event names.
enum Name {
    Known(EventType),
    Unknown(String),
}

impl Kind for Name {
    const WANTED: &'static str = "a string";

    /// An empty name is none.
    fn from_text(name: Cow<'_, str>) -> Option<Self> {
        match name.parse() {
            Ok(kind) => Some(Self::Known(kind)),
            Err(_) if name.is_empty() => None,
            Err(_) => Some(Self::Unknown(name.into_owned())),
        }
    }
}

/// Reads the payload of an event whose type is known. (The tagged enum would buffer all of it.)
fn read<'de, D: Deserializer<'de>>(kind: EventType, from: D) -> Result<Event, D::Error> {
    fn payload<'de, D, P>(from: D) -> Result<Event, D::Error>
    where
        D: Deserializer<'de>,
        P: Deserialize<'de> + Into<Event>,
    {
        P::deserialize(from).map(Into::into)
    }
    match kind {
        EventType::RunStarted => payload::<D, event::RunStarted>(from),
        EventType::RunFinished => payload::<D, event::RunFinished>(from),
        EventType::RunError => payload::<D, event::RunError>(from),
        EventType::StepStarted => payload::<D, event::StepStarted>(from),
        EventType::StepFinished => payload::<D, event::StepFinished>(from),
        EventType::TextMessageStart => payload::<D, event::TextMessageStart>(from),
        EventType::TextMessageContent => payload::<D, event::TextMessageContent>(from),
        EventType::TextMessageEnd => payload::<D, event::TextMessageEnd>(from),
        EventType::TextMessageChunk => payload::<D, event::TextMessageChunk>(from),
        EventType::ToolCallStart => payload::<D, event::ToolCallStart>(from),
        EventType::ToolCallArgs => payload::<D, event::ToolCallArgs>(from),
        EventType::ToolCallEnd => payload::<D, event::ToolCallEnd>(from),
        EventType::ToolCallChunk => payload::<D, event::ToolCallChunk>(from),
        EventType::ToolCallResult => payload::<D, event::ToolCallResult>(from),
        EventType::StateSnapshot => payload::<D, event::StateSnapshot>(from),
        EventType::StateDelta => payload::<D, event::StateDelta>(from),
        EventType::MessagesSnapshot => payload::<D, event::MessagesSnapshot>(from),
        EventType::ActivitySnapshot => payload::<D, event::ActivitySnapshot>(from),
        EventType::ActivityDelta => payload::<D, event::ActivityDelta>(from),
        EventType::ReasoningStart => payload::<D, event::ReasoningStart>(from),
        EventType::ReasoningMessageStart => payload::<D, event::ReasoningMessageStart>(from),
        EventType::ReasoningMessageContent => payload::<D, event::ReasoningMessageContent>(from),
        EventType::ReasoningMessageEnd => payload::<D, event::ReasoningMessageEnd>(from),
        EventType::ReasoningMessageChunk => payload::<D, event::ReasoningMessageChunk>(from),
        EventType::ReasoningEnd => payload::<D, event::ReasoningEnd>(from),
        EventType::ReasoningEncryptedValue => payload::<D, event::ReasoningEncryptedValue>(from),
        EventType::SubagentStarted => payload::<D, event::SubagentStarted>(from),
        EventType::SubagentFinished => payload::<D, event::SubagentFinished>(from),
        EventType::SubagentError => payload::<D, event::SubagentError>(from),
        EventType::Raw => payload::<D, event::Raw>(from),
        EventType::Custom => payload::<D, event::Custom>(from),
    }
}
