//! Answers with tools: the calls, and what is said about their results.

use serde_json::{Map, Value, json};

use super::BRISK;
use crate::provider::{Answer, Ask, Script, ToolResult, ToolSpec};

/// Two parallel calls of the request's first two tools (twice the same where it has one), or of
/// two invented ones where it has none.
pub(super) fn calls(ask: &Ask<'_>) -> Answer {
    let mut calls: Vec<_> = ask.tools().take(2).map(call).collect();
    if calls.is_empty() {
        calls.push(("get_weather".into(), json!({"city": CITY})));
        calls.push(("get_time".into(), json!({"timezone": ZONE})));
    } else if calls.len() == 1 {
        calls.extend_from_within(..);
    }
    Answer::Stream(
        Script::new()
            .every(BRISK)
            .calls(&calls)
            .finish("tool_calls"),
    )
}

/// A text that quotes each result.
pub(super) fn results(results: &[ToolResult<'_>]) -> Answer {
    let quotes: Vec<_> = results
        .iter()
        .map(|result| {
            let name = result.name.unwrap_or("a tool");
            let start: String = result.content.chars().take(LONGEST_QUOTE).collect();
            let more = if start.len() < result.content.len() {
                "…"
            } else {
                ""
            };
            format!("{name} says “{start}{more}”")
        })
        .collect();
    let text = format!("I asked, and {}.", quotes.join(", and "));
    Answer::Stream(Script::new().every(BRISK).text(&text).finish("stop"))
}

fn call(tool: ToolSpec<'_>) -> (String, Value) {
    (tool.name.to_owned(), arguments(tool.parameters))
}

/// A value for every property that the schema of a tool's arguments names.
fn arguments(schema: &Value) -> Value {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let members: Map<_, _> = properties
        .map(|(name, schema)| (name.clone(), sample(name, schema, DEEPEST)))
        .collect();
    members.into()
}

/// A plausible value for the property `name`. Nesting beyond `depth` comes out empty.
fn sample(name: &str, schema: &Value, depth: usize) -> Value {
    let given = ["/const", "/default", "/enum/0", "/examples/0"];
    if let Some(given) = given.into_iter().find_map(|path| schema.pointer(path)) {
        return given.clone();
    }
    let kind = ["/type", "/type/0"]
        .into_iter()
        .find_map(|path| schema.pointer(path)?.as_str());
    match (kind, depth.checked_sub(1)) {
        (Some("integer" | "number"), _) => json!(1),
        (Some("boolean"), _) => json!(true),
        (Some("null"), _) => Value::Null,
        (Some("array"), Some(depth)) => json!([sample(name, &schema["items"], depth)]),
        (Some("array"), None) => json!([]),
        (Some("object"), Some(depth)) => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties
                .map(|(name, schema)| (name.clone(), sample(name, schema, depth)))
                .collect()
        }
        (Some("object"), None) => json!({}),
        _ if name.to_lowercase().contains("zone") => json!(ZONE),
        _ => json!(CITY),
    }
}

const CITY: &str = "Zürich";
const ZONE: &str = "Europe/Zurich";
const DEEPEST: usize = 8;

/// In characters.
const LONGEST_QUOTE: usize = 200;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::arguments;

    #[test]
    fn arguments_fit_the_schema_of_the_tool() {
        let schema = json!({"type": "object", "properties": {
            "city": {"type": "string"},
            "home_zone": {"type": ["string", "null"]},
            "days": {"type": "integer"},
            "unit": {"enum": ["c", "f"]},
            "detailed": {"type": "boolean"},
            "stops": {"type": "array", "items": {"type": "object", "properties": {
                "id": {"type": "number", "default": 7},
            }}},
        }});
        let expected = json!({
            "city": "Zürich", "home_zone": "Europe/Zurich", "days": 1, "unit": "c",
            "detailed": true, "stops": [{"id": 7}],
        });
        assert_eq!(arguments(&schema), expected);
        assert_eq!(arguments(&json!(null)), json!({}));
    }

    #[test]
    fn a_schema_without_end_is_cut_off() {
        let mut schema = json!({"type": "array"});
        for _ in 0..50 {
            schema = json!({"type": "array", "items": schema});
        }
        let value = arguments(&json!({"properties": {"deep": schema}})).to_string();
        assert_eq!(value.matches('[').count(), 9, "{value}");
    }
}
