//! Reading events: the tag first, then the rest.

use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;
use crate::event::{Event, EventType};

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
    /// No event at all, or a known type with a malformed member.
    Corrupt(Error),
}

impl Decoded {
    /// Reads one event.
    ///
    /// Nulls of optional members are read as absent and legal nulls survive; unknown members,
    /// roles, content parts, outcomes and patch operations are left out.
    #[must_use]
    pub fn from_slice(json: &[u8]) -> Self {
        match serde_json::from_slice(json) {
            Ok(value) => Self::from_value(value),
            Err(source) => Self::Corrupt(Error::NotAnEvent(Some(source))),
        }
    }

    /// As [`Decoded::from_slice`], from a value.
    #[must_use]
    pub fn from_value(value: Value) -> Self {
        let Some(Value::String(name)) = value.get("type") else {
            return Self::Corrupt(Error::NotAnEvent(None));
        };
        let Ok(kind) = name.parse::<EventType>() else {
            return Self::Unknown {
                kind: name.clone(),
                raw: value,
            };
        };
        match Event::deserialize(value) {
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
