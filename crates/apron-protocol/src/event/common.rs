//! The fields that events of every type may carry.
//!
//! They are rare and a delta is not, so they live behind one box that is absent by default.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::ids::SubagentRunId;
use crate::number;

/// The optional fields of an event: `timestamp`, `rawEvent`, `metadata` and, on events that can be
/// attributed to a subagent, `subagentRunId`.
///
/// Source: AG-UI 1.0, base event properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Common(Option<Box<Fields>>);

/// The optional fields of an event that belongs to the run as a whole: as [`Common`], without
/// `subagentRunId`, which AG-UI 1.0 does not define there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunCommon(Option<Box<Fields>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Fields {
    timestamp: Option<i64>,
    raw_event: Option<Value>,
    metadata: Option<Map<String, Value>>,
    subagent_run_id: Option<SubagentRunId>,
}

macro_rules! accessors {
    ($name:ident) => {
        impl $name {
            /// True when no optional field is set.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.is_none()
            }

            /// Milliseconds since the Unix epoch, by convention; informational only, since arrival
            /// order is the order.
            #[must_use]
            pub fn timestamp(&self) -> Option<i64> {
                self.0.as_ref().and_then(|fields| fields.timestamp)
            }

            /// Sets the timestamp. Clamped to what a JavaScript client can hold, ±(2^53 − 1).
            pub fn set_timestamp(&mut self, milliseconds: i64) {
                self.fields().timestamp =
                    Some(milliseconds.clamp(-number::MAX_SAFE, number::MAX_SAFE));
            }

            /// Data of the producer's own, open by key.
            #[must_use]
            pub fn metadata(&self) -> Option<&Map<String, Value>> {
                self.0.as_ref().and_then(|fields| fields.metadata.as_ref())
            }

            /// The metadata, made when there is none.
            pub fn metadata_mut(&mut self) -> &mut Map<String, Value> {
                self.fields().metadata.get_or_insert_default()
            }

            /// Where the event came from, verbatim. Never `null`.
            #[must_use]
            pub fn raw_event(&self) -> Option<&Value> {
                self.0.as_ref().and_then(|fields| fields.raw_event.as_ref())
            }

            /// Sets the raw event; `null` unsets it, because the protocol forbids a null here.
            pub fn set_raw_event(&mut self, raw: Value) {
                if !raw.is_null() {
                    self.fields().raw_event = Some(raw);
                } else if let Some(fields) = &mut self.0 {
                    fields.raw_event = None;
                }
            }

            /// Bytes that the fields take beyond the event itself, roughly.
            #[must_use]
            pub fn weight(&self) -> usize {
                self.0.as_ref().map_or(0, |fields| {
                    let raw = fields.raw_event.as_ref().map_or(0, crate::weight::value);
                    let metadata = fields.metadata.as_ref().map_or(0, crate::weight::object);
                    size_of::<Fields>() + raw + metadata
                })
            }

            fn fields(&mut self) -> &mut Fields {
                self.0.get_or_insert_default()
            }

            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let Some(fields) = &self.0 else {
                    return serializer.serialize_map(Some(0))?.end();
                };
                let mut map = serializer.serialize_map(None)?;
                if let Some(timestamp) = fields.timestamp {
                    map.serialize_entry("timestamp", &timestamp)?;
                }
                if let Some(raw) = &fields.raw_event {
                    map.serialize_entry("rawEvent", raw)?;
                }
                if let Some(metadata) = &fields.metadata {
                    map.serialize_entry("metadata", metadata)?;
                }
                if let Some(id) = &fields.subagent_run_id {
                    map.serialize_entry("subagentRunId", id)?;
                }
                map.end()
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.write(serializer)
            }
        }
    };
}

accessors!(Common);
accessors!(RunCommon);

impl Common {
    /// The subagent invocation that the event belongs to; absent for the run's own agent.
    #[must_use]
    pub fn subagent_run_id(&self) -> Option<&SubagentRunId> {
        self.0
            .as_ref()
            .and_then(|fields| fields.subagent_run_id.as_ref())
    }

    /// Attributes the event to a subagent invocation.
    pub fn set_subagent_run_id(&mut self, id: impl Into<SubagentRunId>) {
        self.fields().subagent_run_id = Some(id.into());
    }
}

/// What both kinds look like on the wire. `Option` reads a null as absent.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    #[serde(default, deserialize_with = "number::safe_integer")]
    timestamp: Option<i64>,
    raw_event: Option<Value>,
    metadata: Option<Map<String, Value>>,
    subagent_run_id: Option<SubagentRunId>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunWire {
    #[serde(default, deserialize_with = "number::safe_integer")]
    timestamp: Option<i64>,
    raw_event: Option<Value>,
    metadata: Option<Map<String, Value>>,
}

fn boxed(fields: Fields) -> Option<Box<Fields>> {
    (fields != Fields::default()).then(|| Box::new(fields))
}

impl<'de> Deserialize<'de> for Common {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Wire {
            timestamp,
            raw_event,
            metadata,
            subagent_run_id,
        } = Wire::deserialize(deserializer)?;
        Ok(Self(boxed(Fields {
            timestamp,
            raw_event,
            metadata,
            subagent_run_id,
        })))
    }
}

impl<'de> Deserialize<'de> for RunCommon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let RunWire {
            timestamp,
            raw_event,
            metadata,
        } = RunWire::deserialize(deserializer)?;
        Ok(Self(boxed(Fields {
            timestamp,
            raw_event,
            metadata,
            subagent_run_id: None,
        })))
    }
}

/// Gives a payload the builder methods for its common fields.
macro_rules! with_common {
    ($name:ident) => {
        impl $name {
            /// Sets one key of the event's metadata.
            #[must_use]
            pub fn with_metadata(
                mut self,
                key: impl Into<String>,
                value: impl Into<serde_json::Value>,
            ) -> Self {
                self.common.metadata_mut().insert(key.into(), value.into());
                self
            }

            /// Sets the timestamp, in milliseconds since the Unix epoch.
            #[must_use]
            pub fn with_timestamp(mut self, milliseconds: i64) -> Self {
                self.common.set_timestamp(milliseconds);
                self
            }

            /// Says where the event came from, verbatim; `null` means nowhere.
            #[must_use]
            pub fn with_raw_event(mut self, raw: impl Into<serde_json::Value>) -> Self {
                self.common.set_raw_event(raw.into());
                self
            }
        }
    };
}
pub(super) use with_common;

/// Adds attribution to [`with_common`]'s methods.
macro_rules! attributable {
    ($name:ident) => {
        crate::event::common::with_common!($name);

        impl $name {
            /// Attributes the event to a subagent invocation.
            #[must_use]
            pub fn with_subagent_run_id(
                mut self,
                id: impl Into<crate::ids::SubagentRunId>,
            ) -> Self {
                self.common.set_subagent_run_id(id);
                self
            }
        }
    };
}
pub(super) use attributable;
