//! Shared state and the message list as a whole.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::common::{Common, RunCommon, attributable, with_common};
use crate::message::{Message, messages};
use crate::patch::{PatchOperation, operations};

/// `STATE_SNAPSHOT`: replaces the shared state. `null` is a state.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StateSnapshot {
    /// The whole state.
    pub snapshot: Value,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `STATE_DELTA`: changes the shared state by RFC 6902 operations, all or none.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StateDelta {
    /// The operations, in order. On reading, an operation of an unknown kind is left out.
    #[serde(deserialize_with = "operations")]
    pub delta: Vec<PatchOperation>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `MESSAGES_SNAPSHOT`: the message list, merged by id into the client's.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MessagesSnapshot {
    /// The messages. On reading, one of an unknown role is left out.
    #[serde(deserialize_with = "messages")]
    pub messages: Vec<Message>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: RunCommon,
}

attributable!(StateSnapshot);
attributable!(StateDelta);
with_common!(MessagesSnapshot);

impl StateSnapshot {
    /// Replaces the state.
    #[must_use]
    pub fn new(snapshot: impl Into<Value>) -> Self {
        Self {
            snapshot: snapshot.into(),
            common: Common::default(),
        }
    }
}

impl StateDelta {
    /// Changes the state.
    #[must_use]
    pub fn new(delta: Vec<PatchOperation>) -> Self {
        Self {
            delta,
            common: Common::default(),
        }
    }
}

impl MessagesSnapshot {
    /// Sends the message list.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            common: RunCommon::default(),
        }
    }
}
