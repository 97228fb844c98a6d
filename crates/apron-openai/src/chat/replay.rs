//! What the provider wants back with the next request, collected over a turn.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::envelope::Envelope;

/// Reasoning in the provider's own form, and signatures of the message as a whole.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// OpenRouter's `reasoning_details`, pieces of one detail joined.
    pub(super) details: Vec<Map<String, Value>>,
    /// Venice's `reasoning_encrypted`.
    pub(super) encrypted: Option<String>,
    /// Google's `extra_content` of a delta that has no call.
    pub(super) extra_content: Option<Value>,
}

impl Replay {
    /// Takes the details of one delta. Gives the text in them.
    pub(super) fn add_details(&mut self, raw: &RawValue) -> String {
        let mut text = String::new();
        let Ok(Value::Array(items)) = serde_json::from_str(raw.get()) else {
            return text;
        };
        for item in items {
            if let Value::Object(detail) = item {
                text.extend(text_of(&detail).and_then(|name| detail.get(name)?.as_str()));
                self.add_detail(detail);
            }
        }
        text
    }

    /// True when there is something that the visible text does not hold.
    pub(super) fn has_secrets(&self) -> bool {
        let secret = |detail: &Map<String, Value>| {
            let text = |name| detail.get(name).and_then(Value::as_str);
            text("type") == Some("reasoning.encrypted")
                || text("signature").is_some_and(|it| !it.is_empty())
        };
        self.encrypted.is_some() || self.extra_content.is_some() || self.details.iter().any(secret)
    }

    /// All of it, as it travels.
    pub(super) fn envelope(&self, provider: Option<&str>) -> Envelope {
        Envelope {
            provider: provider.map(str::to_owned),
            reasoning_details: self.details.clone(),
            reasoning_encrypted: self.encrypted.clone(),
            extra_content: self.extra_content.clone(),
        }
    }

    /// A detail is streamed in pieces like everything else, and must go back in one.
    fn add_detail(&mut self, mut detail: Map<String, Value>) {
        let joins = |last: &&mut Map<String, Value>| {
            text_of(last).is_some()
                && last.get("type") == detail.get("type")
                && last.get("index") == detail.get("index")
        };
        let Some(last) = self.details.last_mut().filter(joins) else {
            self.details.push(detail);
            return;
        };
        if let Some(name) = text_of(last)
            && let Some(Value::String(more)) = detail.remove(name)
        {
            match last.get_mut(name) {
                Some(Value::String(text)) => text.push_str(&more),
                _ => {
                    last.insert(name.to_owned(), Value::String(more));
                }
            }
        }
        for (name, value) in detail {
            let known = last.entry(name).or_insert(Value::Null);
            if known.is_null() {
                *known = value;
            }
        }
    }
}

/// The member of a detail that holds text, by the detail's type.
fn text_of(detail: &Map<String, Value>) -> Option<&'static str> {
    match detail.get("type")?.as_str()? {
        "reasoning.text" => Some("text"),
        "reasoning.summary" => Some("summary"),
        _ => None,
    }
}
