//! The run as a whole: started, finished, failed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::common::{RunCommon, with_common};
use crate::absent::nothing;
use crate::ids::{RunId, ThreadId};
use crate::input::RunAgentInput;
use crate::object::objects;
use crate::outcome::{RunOutcome, optional_run_outcome};
use crate::usage::TokenUsage;
use crate::version::PROTOCOL_VERSION;

/// `RUN_STARTED`: the first event of a run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunStarted {
    /// The thread of the request.
    pub thread_id: ThreadId,
    /// The run of the request.
    pub run_id: RunId,
    /// The version the producer speaks, `major.minor`. A 1.0 producer must send it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The run this one continues or was spawned by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<RunId>,
    /// The request, echoed. Absent by default: a client validates it deeply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<RunAgentInput>>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: RunCommon,
}

with_common!(RunStarted);

impl RunStarted {
    /// A start that declares [`PROTOCOL_VERSION`].
    #[must_use]
    pub fn new(thread_id: impl Into<ThreadId>, run_id: impl Into<RunId>) -> Self {
        Self {
            thread_id: thread_id.into(),
            run_id: run_id.into(),
            protocol_version: Some(PROTOCOL_VERSION.to_owned()),
            parent_run_id: None,
            input: None,
            common: RunCommon::default(),
        }
    }

    /// Names the run that this one continues or was spawned by.
    #[must_use]
    pub fn with_parent_run_id(mut self, id: impl Into<RunId>) -> Self {
        self.parent_run_id = Some(id.into());
        self
    }

    /// Echoes the request. A client validates it deeply, so echo only what was read by
    /// [`RunAgentInput::from_slice`] or built here.
    #[must_use]
    pub fn with_input(mut self, input: RunAgentInput) -> Self {
        self.input = Some(Box::new(input));
        self
    }
}

/// `RUN_FINISHED`: the run came to an end that is no failure.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunFinished {
    /// The thread of the run.
    pub thread_id: ThreadId,
    /// The run that ends.
    pub run_id: RunId,
    /// What the run computed; any JSON but null. Clients show it for a success only.
    #[serde(skip_serializing_if = "nothing")]
    pub result: Option<Value>,
    /// How it ended; absent is a success. An unknown kind is read as absent.
    #[serde(
        default,
        deserialize_with = "optional_run_outcome",
        skip_serializing_if = "Option::is_none"
    )]
    pub outcome: Option<RunOutcome>,
    /// Tokens used by this run, one entry per provider and model.
    #[serde(
        default,
        deserialize_with = "objects",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub usage: Vec<TokenUsage>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: RunCommon,
}

with_common!(RunFinished);

impl RunFinished {
    /// An end without outcome, which is a success.
    #[must_use]
    pub fn new(thread_id: impl Into<ThreadId>, run_id: impl Into<RunId>) -> Self {
        Self {
            thread_id: thread_id.into(),
            run_id: run_id.into(),
            result: None,
            outcome: None,
            usage: Vec::new(),
            common: RunCommon::default(),
        }
    }

    /// Says how the run ended.
    #[must_use]
    pub fn with_outcome(mut self, outcome: RunOutcome) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Reports what the run used.
    #[must_use]
    pub fn with_usage(mut self, usage: Vec<TokenUsage>) -> Self {
        self.usage = usage;
        self
    }

    /// Attaches a result; `null` means none.
    #[must_use]
    pub fn with_result(mut self, result: Value) -> Self {
        self.result = (!result.is_null()).then_some(result);
        self
    }
}

/// `RUN_ERROR`: the run failed. It names no run: it ends the one that is active.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunError {
    /// A sentence that may be shown to the user.
    pub message: String,
    /// A stable code that a program may act on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Tokens used until the failure, one entry per provider and model.
    #[serde(
        default,
        deserialize_with = "objects",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub usage: Vec<TokenUsage>,
    /// Optional fields of every event.
    #[serde(flatten)]
    pub common: RunCommon,
}

with_common!(RunError);

impl RunError {
    /// A failure with a code and a message, both public.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: Some(code.into()),
            usage: Vec::new(),
            common: RunCommon::default(),
        }
    }

    /// Reports what the run used until it failed.
    #[must_use]
    pub fn with_usage(mut self, usage: Vec<TokenUsage>) -> Self {
        self.usage = usage;
        self
    }
}
