//! How much memory an event holds, roughly: the unit of queue budgets.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::event::Event;
use crate::message::Content;
use crate::text::Text;

impl Event {
    /// Bytes that the event holds while it is queued, roughly: the unit of queue budgets. What a
    /// producer may make as long as it likes is counted, names and ids are not.
    #[must_use]
    pub fn weight(&self) -> usize {
        let text = |delta: Option<&Text>| delta.map_or(0, Text::heap_bytes);
        let own = match self {
            Self::TextMessageContent(event) => event.delta.heap_bytes(),
            Self::ToolCallArgs(event) => event.delta.heap_bytes(),
            Self::ReasoningMessageContent(event) => event.delta.heap_bytes(),
            Self::StateSnapshot(event) => value(&event.snapshot),
            Self::ActivitySnapshot(event) => object(&event.content),
            Self::Custom(event) => value(&event.value),
            Self::Raw(event) => value(&event.event),
            Self::ToolCallResult(event) => match &event.content {
                Content::Text(text) => text.len(),
                Content::Parts(parts) => json_size(parts),
            },
            Self::MessagesSnapshot(event) => json_size(&event.messages),
            Self::StateDelta(event) => json_size(&event.delta),
            Self::ActivityDelta(event) => json_size(&event.patch),
            Self::TextMessageChunk(event) => text(event.delta.as_ref()),
            Self::ToolCallChunk(event) => text(event.delta.as_ref()),
            Self::ReasoningMessageChunk(event) => text(event.delta.as_ref()),
            Self::ReasoningEncryptedValue(event) => event.encrypted_value.len(),
            Self::RunStarted(event) => event.input.as_ref().map_or(0, json_size),
            Self::RunFinished(event) => event.result.as_ref().map_or(0, value),
            Self::SubagentFinished(event) => event.result.as_ref().map_or(0, value),
            _ => 0,
        };
        size_of::<Self>() + self.common_weight() + own
    }
}

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

/// Bytes of `value` as JSON, counted without keeping them.
fn json_size(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) | Err(_) => count.0,
    }
}
