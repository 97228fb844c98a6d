//! Tools as the provider wants them.

use std::collections::HashSet;

use apron_protocol::Tool;
use serde_json::{Map, Value, json};

use super::refusal::Refusal;
use super::repair::{Repair, Repairs};

/// Tools that OpenAI accepts in one request.
pub(super) const MAX_TOOLS: usize = 128;

/// The tools of a request: the server's, then those of the client's that no server tool shadows.
pub(super) fn select<'a>(
    server: &'a [Tool],
    client: &'a [Tool],
    repairs: &mut Repairs,
) -> (Vec<&'a Tool>, Option<Refusal>) {
    let mut refusal = None;
    let mut names = HashSet::new();
    let mut tools = Vec::with_capacity(server.len() + client.len());
    for tool in server {
        if names.insert(tool.name.as_str()) {
            tools.push(tool);
        } else {
            refusal.get_or_insert_with(|| duplicate(tool));
        }
    }
    let of_server = names.clone();
    for tool in client {
        if of_server.contains(tool.name.as_str()) {
            repairs.add(Repair::ShadowedTool);
        } else if names.insert(tool.name.as_str()) {
            tools.push(tool);
        } else {
            refusal.get_or_insert_with(|| duplicate(tool));
        }
    }
    if tools.len() > MAX_TOOLS {
        refusal.get_or_insert(Refusal::TooManyTools { count: tools.len() });
    }
    (tools, refusal)
}

fn duplicate(tool: &Tool) -> Refusal {
    Refusal::DuplicateTool {
        name: tool.name.clone(),
    }
}

/// One tool in the provider's format, under the name `sent`.
pub(super) fn to_value(tool: &Tool, sent: &str, strict: bool) -> Value {
    let parameters = parameters(tool.parameters.as_ref());
    let mut function = Map::new();
    function.insert("name".to_owned(), sent.into());
    if !tool.description.is_empty() {
        function.insert("description".to_owned(), tool.description.as_str().into());
    }
    if strict {
        function.insert("strict".to_owned(), is_strict(&parameters).into());
    }
    function.insert("parameters".to_owned(), parameters);
    json!({"type": "function", "function": function})
}

/// A schema that every provider reads: an object's that names its properties, without `$schema`.
fn parameters(schema: Option<&Value>) -> Value {
    // `true` is a schema that allows anything, and the arguments are an object anyway.
    let mut schema = schema
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    schema.retain(|name, _| name != "$schema");
    schema.entry("type").or_insert_with(|| "object".into());
    if schema.get("type").and_then(Value::as_str) == Some("object") {
        schema.entry("properties").or_insert_with(|| json!({}));
    }
    Value::Object(schema)
}

/// True when OpenAI would take the schema under `strict`: each object in it closes itself with
/// `additionalProperties: false` and requires all of its properties.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => closes(object) && object.values().all(is_strict),
        Value::Array(items) => items.iter().all(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn closes(object: &Map<String, Value>) -> bool {
    if object.get("type").and_then(Value::as_str) != Some("object") {
        return true;
    }
    let Some(Value::Object(properties)) = object.get("properties") else {
        return false;
    };
    let required = object.get("required").and_then(Value::as_array);
    let requires = |name: &String| {
        required.is_some_and(|required| required.iter().any(|it| it.as_str() == Some(name)))
    };
    object.get("additionalProperties") == Some(&Value::Bool(false))
        && properties.keys().all(requires)
}
