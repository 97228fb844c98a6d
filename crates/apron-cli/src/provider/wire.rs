//! Steps as the bytes that an OpenAI chat stream carries.

use serde_json::{Value, json};

use super::ask::Ask;
use super::script::Step;

/// The framing of one answer: what every chunk of it repeats, and the running token count.
#[derive(Debug)]
pub(super) struct Wire {
    id: String,
    model: String,
    created: u64,
    include_usage: bool,
    prompt_tokens: usize,
    completion_tokens: usize,
    reasoning_tokens: usize,
}

impl Wire {
    /// The answer to `ask`, named `id`; `created` is in seconds since 1970.
    pub(super) fn new(ask: &Ask<'_>, id: String, created: u64) -> Self {
        Self {
            id,
            model: ask.model().to_owned(),
            created,
            include_usage: ask.include_usage(),
            prompt_tokens: ask.tokens(),
            completion_tokens: 0,
            reasoning_tokens: 0,
        }
    }

    /// The frames of one step. A step that writes nothing is empty.
    pub(super) fn frames(&mut self, step: Step) -> String {
        match step {
            Step::Open => self.delta(&json!({"role": "assistant", "content": "", "refusal": null})),
            Step::Text(text) => {
                self.completion_tokens += 1;
                self.delta(&json!({"content": text}))
            }
            Step::Reasoning(text) => {
                self.completion_tokens += 1;
                self.reasoning_tokens += 1;
                self.delta(&json!({"reasoning_content": text}))
            }
            Step::CallOpen { index, name } => {
                self.completion_tokens += 1;
                let id = format!("call_{}{index:02x}", self.id);
                let function = json!({"name": name, "arguments": ""});
                self.delta(&json!({"tool_calls": [
                    {"index": index, "id": id, "type": "function", "function": function}
                ]}))
            }
            Step::CallArguments { index, piece } => {
                self.completion_tokens += 1;
                let function = json!({"arguments": piece});
                self.delta(&json!({"tool_calls": [{"index": index, "function": function}]}))
            }
            Step::Finish(reason) => self.end(reason),
            Step::Object(object) => frame(&object),
            Step::Abort | Step::Silence => String::new(),
        }
    }

    fn end(&self, reason: &str) -> String {
        let mut frames = frame(&self.chunk(&json!([choice(&json!({}), Some(reason))]), None));
        if self.include_usage {
            frames += &frame(&self.chunk(&json!([]), Some(self.usage())));
        }
        frames += "data: [DONE]\n\n";
        frames
    }

    fn delta(&self, delta: &Value) -> String {
        frame(&self.chunk(&json!([choice(delta, None)]), None))
    }

    /// A chunk; once usage was asked for, all chunks but the last say that theirs is null.
    fn chunk(&self, choices: &Value, usage: Option<Value>) -> Value {
        let mut chunk = json!({
            "id": format!("chatcmpl-{}", self.id),
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "system_fingerprint": null,
            "choices": choices,
        });
        if let (true, Some(members)) = (self.include_usage, chunk.as_object_mut()) {
            members.insert("usage".into(), usage.unwrap_or(Value::Null));
        }
        chunk
    }

    fn usage(&self) -> Value {
        json!({
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning_tokens},
        })
    }
}

fn choice(delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason})
}

fn frame(object: &Value) -> String {
    format!("data: {object}\n\n")
}
