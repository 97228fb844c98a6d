//! Writing events as compact JSON on one line.
//!
//! The three events that make up nearly all of a stream (text, arguments, reasoning) have a
//! hand-written path; the rest goes through serde. A property test pins that both write the same
//! bytes. U+2028, U+2029 and U+0085 are escaped on both, because some peers take them for the end
//! of a line.

mod escape;
mod formatter;

use bytes::{BufMut, BytesMut};
use serde::Serialize;

use crate::error::Error;
use crate::event::Event;

impl Event {
    /// Appends the event to `out` as one line of JSON, without a line end.
    ///
    /// Allocates nothing but what `out` needs to grow, for the three hot events.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`] when a value inside cannot be JSON; `out` is then as it was.
    pub fn encode(&self, out: &mut BytesMut) -> Result<(), Error> {
        let hot = match self {
            Self::TextMessageContent(event) if event.common.is_empty() => (
                r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"#,
                event.message_id.as_str(),
                event.delta.as_str(),
            ),
            Self::ToolCallArgs(event) if event.common.is_empty() => (
                r#"{"type":"TOOL_CALL_ARGS","toolCallId":"#,
                event.tool_call_id.as_str(),
                event.delta.as_str(),
            ),
            Self::ReasoningMessageContent(event) if event.common.is_empty() => (
                r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"#,
                event.message_id.as_str(),
                event.delta.as_str(),
            ),
            event => return write_json(event, out),
        };
        let (head, id, delta) = hot;
        out.reserve(head.len() + id.len() + delta.len() + 24);
        out.extend_from_slice(head.as_bytes());
        escape::string(id, out);
        out.extend_from_slice(br#","delta":"#);
        escape::string(delta, out);
        out.extend_from_slice(b"}");
        Ok(())
    }

    /// The event as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = BytesMut::new();
        // A built event holds strings, numbers and `Value`s only: all of them are JSON.
        let written = self.encode(&mut out);
        debug_assert!(written.is_ok(), "an event is always JSON");
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// Appends `value` to `out` as one line of JSON, with the escapes of the module.
fn write_json(value: &impl Serialize, out: &mut BytesMut) -> Result<(), Error> {
    let start = out.len();
    let mut serializer =
        serde_json::Serializer::with_formatter((&mut *out).writer(), formatter::OneLine);
    let written = value.serialize(&mut serializer);
    if written.is_err() {
        out.truncate(start);
    }
    written.map_err(Error::Unwritable)
}
