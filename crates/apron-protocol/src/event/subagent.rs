//! The life of a subagent invocation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::common::{RunCommon, with_common};
use crate::absent::nothing;
use crate::ids::{MessageId, SubagentRunId, ToolCallId};
use crate::outcome::{SubagentOutcome, optional_subagent_outcome};

/// `SUBAGENT_STARTED`: an invocation begins. Its id is never used again in the run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubagentStarted {
    /// The invocation.
    pub subagent_run_id: SubagentRunId,
    /// The subagent's name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The invocation that spawned it; absent for the run's own agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_subagent_run_id: Option<SubagentRunId>,
    /// The tool call that spawned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<ToolCallId>,
    /// The message that spawned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_message_id: Option<MessageId>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: RunCommon,
}

/// `SUBAGENT_FINISHED`: an invocation ends without a failure.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubagentFinished {
    /// The invocation.
    pub subagent_run_id: SubagentRunId,
    /// What it computed; any JSON but null.
    #[serde(skip_serializing_if = "nothing")]
    pub result: Option<Value>,
    /// How it ended; absent is a success. An unknown kind is read as absent.
    #[serde(
        default,
        deserialize_with = "optional_subagent_outcome",
        skip_serializing_if = "Option::is_none"
    )]
    pub outcome: Option<SubagentOutcome>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: RunCommon,
}

/// `SUBAGENT_ERROR`: an invocation failed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubagentError {
    /// The invocation.
    pub subagent_run_id: SubagentRunId,
    /// A sentence that may be shown to the user.
    pub message: String,
    /// A stable code that a program may act on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: RunCommon,
}

with_common!(SubagentStarted);
with_common!(SubagentFinished);
with_common!(SubagentError);

impl SubagentStarted {
    /// An invocation by the run's own agent.
    #[must_use]
    pub fn new(id: impl Into<SubagentRunId>, name: impl Into<String>) -> Self {
        Self {
            subagent_run_id: id.into(),
            name: name.into(),
            description: None,
            parent_subagent_run_id: None,
            parent_tool_call_id: None,
            parent_message_id: None,
            common: RunCommon::default(),
        }
    }

    /// Says what the subagent is for.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Names the invocation that spawned this one.
    #[must_use]
    pub fn with_parent_subagent_run_id(mut self, id: impl Into<SubagentRunId>) -> Self {
        self.parent_subagent_run_id = Some(id.into());
        self
    }

    /// Names the tool call that spawned this invocation.
    #[must_use]
    pub fn with_parent_tool_call_id(mut self, id: impl Into<ToolCallId>) -> Self {
        self.parent_tool_call_id = Some(id.into());
        self
    }

    /// Names the message that spawned this invocation.
    #[must_use]
    pub fn with_parent_message_id(mut self, id: impl Into<MessageId>) -> Self {
        self.parent_message_id = Some(id.into());
        self
    }
}

impl SubagentFinished {
    /// A successful end.
    #[must_use]
    pub fn new(id: impl Into<SubagentRunId>) -> Self {
        Self {
            subagent_run_id: id.into(),
            result: None,
            outcome: None,
            common: RunCommon::default(),
        }
    }

    /// Says how the invocation ended.
    #[must_use]
    pub fn with_outcome(mut self, outcome: SubagentOutcome) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Attaches a result; `null` means none.
    #[must_use]
    pub fn with_result(mut self, result: impl Into<Value>) -> Self {
        let result = result.into();
        self.result = (!result.is_null()).then_some(result);
        self
    }
}

impl SubagentError {
    /// A failure with a code and a message, both public.
    #[must_use]
    pub fn new(
        id: impl Into<SubagentRunId>,
        code: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            subagent_run_id: id.into(),
            message: message.into(),
            code: Some(code.into()),
            common: RunCommon::default(),
        }
    }
}
