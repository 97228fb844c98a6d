//! A second opinion on order: a checker that shares no code with the ledger, and is stricter.
//!
//! It knows one thread and one run, and what Apron promises beyond the protocol: whatever is open
//! is closed before any terminal event, no id is opened twice or by two kinds, no delta is empty,
//! nothing optional is null, and the outcome names exactly the calls without a result.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// What is wrong with the events of a run; nothing when all is well.
#[must_use]
pub fn violations(events: &[Value]) -> Vec<String> {
    let mut checker = Checker::default();
    for (at, event) in events.iter().enumerate() {
        checker.at = at;
        checker.kind = event["type"].as_str().unwrap_or("no type").to_owned();
        checker.event(event);
        if holds_null(event) {
            checker.complain("a member is null");
        }
    }
    if checker.terminals != 1 {
        checker.complain(&format!("{} terminal events", checker.terminals));
    }
    checker.violations
}

#[derive(Default)]
struct Checker {
    violations: Vec<String>,
    at: usize,
    kind: String,
    terminals: usize,
    run: Option<(String, String)>,
    /// What is open, by family and id, deepest last.
    open: Vec<(&'static str, String)>,
    /// Every id that was ever opened, with the family that has it.
    names: HashMap<String, &'static str>,
    calls: Vec<String>,
    answered: HashSet<String>,
}

const TEXT: &str = "text message";
const SPAN: &str = "reasoning span";
const THOUGHT: &str = "reasoning message";
const CALL: &str = "tool call";
const STEP: &str = "step";

impl Checker {
    fn complain(&mut self, what: &str) {
        self.violations
            .push(format!("event {} ({}): {what}", self.at, self.kind));
    }

    fn event(&mut self, event: &Value) {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        if self.terminals > 0 {
            self.complain("after the terminal event");
        }
        let kind = self.kind.clone();
        if self.run.is_none() && kind != "RUN_STARTED" {
            self.complain("before RUN_STARTED");
        }
        match kind.as_str() {
            "RUN_STARTED" => {
                if self
                    .run
                    .replace((text("threadId"), text("runId")))
                    .is_some()
                {
                    self.complain("a second start");
                }
            }
            "RUN_FINISHED" => {
                self.terminal();
                if self.run.as_ref() != Some(&(text("threadId"), text("runId"))) {
                    self.complain("of another run");
                }
                self.outcome(&event["outcome"]);
            }
            "RUN_ERROR" => {
                self.terminal();
                if text("code").is_empty() || text("message").is_empty() {
                    self.complain("without code or message");
                }
            }
            "TEXT_MESSAGE_START" => self.start(TEXT, text("messageId")),
            "TEXT_MESSAGE_CONTENT" => self.content(TEXT, &text("messageId"), &text("delta")),
            "TEXT_MESSAGE_END" => self.end(TEXT, &text("messageId")),
            "REASONING_START" => self.start(SPAN, text("messageId")),
            "REASONING_END" => self.end(SPAN, &text("messageId")),
            "REASONING_MESSAGE_START" => {
                if !self.open.iter().any(|(family, _)| *family == SPAN) {
                    self.complain("outside of a span");
                }
                self.start(THOUGHT, text("messageId"));
            }
            "REASONING_MESSAGE_CONTENT" => {
                self.content(THOUGHT, &text("messageId"), &text("delta"));
            }
            "REASONING_MESSAGE_END" => self.end(THOUGHT, &text("messageId")),
            "REASONING_ENCRYPTED_VALUE" => {
                if !self.names.contains_key(&text("entityId")) {
                    self.complain("of nothing that is known");
                }
            }
            "TOOL_CALL_START" => {
                self.calls.push(text("toolCallId"));
                self.start(CALL, text("toolCallId"));
                self.parent(event["parentMessageId"].as_str());
            }
            "TOOL_CALL_ARGS" => self.content(CALL, &text("toolCallId"), &text("delta")),
            "TOOL_CALL_END" => self.end(CALL, &text("toolCallId")),
            "TOOL_CALL_RESULT" => self.result(text("toolCallId"), text("messageId")),
            "STEP_STARTED" => self.start(STEP, format!("step {}", text("stepName"))),
            "STEP_FINISHED" => self.end(STEP, &format!("step {}", text("stepName"))),
            other => self.complain(&format!("{other} is not expected of a chat translation")),
        }
    }

    fn start(&mut self, family: &'static str, id: String) {
        // The assistant message of a turn is named as a parent before it has text.
        let reserved = family == TEXT && self.names.get(&id) == Some(&PARENT);
        if self.names.insert(id.clone(), family).is_some() && !reserved {
            self.complain(&format!("the id {id:?} was used before"));
        }
        self.open.push((family, id));
    }

    fn content(&mut self, family: &'static str, id: &str, delta: &str) {
        if !self.is_open(family, id) {
            self.complain(&format!("no {family} {id:?} is open"));
        }
        if delta.is_empty() {
            self.complain("an empty delta");
        }
    }

    fn end(&mut self, family: &'static str, id: &str) {
        let at = self
            .open
            .iter()
            .position(|(kind, open)| *kind == family && open == id);
        match at {
            Some(at) => drop(self.open.remove(at)),
            None => self.complain(&format!("no {family} {id:?} is open")),
        }
        if family == SPAN && self.open.iter().any(|(kind, _)| *kind == THOUGHT) {
            self.complain("a reasoning message is still open");
        }
    }

    fn parent(&mut self, parent: Option<&str>) {
        let Some(parent) = parent else { return };
        match self.names.get(parent) {
            Some(&TEXT | &PARENT) => {}
            Some(other) => self.complain(&format!("the parent is a {other}")),
            None => drop(self.names.insert(parent.to_owned(), PARENT)),
        }
    }

    fn result(&mut self, call: String, message: String) {
        if !self.calls.contains(&call) {
            self.complain("for a call that is not known");
        }
        if self.is_open(CALL, &call) {
            self.complain("before the call has ended");
        }
        if self.names.insert(message.clone(), RESULT).is_some() {
            self.complain(&format!("the id {message:?} was used before"));
        }
        if !self.answered.insert(call) {
            self.complain("a second result");
        }
    }

    fn outcome(&mut self, outcome: &Value) {
        let named = outcome["pendingToolCallIds"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let named: Vec<&str> = named.iter().filter_map(Value::as_str).collect();
        let open = self
            .calls
            .iter()
            .filter(|call| !self.answered.contains(*call));
        let open: Vec<&str> = open.map(String::as_str).collect();
        if outcome["type"] == "success" && named != open {
            let what = format!("pending are {open:?}, and the outcome names {named:?}");
            self.complain(&what);
        }
    }

    fn terminal(&mut self) {
        self.terminals += 1;
        if !self.open.is_empty() {
            self.complain(&format!("still open: {:?}", self.open));
        }
    }

    fn is_open(&self, family: &str, id: &str) -> bool {
        self.open
            .iter()
            .any(|(kind, open)| *kind == family && open == id)
    }
}

const PARENT: &str = "parent";
const RESULT: &str = "result";

/// Whether a member is null at any depth that the protocol itself describes. What lies under
/// `metadata` and `result` is the application's.
fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(holds_null),
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "metadata" | "result"))
            .any(|(_, value)| holds_null(value)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(middle: &[Value]) -> Vec<String> {
        let mut events = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
        events.extend(middle.iter().cloned());
        events.push(
            json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r",
            "outcome": {"type": "success"}}),
        );
        violations(&events)
    }

    fn start(id: &str) -> Value {
        json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"})
    }

    fn end(id: &str) -> Value {
        json!({"type": "TEXT_MESSAGE_END", "messageId": id})
    }

    #[track_caller]
    fn refused(middle: &[Value], why: &str) {
        let found = run(middle);
        assert!(found.iter().any(|it| it.contains(why)), "{found:?}");
    }

    #[test]
    fn a_good_run_is_accepted() {
        let content = json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "x"});
        assert_eq!(run(&[start("a"), content, end("a")]), Vec::<String>::new());
    }

    #[test]
    fn a_bad_run_is_refused() {
        let content =
            |delta: &str| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": delta});
        refused(&[content("x")], "no text message \"a\" is open");
        refused(&[start("a"), content(""), end("a")], "empty delta");
        refused(&[start("a")], "still open");
        refused(&[start("a"), end("a"), start("a"), end("a")], "used before");
        refused(&[end("a")], "is open");
        let call = json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"});
        let done = json!({"type": "TOOL_CALL_END", "toolCallId": "c"});
        let result = json!({"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": "1"});
        refused(
            &[call.clone(), result.clone(), done.clone()],
            "before the call has ended",
        );
        refused(&[call.clone(), done.clone()], "pending are");
        refused(&[call, done, result.clone(), result], "a second result");
        refused(
            &[json!({"type": "STEP_STARTED", "stepName": "s", "rawEvent": null})],
            "null",
        );
        let error = json!({"type": "RUN_ERROR", "code": "c", "message": "m"});
        refused(&[error], "after the terminal event");
        assert!(!violations(&[]).is_empty());
    }
}
