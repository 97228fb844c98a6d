//! How much memory a JSON value holds, roughly: the unit of queue budgets.

use serde_json::{Map, Value};

/// Bytes on the heap behind `value`, roughly; iterative, so depth costs no stack.
pub(crate) fn value(value: &Value) -> usize {
    let mut total = 0;
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        total += size_of::<Value>();
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => total += text.len(),
            Value::Array(items) => pending.extend(items),
            Value::Object(map) => {
                total += map
                    .keys()
                    .map(|key| size_of::<String>() + key.len())
                    .sum::<usize>();
                pending.extend(map.values());
            }
        }
    }
    total
}

/// As [`value`], for an object.
pub(crate) fn object(map: &Map<String, Value>) -> usize {
    map.iter()
        .map(|(key, item)| size_of::<String>() + key.len() + value(item))
        .sum()
}
