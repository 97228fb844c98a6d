//! How runs and subagent invocations end, and what interrupts them.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::absent::null_is_default;
use crate::ids::{InterruptId, SubagentRunId, ToolCallId};
use crate::object::objects;

/// How a run ended, when it did not fail.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunOutcome {
    /// It did what was asked.
    #[serde(rename_all = "camelCase")]
    Success {
        /// Calls of client tools that wait for an answer in the next run, in call order. An empty
        /// list and an absent one mean the same: the client works it out.
        #[serde(
            default,
            deserialize_with = "null_is_default",
            skip_serializing_if = "Vec::is_empty"
        )]
        pending_tool_call_ids: Vec<ToolCallId>,
    },
    /// It waits for a person.
    Interrupt {
        /// What it waits for; at least one, ids unique within the run.
        #[serde(deserialize_with = "at_least_one")]
        interrupts: Vec<Interrupt>,
    },
    /// It was stopped on purpose.
    Cancelled,
}

/// How a subagent invocation ended, when it did not fail.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum SubagentOutcome {
    /// It did what was asked.
    Success,
    /// It waits for a person.
    #[serde(rename_all = "camelCase")]
    Suspended {
        /// The interrupts it waits for.
        #[serde(
            default,
            deserialize_with = "null_is_default",
            skip_serializing_if = "Vec::is_empty"
        )]
        interrupt_ids: Vec<InterruptId>,
    },
}

/// A question to a person, without whose answer the run cannot go on.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Interrupt {
    /// The interrupt's id, unique within the run.
    pub id: InterruptId,
    /// Why; an open vocabulary (`tool_call`, `input_required`, …).
    pub reason: String,
    /// The question, for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The call that waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<ToolCallId>,
    /// JSON Schema of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_schema: Option<Map<String, Value>>,
    /// When the question lapses, ISO 8601 by convention. Without it, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Data of the producer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The subagent invocation that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_run_id: Option<SubagentRunId>,
}

impl RunOutcome {
    /// A success with nothing pending.
    #[must_use]
    pub fn success() -> Self {
        Self::Success {
            pending_tool_call_ids: Vec::new(),
        }
    }

    /// A wait for a person. `more` are further interrupts; the protocol forbids an empty list.
    #[must_use]
    pub fn interrupt(first: Interrupt, more: impl IntoIterator<Item = Interrupt>) -> Self {
        Self::Interrupt {
            interrupts: std::iter::once(first).chain(more).collect(),
        }
    }
}

impl Interrupt {
    /// A question without text.
    #[must_use]
    pub fn new(id: impl Into<InterruptId>, reason: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            reason: reason.into(),
            message: None,
            tool_call_id: None,
            response_schema: None,
            expires_at: None,
            metadata: None,
            subagent_run_id: None,
        }
    }

    /// Sets the question for the person.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Names the call that waits.
    #[must_use]
    pub fn with_tool_call_id(mut self, id: impl Into<ToolCallId>) -> Self {
        self.tool_call_id = Some(id.into());
        self
    }

    /// Sets the JSON Schema of the answer.
    #[must_use]
    pub fn with_response_schema(mut self, schema: Map<String, Value>) -> Self {
        self.response_schema = Some(schema);
        self
    }

    /// Says when the question lapses, as an ISO 8601 date and time
    /// (`2027-01-31T12:00:00Z`). A client takes one that it cannot read for never.
    #[must_use]
    pub fn with_expires_at(mut self, expires_at: impl Into<String>) -> Self {
        self.expires_at = Some(expires_at.into());
        self
    }

    /// Sets one key of the interrupt's metadata.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let metadata = self.metadata.get_or_insert_default();
        metadata.insert(key.into(), value.into());
        self
    }

    /// Names the subagent invocation that asks.
    #[must_use]
    pub fn with_subagent_run_id(mut self, id: impl Into<SubagentRunId>) -> Self {
        self.subagent_run_id = Some(id.into());
        self
    }
}

fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Interrupt>, D::Error> {
    let interrupts: Vec<Interrupt> = objects(deserializer)?;
    if interrupts.is_empty() {
        return Err(D::Error::custom(
            "an interrupt outcome has at least one interrupt",
        ));
    }
    Ok(interrupts)
}

/// Reads an outcome; one of an unknown type counts as absent, as the protocol asks.
fn known<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(
    deserializer: D,
    names: &[&str],
) -> Result<Option<T>, D::Error> {
    let Some(object) = Option::<Map<String, Value>>::deserialize(deserializer)? else {
        return Ok(None);
    };
    match object.get("type") {
        Some(Value::String(name)) if names.contains(&name.as_str()) => {
            serde_json::from_value(Value::Object(object))
                .map(Some)
                .map_err(D::Error::custom)
        }
        Some(Value::String(_)) => Ok(None),
        _ => Err(D::Error::custom("an outcome has no type")),
    }
}

pub(crate) fn optional_run_outcome<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<RunOutcome>, D::Error> {
    known(deserializer, &["success", "interrupt", "cancelled"])
}

pub(crate) fn optional_subagent_outcome<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SubagentOutcome>, D::Error> {
    known(deserializer, &["success", "suspended"])
}
