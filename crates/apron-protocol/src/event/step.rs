//! Named phases of a run.

use serde::{Deserialize, Serialize};

use super::common::{Common, attributable};
use crate::text::Text;

/// `STEP_STARTED`: a named phase begins. Steps are keyed by their owner and name.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StepStarted {
    /// The name, unique among the open steps of its owner.
    pub step_name: Text,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: Common,
}

/// `STEP_FINISHED`: the phase of that name and owner ends.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StepFinished {
    /// The name that the step started with.
    pub step_name: Text,
    /// Optional fields of every event. The attribution must be the start's.
    #[serde(flatten)]
    pub common: Common,
}

attributable!(StepStarted);
attributable!(StepFinished);

impl StepStarted {
    /// A step of the run's own agent.
    #[must_use]
    pub fn new(step_name: impl Into<Text>) -> Self {
        Self {
            step_name: step_name.into(),
            common: Common::default(),
        }
    }
}

impl StepFinished {
    /// The end of a step of the run's own agent.
    #[must_use]
    pub fn new(step_name: impl Into<Text>) -> Self {
        Self {
            step_name: step_name.into(),
            common: Common::default(),
        }
    }
}
