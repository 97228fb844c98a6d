//! The request body, as it is written.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::content::WireContent;

/// The body of a chat-completions request.
pub(crate) struct Body<'a> {
    pub(super) model: &'a str,
    pub(super) messages: Vec<WireMessage<'a>>,
    pub(super) tools: Vec<Value>,
    /// Every other member. None of those above is among them.
    pub(super) options: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum WireMessage<'a> {
    Developer(WireInstruction<'a>),
    System(WireInstruction<'a>),
    User(WireUser<'a>),
    Assistant(WireAssistant<'a>),
    Tool(WireTool<'a>),
}

#[derive(Serialize)]
pub(super) struct WireInstruction<'a> {
    pub(super) content: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct WireUser<'a> {
    pub(super) content: WireContent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
}

#[derive(Default, Serialize)]
pub(super) struct WireAssistant<'a> {
    /// Null when there is none: providers want the member.
    pub(super) content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reasoning_details: Vec<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_encrypted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra_content: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<WireCall<'a>>,
}

#[derive(Serialize)]
pub(super) struct WireCall<'a> {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: WireFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra_content: Option<Value>,
}

#[derive(Serialize)]
pub(super) struct WireFunction<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) arguments: &'a str,
}

#[derive(Serialize)]
pub(super) struct WireTool<'a> {
    pub(super) tool_call_id: String,
    pub(super) content: Cow<'a, str>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("model", self.model)?;
        body.serialize_entry("messages", &self.messages)?;
        if !self.tools.is_empty() {
            body.serialize_entry("tools", &self.tools)?;
        }
        body.serialize_entry("stream", &true)?;
        for (name, value) in &self.options {
            body.serialize_entry(name, value)?;
        }
        body.end()
    }
}
