//! Events whose meaning the application gives.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::common::{Common, attributable};

/// `RAW`: an event of another system, passed through.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Raw {
    /// The event; `null` is a value.
    pub event: Value,
    /// The system it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `CUSTOM`: an event of the application's own. A name with a prefix (`shop.cart`) avoids clashes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Custom {
    /// What it is.
    pub name: String,
    /// What it says; `null` is a value.
    pub value: Value,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

attributable!(Raw);
attributable!(Custom);

impl Raw {
    /// Passes an event through.
    #[must_use]
    pub fn new(event: impl Into<Value>) -> Self {
        Self {
            event: event.into(),
            source: None,
            common: Common::default(),
        }
    }

    /// Names the system that the event came from.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl Custom {
    /// An event of the application's own.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            common: Common::default(),
        }
    }
}
