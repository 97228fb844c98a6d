//! A chat request, read as far as a scripted answer needs it.

use std::borrow::Cow;

use serde_json::Value;

/// A lenient view of the request: what is missing or misshapen reads as absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    body: &'a Value,
}

/// A tool that the request offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolSpec<'a> {
    pub(crate) name: &'a str,
    /// The JSON Schema of its arguments; null when the request gives none.
    pub(crate) parameters: &'a Value,
}

/// The result of a tool call, as the conversation reports it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ToolResult<'a> {
    /// The tool's name, when the call is in the conversation.
    pub(crate) name: Option<&'a str>,
    pub(crate) content: String,
}

impl<'a> Ask<'a> {
    /// A view of a request's body.
    pub(crate) fn new(body: &'a Value) -> Self {
        Self { body }
    }

    /// The model's name as the client wrote it.
    pub(crate) fn model(&self) -> &'a str {
        self.body["model"].as_str().unwrap_or("apron-script")
    }

    /// Whether a stream was asked for.
    pub(crate) fn stream(&self) -> bool {
        self.body["stream"] == true
    }

    /// Whether the stream is to end with its usage.
    pub(crate) fn include_usage(&self) -> bool {
        self.body
            .pointer("/stream_options/include_usage")
            .is_some_and(|usage| *usage == true)
    }

    /// A rough size of the prompt, in tokens of four bytes.
    pub(crate) fn tokens(&self) -> usize {
        self.messages()
            .iter()
            .map(|message| text(&message["content"]).len().div_ceil(4))
            .sum()
    }

    /// The text of the last user message; empty when there is none.
    pub(crate) fn last_user_text(&self) -> Cow<'a, str> {
        let last = self
            .messages()
            .iter()
            .rev()
            .find(|message| message["role"] == "user");
        last.map_or(Cow::Borrowed(""), |message| text(&message["content"]))
    }

    /// The function tools on offer that have a name.
    pub(crate) fn tools(&self) -> impl Iterator<Item = ToolSpec<'a>> + use<'a> {
        elements(&self.body["tools"]).iter().filter_map(|tool| {
            let function = &tool["function"];
            Some(ToolSpec {
                name: function["name"].as_str()?,
                parameters: &function["parameters"],
            })
        })
    }

    /// The tool results that the conversation ends with, oldest first; empty when its last message
    /// is something else.
    pub(crate) fn tool_results(&self) -> Vec<ToolResult<'a>> {
        let messages = self.messages();
        let count = messages
            .iter()
            .rev()
            .take_while(|message| message["role"] == "tool")
            .count();
        let (earlier, results) = messages.split_at(messages.len() - count);
        let results = results.iter().map(|result| ToolResult {
            name: name_of_call(earlier, &result["tool_call_id"]),
            content: text(&result["content"]).into_owned(),
        });
        results.collect()
    }

    fn messages(&self) -> &'a [Value] {
        elements(&self.body["messages"])
    }
}

/// The name of the newest call with this id.
fn name_of_call<'a>(messages: &'a [Value], id: &Value) -> Option<&'a str> {
    let mut calls = messages
        .iter()
        .rev()
        .flat_map(|message| elements(&message["tool_calls"]));
    let call = calls.find(|call| !id.is_null() && call["id"] == *id)?;
    call.pointer("/function/name")?.as_str()
}

/// The text of a message's content: a string, or the text parts joined by newlines.
fn text(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => {
            let texts: Vec<_> = parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect();
            Cow::Owned(texts.join("\n"))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Cow::Borrowed(""),
    }
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Ask, ToolResult};

    #[test]
    fn the_last_user_text_is_found_behind_other_roles_and_in_parts() {
        let body = json!({"messages": [
            {"role": "user", "content": "old"},
            {"role": "user", "content": [
                {"type": "text", "text": "new"},
                {"type": "image_url", "image_url": {"url": "x"}},
                {"type": "text", "text": "words"},
            ]},
            {"role": "assistant", "content": "hm"},
        ]});
        assert_eq!(Ask::new(&body).last_user_text(), "new\nwords");
        assert_eq!(Ask::new(&json!({"messages": 7})).last_user_text(), "");
    }

    #[test]
    fn trailing_tool_results_find_the_name_of_their_call() {
        let call = |id: &str, name: &str| json!({"id": id, "function": {"name": name}});
        let result =
            |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
        let body = json!({"messages": [
            {"role": "user", "content": "go"},
            result("a", "not at the end"),
            {"role": "assistant", "tool_calls": [call("a", "one"), call("b", "two")]},
            result("b", "2"),
            result("c", "?"),
        ]});
        let expected = [
            ToolResult {
                name: Some("two"),
                content: "2".into(),
            },
            ToolResult {
                name: None,
                content: "?".into(),
            },
        ];
        assert_eq!(Ask::new(&body).tool_results(), expected);
        assert_eq!(
            Ask::new(&json!({"messages": [{"role": "user"}]})).tool_results(),
            []
        );
    }
}
