//! A finished turn of the model.

use apron_protocol::{
    Event, MessageId, RunFinished, RunId, RunOutcome, ThreadId, TokenUsage, ToolCallId,
};
use serde_json::{Map, Value};

use super::finish::FinishReason;

/// What the model said in one answer, put together: for an agent loop that goes on from here.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The assistant message that a client has for the turn: the one with the calls, or else the
    /// last one with text.
    pub message_id: Option<MessageId>,
    /// All text, refusals too.
    pub text: String,
    /// True when a part of the text is a refusal.
    pub refused: bool,
    /// What the model thought.
    pub thoughts: Thoughts,
    /// The calls, in the order in which they were announced. All have ended.
    pub calls: Vec<TurnCall>,
    /// Calls that wait for the client, in call order.
    pub pending: Vec<ToolCallId>,
    /// Tokens that the turn used; absent when the provider did not say.
    pub usage: Option<TokenUsage>,
    /// Why the model stopped.
    pub finish_reason: FinishReason,
    /// The provider's word for it.
    pub raw_finish_reason: Option<String>,
    /// The model, as the provider names it.
    pub model: Option<String>,
    /// The provider's id of the answer.
    pub response_id: Option<String>,
    /// What was passed over on the way.
    pub diagnostics: Diagnostics,
    /// What `RUN_FINISHED` says under this crate's key.
    pub(super) metadata: Map<String, Value>,
}

/// What the model thought.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Thoughts {
    /// As text. Some providers want it back as `reasoning_content`.
    pub text: String,
    /// As OpenRouter's `reasoning_details`, which go back unchanged.
    pub details: Vec<Map<String, Value>>,
    /// As Venice's `reasoning_encrypted`.
    pub encrypted: Option<String>,
}

/// A call that the model made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TurnCall {
    /// The id that the client knows.
    pub id: ToolCallId,
    /// The id that the provider knows; absent when it gave none.
    pub provider_id: Option<String>,
    /// The tool's name, as the client knows it.
    pub name: String,
    /// The arguments, verbatim; never empty.
    pub arguments: String,
    /// What must go back with the call, verbatim: Google's thought signature.
    pub extra_content: Option<Value>,
    /// Whether the arguments can be used.
    pub state: CallState,
    /// True when the model was offered the tool.
    pub known: bool,
}

/// Whether a call's arguments can be used.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum CallState {
    /// They are JSON.
    Complete,
    /// They are no JSON, by the model's own doing.
    Invalid,
    /// The model was cut off, so they must not be used even if they look whole.
    Cut,
}

/// What was passed over on the way.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Diagnostics {
    /// Chunks of the stream.
    pub chunks: u64,
    /// Chunks that were no JSON.
    pub malformed: u32,
    /// Chunks that were JSON of an unknown kind.
    pub unknown: u32,
    /// Calls without name and arguments, which were dropped.
    pub empty_calls: u32,
    /// Values for the next request that were too large to travel, which were dropped.
    pub oversize_envelopes: u32,
}

impl Turn {
    /// The end of a run that consists of this turn.
    #[must_use]
    pub fn run_finished(&self, thread: impl Into<ThreadId>, run: impl Into<RunId>) -> Event {
        let mut finished = RunFinished::new(thread, run)
            .with_outcome(RunOutcome::Success {
                pending_tool_call_ids: self.pending.clone(),
            })
            .with_usage(self.usage.iter().cloned().collect());
        if !self.metadata.is_empty() {
            finished = finished.with_metadata(METADATA_KEY, self.metadata.clone());
        }
        finished.into()
    }
}

/// The key under which this crate puts what AG-UI has no field for.
pub(super) const METADATA_KEY: &str = "openai";
