//! What a client may set through `forwardedProps`: nothing but what the server names.

use serde_json::{Map, Value, json};

use super::names::ToolNames;
use super::refusal::Refusal;

/// Members that hold the request together. They are never set from outside.
pub(super) const OWN: [&str; 6] = ["functions", "messages", "model", "n", "stream", "tools"];

/// Members that a client never sets, whatever the server allows: where the request goes, under
/// which key, and what becomes of it there.
const NEVER: [&str; 10] = [
    "api_key",
    "apiKey",
    "base_url",
    "baseUrl",
    "extra_body",
    "extra_headers",
    "headers",
    "service_tier",
    "store",
    "stream_options",
];

/// The server's permissions.
#[derive(Clone, Debug, Default)]
pub(super) struct Forward {
    pub(super) keys: Vec<String>,
    pub(super) models: Vec<String>,
}

impl Forward {
    /// The model that the client chose, when it is on the server's list.
    pub(super) fn model<'a>(&'a self, props: Option<&Value>) -> Option<&'a str> {
        let wish = props?.get("model")?.as_str()?;
        let model = self.models.iter().find(|model| *model == wish);
        model.map(String::as_str)
    }

    /// Puts what the client may set into `options`. The limit of output tokens is left to
    /// [`Forward::max_tokens`].
    pub(super) fn apply(
        &self,
        props: Option<&Value>,
        names: &ToolNames,
        options: &mut Map<String, Value>,
    ) -> Result<(), Refusal> {
        for key in self.keys.iter().map(String::as_str) {
            if OWN.contains(&key) || NEVER.contains(&key) || MAX_TOKENS.contains(&key) {
                continue;
            }
            let Some(value) = props
                .and_then(|props| props.get(key))
                .filter(|it| !it.is_null())
            else {
                continue;
            };
            let value = match key {
                "tool_choice" => tool_choice(value, names),
                _ => usable(key, value).then(|| value.clone()),
            };
            let value = value.ok_or_else(|| unusable(key))?;
            options.insert(key.to_owned(), value);
        }
        Ok(())
    }

    /// The limit of output tokens that the client chose. It can lower the server's, not raise it.
    pub(super) fn max_tokens(
        &self,
        props: Option<&Value>,
        server: Option<u32>,
    ) -> Result<Option<u32>, Refusal> {
        let mut limit = server;
        for key in MAX_TOKENS {
            let allowed = self.keys.iter().any(|allowed| allowed == key);
            let value = props.and_then(|props| props.get(key));
            let Some(value) = value.filter(|value| allowed && !value.is_null()) else {
                continue;
            };
            let wish = value.as_u64().and_then(|wish| u32::try_from(wish).ok());
            let wish = wish.filter(|wish| *wish > 0).ok_or_else(|| unusable(key))?;
            limit = Some(limit.map_or(wish, |limit| limit.min(wish)));
        }
        Ok(limit)
    }
}

/// Both spellings of the limit of output tokens.
const MAX_TOKENS: [&str; 2] = ["max_completion_tokens", "max_tokens"];

fn unusable(key: &str) -> Refusal {
    Refusal::ForwardedProp {
        key: key.to_owned(),
    }
}

/// True when the value has the type that the provider's parameter has. Parameters that are not
/// known here are the server's own affair.
fn usable(key: &str, value: &Value) -> bool {
    match key {
        "temperature" | "top_p" | "presence_penalty" | "frequency_penalty" => value.is_number(),
        "seed" | "top_logprobs" => value.is_i64() || value.is_u64(),
        "parallel_tool_calls" | "logprobs" => value.is_boolean(),
        "reasoning_effort" | "verbosity" | "user" => value.is_string(),
        "stop" => {
            let texts = |items: &Vec<Value>| items.len() <= 4 && items.iter().all(Value::is_string);
            value.is_string() || value.as_array().is_some_and(texts)
        }
        _ => true,
    }
}

fn tool_choice(value: &Value, names: &ToolNames) -> Option<Value> {
    if let Some(word) = value.as_str() {
        return ["auto", "none", "required"]
            .contains(&word)
            .then(|| word.into());
    }
    let name = value.get("function")?.get("name")?.as_str()?;
    Some(function_choice(name, names))
}

/// The choice of one tool, by its name in the conversation.
pub(super) fn function_choice(name: &str, names: &ToolNames) -> Value {
    json!({"type": "function", "function": {"name": names.sent(name)}})
}

/// `forwardedProps.hashbrown.responseSchema`, where Hashbrown's client puts the schema that the
/// final answer must follow.
pub(super) fn response_schema(props: Option<&Value>) -> Option<&Value> {
    let schema = props?.get("hashbrown")?.get("responseSchema")?;
    (!schema.is_null()).then_some(schema)
}
