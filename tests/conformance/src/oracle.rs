//! What a provider said, worked out from its chunks as plain JSON: the oracle of the recordings.
//!
//! It reads `serde_json::Value`s in the most literal way and knows nothing of the translator. It
//! covers what recordings contain; the inventions of the random streams know their own answer.
//!
//! * Text is, of choice 0 in order: `content` (a string, or its parts of type `text`), `refusal`,
//!   and the transcript of `audio`. A whole `message` counts when no delta had text.
//! * Reasoning is `reasoning_content`, else `reasoning`, else the text and summaries among
//!   `reasoning_details`; and the parts of type `thinking` in `content`.
//! * A call is told from another by its id, else by its index, else by having a name. A leading
//!   `{}` before more arguments is a placeholder, and no arguments are `{}`.
//! * An error member ends the answer; the chunk it stands in says nothing.
//! * The answer is complete when choice 0 has a finish reason, or when usage came without choices
//!   and nothing was said after it.

use serde_json::Value;

use crate::answer::{Answer, Call};
use crate::recording::{Data, Framed};

/// What a provider said, and how it ended.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Told {
    /// What it said.
    pub answer: Answer,
    /// True when it reported an error.
    pub failed: bool,
    /// True when there is a sign that it was done.
    pub complete: bool,
}

/// Listens to the frames of one stream.
#[must_use]
pub fn listen(frames: &[Framed]) -> Told {
    let mut ear = Ear::default();
    for frame in frames {
        match &frame.data {
            Data::Json(chunk) => {
                if says_something(&chunk["error"]) {
                    ear.failed = true;
                    break;
                }
                ear.chunk(chunk);
            }
            Data::Done => break,
            Data::Other(_) => {}
        }
    }
    ear.told()
}

#[derive(Default)]
struct Ear {
    text: String,
    reasoning: String,
    calls: Vec<Heard>,
    /// Whole messages, which count when there is no text.
    spare: String,
    failed: bool,
    finished: bool,
    closed: bool,
}

#[derive(Default)]
struct Heard {
    id: Option<String>,
    index: Option<u64>,
    name: String,
    arguments: String,
}

impl Ear {
    fn chunk(&mut self, chunk: &Value) {
        let choices = chunk["choices"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        if choices.is_empty() && says_something(&chunk["usage"]) {
            self.closed = true;
        }
        for choice in choices {
            if choice["index"].as_u64().unwrap_or(0) != 0 {
                continue;
            }
            self.finished |= word(&choice["finish_reason"]).is_some();
            self.delta(&choice["delta"]);
            if self.text.is_empty() {
                self.spare = word(&choice["message"]["content"])
                    .unwrap_or(&self.spare)
                    .to_owned();
            }
        }
    }

    fn delta(&mut self, delta: &Value) {
        let before = (self.text.len(), self.reasoning.len(), self.calls.len());
        if let Some(text) = word(&delta["reasoning_content"]).or(word(&delta["reasoning"])) {
            self.reasoning.push_str(text);
        } else {
            for detail in delta["reasoning_details"].as_array().into_iter().flatten() {
                let member = match detail["type"].as_str() {
                    Some("reasoning.text") => "text",
                    Some("reasoning.summary") => "summary",
                    _ => continue,
                };
                self.reasoning
                    .push_str(word(&detail[member]).unwrap_or_default());
            }
        }
        self.content(&delta["content"]);
        for said in [&delta["refusal"], &delta["audio"]["transcript"]] {
            self.text.push_str(word(said).unwrap_or_default());
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.call(call);
        }
        if before != (self.text.len(), self.reasoning.len(), self.calls.len()) {
            self.closed = false;
        }
    }

    fn content(&mut self, content: &Value) {
        self.text.push_str(word(content).unwrap_or_default());
        for part in content.as_array().into_iter().flatten() {
            match part["type"].as_str() {
                Some("text") => self.text.push_str(word(&part["text"]).unwrap_or_default()),
                Some("thinking") => {
                    self.reasoning
                        .push_str(word(&part["thinking"]).unwrap_or_default());
                    for thought in part["thinking"].as_array().into_iter().flatten() {
                        self.reasoning
                            .push_str(word(&thought["text"]).unwrap_or_default());
                    }
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, delta: &Value) {
        let id = word(&delta["id"]);
        let index = delta["index"].as_u64();
        let name = word(&delta["function"]["name"]);
        let by_id = self
            .calls
            .iter()
            .position(|call| id.is_some() && call.id.as_deref() == id);
        let by_index = self
            .calls
            .iter()
            .rposition(|call| index.is_some() && call.index == index);
        let last = self.calls.len().checked_sub(1);
        let at = match (by_id, id, index, name) {
            (Some(at), _, _, _) => Some(at),
            (None, Some(_), _, Some(_)) => None,
            (None, _, Some(_), _) => by_index,
            (None, _, None, None) => last,
            (None, None, None, Some(_)) => None,
        };
        let at = at.unwrap_or_else(|| {
            let id = id.map(str::to_owned);
            self.calls.push(Heard {
                id,
                index,
                ..Heard::default()
            });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if call.name.is_empty() {
            call.name = name.unwrap_or_default().to_owned();
        }
        call.arguments
            .push_str(word(&delta["function"]["arguments"]).unwrap_or_default());
    }

    fn told(self) -> Told {
        let calls = self.calls.into_iter().map(|call| {
            let arguments = call.arguments.as_str();
            let real = arguments
                .strip_prefix("{}")
                .filter(|rest| !rest.trim().is_empty());
            let real = real.unwrap_or(arguments);
            Call::new(call.name, if real.is_empty() { "{}" } else { real })
        });
        let text = if self.text.is_empty() {
            self.spare
        } else {
            self.text
        };
        let calls = calls.collect();
        Told {
            answer: Answer {
                text,
                reasoning: self.reasoning,
                calls,
            },
            failed: self.failed,
            complete: self.finished || self.closed,
        }
    }
}

fn word(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    }
}
