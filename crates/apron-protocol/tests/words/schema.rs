//! As much of JSON Schema 2020-12 as the protocol's schema uses. A keyword it does not know is a
//! panic, so that nothing is passed over in silence.

use serde_json::{Value, json};

pub(crate) struct Schema {
    root: Value,
}

impl Schema {
    pub(crate) fn new(root: Value) -> Self {
        Self { root }
    }

    /// Checks `value` against a definition, or against the whole schema.
    pub(crate) fn check(&self, definition: Option<&str>, value: &Value) -> Result<(), String> {
        let schema = definition.map_or(&self.root, |name| &self.root["$defs"][name]);
        assert!(schema.is_object(), "no definition {definition:?}");
        self.walk(schema, value, "")
    }

    fn walk(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let keywords = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Bool(false) => return Err(format!("{at} is not allowed")),
            schema => schema.as_object().expect("a schema"),
        };
        for (keyword, rule) in keywords {
            self.keyword(keyword, rule, schema, value, at)?;
        }
        Ok(())
    }

    fn keyword(
        &self,
        keyword: &str,
        rule: &Value,
        schema: &Value,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let list = || rule.as_array().expect("a list").iter();
        let fits = |one: &&Value| self.walk(one, value, at).is_ok();
        let number = || rule.as_f64().expect("a number");
        let holds = match keyword {
            "$schema" | "title" | "$comment" | "$defs" => true,
            "$ref" => {
                let place = rule.as_str().and_then(|text| text.strip_prefix('#'));
                let target = self.root.pointer(place.expect("a local reference"));
                return self.walk(target.expect("a definition"), value, at);
            }
            "type" => match rule.as_str().expect("one type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
                other => panic!("type {other}"),
            },
            "const" => value == rule,
            "enum" => list().any(|one| one == value),
            "not" => self.walk(rule, value, at).is_err(),
            "anyOf" => list().any(|one| fits(&one)),
            "oneOf" => list().filter(fits).count() == 1,
            "minimum" => value.as_f64().is_none_or(|value| value >= number()),
            "maximum" => value.as_f64().is_none_or(|value| value <= number()),
            "minItems" => value
                .as_array()
                .is_none_or(|value| value.len() as f64 >= number()),
            "pattern" => {
                assert_eq!(rule, r"^(\/([^/~]|~[01])*)*$", "the one pattern");
                value.as_str().is_none_or(is_pointer)
            }
            "required" => {
                let key = |one: &Value| one.as_str().expect("a key").to_owned();
                let missing = |one: &&Value| value.get(key(one)).is_none();
                value.as_object().is_none() || list().find(missing).is_none()
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.walk(rule, item, &format!("{at}/{index}"))?;
                }
                true
            }
            "properties" => {
                for (key, rule) in rule.as_object().expect("an object") {
                    if let Some(inner) = value.get(key) {
                        self.walk(rule, inner, &format!("{at}/{key}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                for (key, inner) in value.as_object().into_iter().flatten() {
                    if known.is_none_or(|known| !known.contains_key(key)) {
                        self.walk(rule, inner, &format!("{at}/{key}"))?;
                    }
                }
                true
            }
            other => panic!("keyword {other}"),
        };
        holds
            .then_some(())
            .ok_or_else(|| format!("{at} breaks {keyword} {rule}: {value}"))
    }
}

fn is_pointer(text: &str) -> bool {
    let mut letters = text.chars();
    let mut first = true;
    while let Some(letter) = letters.next() {
        let escape = letter == '~' && !matches!(letters.next(), Some('0' | '1'));
        if escape || (first && letter != '/') {
            return false;
        }
        first = false;
    }
    true
}

/// The walker itself: for each keyword one value that fits and one that does not.
#[test]
fn each_keyword_can_fail() {
    for (schema, good, bad) in [
        (json!(true), json!(1), None),
        (json!({ "type": "object" }), json!({}), Some(json!([]))),
        (json!({ "type": "array" }), json!([]), Some(json!({}))),
        (json!({ "type": "string" }), json!(""), Some(json!(1))),
        (
            json!({ "type": "boolean" }),
            json!(true),
            Some(json!("true")),
        ),
        (json!({ "type": "null" }), json!(null), Some(json!(0))),
        (json!({ "type": "integer" }), json!(1.0), Some(json!(1.5))),
        (json!({ "const": "a" }), json!("a"), Some(json!("b"))),
        (json!({ "enum": ["a", "b"] }), json!("b"), Some(json!("c"))),
        (
            json!({ "not": { "type": "null" } }),
            json!(1),
            Some(json!(null)),
        ),
        (
            json!({ "anyOf": [false, { "const": 1 }] }),
            json!(1),
            Some(json!(2)),
        ),
        (
            json!({ "oneOf": [{ "minimum": 1 }, { "minimum": 2 }] }),
            json!(1),
            Some(json!(2)),
        ),
        (json!({ "maximum": 1 }), json!(1), Some(json!(2))),
        (json!({ "minItems": 1 }), json!([1]), Some(json!([]))),
        (
            json!({ "required": ["a"] }),
            json!({ "a": null }),
            Some(json!({ "b": 1 })),
        ),
        (
            json!({ "items": { "const": 1 } }),
            json!([1]),
            Some(json!([1, 2])),
        ),
        (
            json!({ "properties": { "a": { "const": 1 } } }),
            json!({ "b": 1 }),
            Some(json!({ "a": 2 })),
        ),
        (
            json!({ "properties": { "a": true }, "additionalProperties": false }),
            json!({ "a": 1 }),
            Some(json!({ "b": 1 })),
        ),
        (
            json!({ "$ref": "#/$defs/one", "$defs": { "one": { "const": 1 } } }),
            json!(1),
            Some(json!(2)),
        ),
        (
            json!({ "pattern": r"^(\/([^/~]|~[01])*)*$" }),
            json!("/a~0"),
            Some(json!("/a~2")),
        ),
        (
            json!({ "pattern": r"^(\/([^/~]|~[01])*)*$" }),
            json!(""),
            Some(json!("a")),
        ),
    ] {
        let walker = Schema::new(schema.clone());
        let check = |value: &Value| walker.walk(&schema, value, "");
        assert_eq!(check(&good), Ok(()), "{schema}");
        if let Some(bad) = bad {
            assert!(check(&bad).is_err(), "{schema} takes {bad}");
        }
    }
}
