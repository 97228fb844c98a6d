//! What was said in an answer, whoever tells it: a provider, our events, or a client's messages.

use std::collections::HashMap;

use serde_json::Value;

/// An answer put together: all its text, all its reasoning, and its tool calls in order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The text of all assistant messages.
    pub text: String,
    /// The text of all reasoning.
    pub reasoning: String,
    /// The calls, in the order in which they came up.
    pub calls: Vec<Call>,
}

/// A tool call.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The tool's name.
    pub name: String,
    /// The arguments, verbatim.
    pub arguments: String,
}

impl Call {
    /// A call of `name` with `arguments`.
    #[must_use]
    pub fn new(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: arguments.into(),
        }
    }
}

impl Answer {
    /// What AG-UI events tell, read from their JSON with nothing of Apron's.
    #[must_use]
    pub fn of_events(events: &[Value]) -> Self {
        let mut answer = Self::default();
        let mut calls: HashMap<&str, usize> = HashMap::new();
        for event in events {
            let text = |name: &str| event[name].as_str().unwrap_or_default();
            match text("type") {
                "TEXT_MESSAGE_CONTENT" => answer.text.push_str(text("delta")),
                "REASONING_MESSAGE_CONTENT" => answer.reasoning.push_str(text("delta")),
                "TOOL_CALL_START" => {
                    calls.insert(text("toolCallId"), answer.calls.len());
                    answer.calls.push(Call::new(text("toolCallName"), ""));
                }
                "TOOL_CALL_ARGS" => {
                    if let Some(&at) = calls.get(text("toolCallId")) {
                        answer.calls[at].arguments.push_str(text("delta"));
                    }
                }
                _ => {}
            }
        }
        answer
    }

    /// What a client's messages tell after it has reduced the events.
    #[must_use]
    pub fn of_messages(messages: &[Value]) -> Self {
        let mut answer = Self::default();
        for message in messages {
            let content = message["content"].as_str().unwrap_or_default();
            match message["role"].as_str() {
                Some("assistant") => answer.text.push_str(content),
                Some("reasoning") => answer.reasoning.push_str(content),
                _ => {}
            }
            for call in message["toolCalls"].as_array().into_iter().flatten() {
                let text = |name: &str| call["function"][name].as_str().unwrap_or_default();
                answer
                    .calls
                    .push(Call::new(text("name"), text("arguments")));
            }
        }
        answer
    }

    /// Where `self`, which is what should be, and `other` part ways; `None` when they are the same.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.text != other.text {
            return Some(format!("text: {}", parting(&self.text, &other.text)));
        }
        if self.reasoning != other.reasoning {
            return Some(format!(
                "reasoning: {}",
                parting(&self.reasoning, &other.reasoning)
            ));
        }
        if self.calls != other.calls {
            return Some(format!(
                "calls: expected {:?}, got {:?}",
                self.calls, other.calls
            ));
        }
        None
    }
}

fn parting(expected: &str, got: &str) -> String {
    let same = expected
        .chars()
        .zip(got.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let rest = |text: &str| text.chars().skip(same).take(40).collect::<String>();
    format!(
        "after {same} characters expected {:?}, got {:?}",
        rest(expected),
        rest(got)
    )
}
