//! Activities: structured progress that lives in the message list and never reaches the model.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::common::{Common, attributable};
use crate::ids::MessageId;
use crate::patch::{PatchOperation, operations};

/// `ACTIVITY_SNAPSHOT`: creates an activity or replaces its content.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ActivitySnapshot {
    /// The activity's id, in the same space as every message's.
    pub message_id: MessageId,
    /// What kind of activity it is.
    pub activity_type: String,
    /// The content; always an object.
    pub content: Map<String, Value>,
    /// `false` keeps the content of an activity that exists; absent means `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<bool>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `ACTIVITY_DELTA`: changes an activity's content by RFC 6902 operations, all or none.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ActivityDelta {
    /// The activity.
    pub message_id: MessageId,
    /// What kind of activity it is.
    pub activity_type: String,
    /// The operations, in order. On reading, an operation of an unknown kind is left out.
    #[serde(deserialize_with = "operations")]
    pub patch: Vec<PatchOperation>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

attributable!(ActivitySnapshot);
attributable!(ActivityDelta);

impl ActivitySnapshot {
    /// A snapshot that creates or replaces.
    #[must_use]
    pub fn new(
        message_id: impl Into<MessageId>,
        activity_type: impl Into<String>,
        content: Map<String, Value>,
    ) -> Self {
        Self {
            message_id: message_id.into(),
            activity_type: activity_type.into(),
            content,
            replace: None,
            common: Common::default(),
        }
    }

    /// Says whether an activity that exists is replaced.
    #[must_use]
    pub fn with_replace(mut self, replace: bool) -> Self {
        self.replace = Some(replace);
        self
    }
}

impl ActivityDelta {
    /// Changes an activity.
    #[must_use]
    pub fn new(
        message_id: impl Into<MessageId>,
        activity_type: impl Into<String>,
        patch: Vec<PatchOperation>,
    ) -> Self {
        Self {
            message_id: message_id.into(),
            activity_type: activity_type.into(),
            patch,
            common: Common::default(),
        }
    }
}
