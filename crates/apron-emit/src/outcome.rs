//! How an agent says that it is done.

use apron_protocol::{Interrupt, RunOutcome, TokenUsage, ToolCallId};
use serde_json::{Map, Value};

use crate::ledger::Closing;

/// What an agent returns when it did not fail: it becomes `RUN_FINISHED`.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "an agent returns its outcome"]
pub struct Outcome {
    pub(crate) kind: RunOutcome,
    pub(crate) result: Option<Value>,
    pub(crate) usage: Vec<TokenUsage>,
    pub(crate) metadata: Map<String, Value>,
}

impl Outcome {
    fn new(kind: RunOutcome) -> Self {
        Self {
            kind,
            result: None,
            usage: Vec::new(),
            metadata: Map::new(),
        }
    }

    /// The run did what was asked. Calls without a result are named as pending, in call order, so
    /// that the client runs its tools: the run works them out.
    pub fn success() -> Self {
        Self::new(RunOutcome::success())
    }

    /// The run waits for answers.
    pub fn interrupt(interrupts: Vec<Interrupt>) -> Self {
        Self::new(RunOutcome::Interrupt { interrupts })
    }

    /// The agent stopped on purpose.
    pub fn cancelled() -> Self {
        Self::new(RunOutcome::Cancelled)
    }

    /// The outcome of a relayed `RUN_FINISHED`.
    pub(crate) fn of(kind: RunOutcome) -> Self {
        Self::new(kind)
    }

    /// What becomes of what is still open.
    pub(crate) fn closing(&self) -> Closing {
        match self.kind {
            RunOutcome::Cancelled => Closing::Cancelled,
            _ => Closing::Done,
        }
    }

    /// Attaches what the run computed; `null` means nothing. Clients show it for a success only.
    pub fn with_result(mut self, result: Value) -> Self {
        self.result = (!result.is_null()).then_some(result);
        self
    }

    /// Adds tokens to what the run has counted by itself.
    pub fn with_usage(mut self, usage: TokenUsage) -> Self {
        usage.merge_into(&mut self.usage);
        self
    }

    /// Sets one key of `RUN_FINISHED`'s metadata.
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// How the run ends.
    #[must_use]
    pub fn kind(&self) -> &RunOutcome {
        &self.kind
    }

    /// The calls that the source of a relay named as pending; none in an outcome of the agent's own.
    /// The run works the list out by itself when it ends, so answers that came later count.
    #[must_use]
    pub fn pending_tool_call_ids(&self) -> &[ToolCallId] {
        match &self.kind {
            RunOutcome::Success {
                pending_tool_call_ids,
            } => pending_tool_call_ids,
            _ => &[],
        }
    }
}

impl Default for Outcome {
    /// A success.
    fn default() -> Self {
        Self::success()
    }
}
