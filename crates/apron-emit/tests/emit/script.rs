//! Reads `ordering.txt`: two streams a case, one event a phrase.
//!
//! ```text
//! rule: name
//!   history (messages that the input has; left out when the history is not known)
//!   refused (events; the last breaks the rule)
//!   legal   (events that are all admitted)
//! ```
//!
//! A phrase is a verb of `words`, its ids, and `@owner`. Messages stand in brackets.

use apron_protocol::{
    AssistantMessage, Event, Message, ReasoningMessageChunk, RunAgentInput, RunFinished,
    RunOutcome, RunStarted, TextMessageChunk, TextMessageRole, ToolCall, ToolCallChunk,
};

use proptest::prelude::*;

use super::words;

/// Two streams that differ in little.
pub(crate) struct Case {
    pub(crate) rule: String,
    pub(crate) name: String,
    pub(crate) history: Option<Vec<Message>>,
    pub(crate) refused: Vec<Event>,
    pub(crate) legal: Vec<Event>,
}

/// Every case of the corpus.
pub(crate) fn corpus() -> Vec<Case> {
    include_str!("../ordering.txt")
        .split("\n\n")
        .map(case)
        .collect()
}

/// One case of the corpus.
pub(crate) fn case(text: &str) -> Case {
    let mut lines = text.lines();
    let (rule, name) = lines.next().unwrap().split_once(": ").unwrap();
    let mut case = Case {
        rule: rule.to_owned(),
        name: name.to_owned(),
        history: None,
        refused: Vec::new(),
        legal: Vec::new(),
    };
    for line in lines {
        let (key, said) = line.trim().split_once(' ').unwrap();
        match key {
            "history" if said == "empty" => case.history = Some(Vec::new()),
            "history" => case.history = Some(said.split("; ").map(message).collect()),
            "refused" => case.refused = events(said),
            "legal" => case.legal = events(said),
            _ => panic!("no such line: {line}"),
        }
    }
    assert!(!case.refused.is_empty() && !case.legal.is_empty(), "{text}");
    case
}

pub(crate) fn events(said: &str) -> Vec<Event> {
    said.split(';').map(|phrase| event(phrase.trim())).collect()
}

fn event(phrase: &str) -> Event {
    if let Some((phrase, owner)) = phrase.split_once(" @")
        && !phrase.contains('[')
    {
        return words::by(event(phrase), owner);
    }
    let (phrase, listed) = match phrase.split_once('[') {
        Some((phrase, listed)) => (phrase.trim(), messages(listed)),
        None => (phrase, Vec::new()),
    };
    let words: Vec<&str> = phrase.split(' ').collect();
    match words.as_slice() {
        ["run"] => words::run(),
        ["run", "echoing"] => echoing("r", listed),
        ["run", run, "echoing"] => echoing(run, listed),
        ["run", run] => words::run_of("t", run),
        ["run", run, "on", thread] => words::run_of(thread, run),
        ["error"] => words::error(),
        ["done"] => words::done(),
        ["done", "cancelled"] => words::done_with(RunOutcome::Cancelled),
        ["done", "interrupt", ids @ ..] => words::done_with(words::interrupted(ids)),
        ["done", "pending", ids @ ..] => words::done_with(words::pending(ids)),
        ["done", run] => words::done_of("t", run),
        ["done", "on", thread] => words::done_of(thread, "r"),
        ["done", run, "pending", ids @ ..] => RunFinished::new("t", *run)
            .with_outcome(words::pending(ids))
            .into(),
        ["text", id, "as", who] => words::text_as(id, role(who), None),
        ["text", id, "as", who, name] => words::text_as(id, role(who), Some(name)),
        ["call", id, "under"] => words::call_under(id, ""),
        ["call", id, "under", parent] => words::call_under(id, parent),
        ["call", id, "of", tool] => words::call_of(id, tool),
        ["result", id, "for", call] => words::result(id, call),
        ["agent", id, "under", parent] => words::agent_under(id, parent),
        ["messages"] => words::messages(listed),
        ["custom"] => words::custom(),
        ["raw"] => words::raw(),
        ["state"] => words::state(),
        ["state-delta"] => words::state_delta(),
        [verb, id] => about(verb, id),
        _ => panic!("no such phrase: {phrase}"),
    }
}

fn echoing(run: &str, messages: Vec<Message>) -> Event {
    let mut input = RunAgentInput::new("t", run);
    input.messages = messages;
    RunStarted::new("t", run).with_input(input).into()
}

/// Phrases of a verb and one id.
fn about(verb: &str, id: &str) -> Event {
    match verb {
        "text" => words::text(id),
        "content" => words::content(id),
        "text-end" => words::text_end(id),
        "call" => words::call(id),
        "args" => words::args(id),
        "call-end" => words::call_end(id),
        "span" => words::span(id),
        "span-end" => words::span_end(id),
        "thought" => words::thought(id),
        "thinking" => words::thinking(id),
        "thought-end" => words::thought_end(id),
        "hidden" => words::hidden(id),
        "hidden-call" => words::hidden_call(id),
        "step" => words::step(id),
        "step-end" => words::step_end(id),
        "agent" => words::agent(id),
        "agent-end" => words::agent_end(id),
        "agent-error" => words::agent_error(id),
        "activity" => words::activity(id),
        "activity-kept" => words::activity_kept(id),
        "activity-delta" => words::activity_delta(id),
        "text-chunk" => TextMessageChunk::new()
            .with_message_id(id)
            .with_delta("word")
            .into(),
        "call-chunk" => ToolCallChunk::new()
            .with_tool_call_id(id)
            .with_tool_call_name("tool")
            .into(),
        "thought-chunk" => ReasoningMessageChunk::new()
            .with_message_id(id)
            .with_delta("hm")
            .into(),
        _ => panic!("no such verb: {verb}"),
    }
}

fn role(name: &str) -> TextMessageRole {
    match name {
        "assistant" => TextMessageRole::Assistant,
        "user" => TextMessageRole::User,
        "system" => TextMessageRole::System,
        "developer" => TextMessageRole::Developer,
        _ => panic!("no such role: {name}"),
    }
}

/// `a] [b] [c]`, the first bracket gone already.
fn messages(listed: &str) -> Vec<Message> {
    let listed = listed.strip_suffix(']').unwrap();
    listed.split("] [").map(message).collect()
}

fn message(phrase: &str) -> Message {
    let (phrase, owner) = match phrase.split_once(" @") {
        Some((phrase, owner)) => (phrase, Some(owner)),
        None => (phrase, None),
    };
    let words: Vec<&str> = phrase.split(' ').collect();
    match words.as_slice() {
        ["assistant", id] => {
            let mut message = AssistantMessage::new(*id).with_content("said");
            message.subagent_run_id = owner.map(Into::into);
            message.into()
        }
        ["caller", id, "of", call] => {
            let mut message = AssistantMessage::new(*id);
            message.tool_calls.push(ToolCall::new(*call, "tool", "{}"));
            message.subagent_run_id = owner.map(Into::into);
            message.into()
        }
        ["user", id] => Message::user(*id, "asked"),
        ["reasoning", id] => Message::reasoning(*id, "hm"),
        ["tool", id, "for", call] => Message::tool(*id, *call, "answer"),
        _ => panic!("no such message: {phrase}"),
    }
}

/// Events about few ids, so that they meet.
pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    let verbs = "text content text-end call args call-end span span-end thought thinking \
        thought-end hidden hidden-call step step-end agent agent-end agent-error activity \
        activity-kept activity-delta";
    let verbs: Vec<&str> = verbs.split_whitespace().collect();
    let id = || prop::sample::select(vec!["m", "n", "c", "q"]);
    let one = (prop::sample::select(verbs), id()).prop_map(|(verb, id)| format!("{verb} {id}"));
    let links = vec![
        ("call", "under"),
        ("call", "of"),
        ("result", "for"),
        ("agent", "under"),
    ];
    let two = (prop::sample::select(links), id(), id())
        .prop_map(|((verb, link), a, b)| format!("{verb} {a} {link} {b}"));
    let owner = prop::option::weighted(0.3, prop::sample::select(vec!["a", "b"]));
    let owned = (prop_oneof![3 => one, 1 => two], owner);
    let owned = owned.prop_map(|(phrase, owner)| match owner {
        Some(owner) => format!("{phrase} @{owner}"),
        None => phrase,
    });
    let whole = prop::sample::select(vec![
        "run r2",
        "run r2 echoing [assistant m @a] [user n] [caller q of c]",
        "run r3 on u",
        "done",
        "done r2",
        "error",
        "custom",
        "raw",
        "state",
        "state-delta",
        "messages [assistant m @a] [caller n of c]",
    ]);
    prop_oneof![12 => owned, 1 => whole.prop_map(str::to_owned)].prop_map(|phrase| event(&phrase))
}
