//! Events in few words.

use apron_protocol::{
    ActivityDelta, ActivitySnapshot, Custom, Event, Interrupt, Message, MessagesSnapshot, Raw,
    ReasoningEncryptedValue, ReasoningEnd, ReasoningMessageContent, ReasoningMessageEnd,
    ReasoningMessageStart, ReasoningStart, RunError, RunFinished, RunOutcome, RunStarted,
    StateDelta, StateSnapshot, StepFinished, StepStarted, SubagentError, SubagentFinished,
    SubagentRunId, SubagentStarted, TextMessageContent, TextMessageEnd, TextMessageRole,
    TextMessageStart, ToolCallArgs, ToolCallEnd, ToolCallId, ToolCallResult, ToolCallStart,
};
use serde_json::{Map, Value};

pub(crate) fn run() -> Event {
    run_of("t", "r")
}

pub(crate) fn run_of(thread: &str, run: &str) -> Event {
    RunStarted::new(thread, run).into()
}

pub(crate) fn done() -> Event {
    done_of("t", "r")
}

pub(crate) fn done_of(thread: &str, run: &str) -> Event {
    RunFinished::new(thread, run).into()
}

pub(crate) fn done_with(outcome: RunOutcome) -> Event {
    RunFinished::new("t", "r").with_outcome(outcome).into()
}

pub(crate) fn interrupted(ids: &[&str]) -> RunOutcome {
    let interrupts = ids.iter().map(|id| Interrupt::new(*id, "approval"));
    RunOutcome::Interrupt {
        interrupts: interrupts.collect(),
    }
}

pub(crate) fn pending(ids: &[&str]) -> RunOutcome {
    RunOutcome::Success {
        pending_tool_call_ids: ids.iter().map(|id| ToolCallId::from(*id)).collect(),
    }
}

pub(crate) fn error() -> Event {
    RunError::new("code", "message").into()
}

pub(crate) fn by(mut event: Event, owner: &str) -> Event {
    event.attribute(&SubagentRunId::from(owner));
    event
}

pub(crate) fn text(id: &str) -> Event {
    TextMessageStart::new(id).into()
}

pub(crate) fn text_as(id: &str, role: TextMessageRole, name: Option<&str>) -> Event {
    let mut start = TextMessageStart::new(id).with_role(role);
    start.name = name.map(str::to_owned);
    start.into()
}

pub(crate) fn content(id: &str) -> Event {
    TextMessageContent::new(id, "word").into()
}

pub(crate) fn text_end(id: &str) -> Event {
    TextMessageEnd::new(id).into()
}

pub(crate) fn call(id: &str) -> Event {
    ToolCallStart::new(id, "tool").into()
}

pub(crate) fn call_under(id: &str, parent: &str) -> Event {
    ToolCallStart::new(id, "tool")
        .with_parent_message_id(parent)
        .into()
}

pub(crate) fn call_of(id: &str, tool: &str) -> Event {
    ToolCallStart::new(id, tool).into()
}

pub(crate) fn args(id: &str) -> Event {
    ToolCallArgs::new(id, "{}").into()
}

pub(crate) fn call_end(id: &str) -> Event {
    ToolCallEnd::new(id).into()
}

pub(crate) fn result(id: &str, call: &str) -> Event {
    ToolCallResult::new(id, call, "answer").into()
}

pub(crate) fn span(id: &str) -> Event {
    ReasoningStart::new(id).into()
}

pub(crate) fn span_end(id: &str) -> Event {
    ReasoningEnd::new(id).into()
}

pub(crate) fn thought(id: &str) -> Event {
    ReasoningMessageStart::new(id).into()
}

pub(crate) fn thinking(id: &str) -> Event {
    ReasoningMessageContent::new(id, "hm").into()
}

pub(crate) fn thought_end(id: &str) -> Event {
    ReasoningMessageEnd::new(id).into()
}

pub(crate) fn hidden(id: &str) -> Event {
    ReasoningEncryptedValue::of_message(id, "secret").into()
}

pub(crate) fn hidden_call(id: &str) -> Event {
    ReasoningEncryptedValue::of_tool_call(&ToolCallId::from(id), "secret").into()
}

pub(crate) fn step(name: &str) -> Event {
    StepStarted::new(name).into()
}

pub(crate) fn step_end(name: &str) -> Event {
    StepFinished::new(name).into()
}

pub(crate) fn agent(id: &str) -> Event {
    SubagentStarted::new(id, "helper").into()
}

pub(crate) fn agent_under(id: &str, parent: &str) -> Event {
    SubagentStarted::new(id, "helper")
        .with_parent_subagent_run_id(parent)
        .into()
}

pub(crate) fn agent_end(id: &str) -> Event {
    SubagentFinished::new(id).into()
}

pub(crate) fn agent_error(id: &str) -> Event {
    SubagentError::new(id, "code", "message").into()
}

pub(crate) fn activity(id: &str) -> Event {
    ActivitySnapshot::new(id, "PLAN", Map::new()).into()
}

pub(crate) fn activity_kept(id: &str) -> Event {
    ActivitySnapshot::new(id, "PLAN", Map::new())
        .with_replace(false)
        .into()
}

pub(crate) fn activity_delta(id: &str) -> Event {
    ActivityDelta::new(id, "PLAN", Vec::new()).into()
}

pub(crate) fn messages(messages: Vec<Message>) -> Event {
    MessagesSnapshot::new(messages).into()
}

pub(crate) fn custom() -> Event {
    Custom::new("test.custom", Value::Null).into()
}

pub(crate) fn raw() -> Event {
    Raw::new(Value::Null).into()
}

pub(crate) fn state() -> Event {
    StateSnapshot::new(Value::Null).into()
}

pub(crate) fn state_delta() -> Event {
    StateDelta::new(Vec::new()).into()
}
