//! Deltas that are too long for one event.

use std::mem;

use apron_protocol::{
    Common, Event, ReasoningMessageChunk, ReasoningMessageContent, Text, TextMessageChunk,
    TextMessageContent, ToolCallArgs, ToolCallChunk,
};

/// The events that say together what one event with a long delta would.
///
/// The first has everything that came with the delta. The others have the ids, and what belongs to
/// each piece: the timestamp and the subagent.
pub(super) struct Pieces {
    first: Option<Event>,
    next: Event,
    text: Text,
    at: usize,
    /// Bytes of JSON that a piece of text may have.
    limit: usize,
}

impl Pieces {
    /// Takes the delta apart, or gives back an event that has none to take apart.
    pub(super) fn of(mut event: Event, limit: usize) -> Result<Self, Event> {
        let next = continuation(&event);
        let text = delta_mut(&mut event).map(mem::take);
        match next.zip(text.filter(|text| !text.is_empty())) {
            Some((next, text)) => Ok(Self {
                first: Some(event),
                next,
                text,
                at: 0,
                limit,
            }),
            None => Err(event),
        }
    }
}

impl Iterator for Pieces {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let piece = rest.get(..fit(rest, self.limit)).unwrap_or(rest);
        self.at += piece.len();
        let mut event = self.first.take().unwrap_or_else(|| self.next.clone());
        if let Some(delta) = delta_mut(&mut event) {
            *delta = Text::from(piece);
        }
        Some(event)
    }
}

/// Bytes of the event's delta; 0 when it has none.
pub(super) fn delta_bytes(event: &Event) -> usize {
    match event {
        Event::TextMessageContent(event) => event.delta.len(),
        Event::ToolCallArgs(event) => event.delta.len(),
        Event::ReasoningMessageContent(event) => event.delta.len(),
        Event::TextMessageChunk(event) => event.delta.as_deref().map_or(0, str::len),
        Event::ToolCallChunk(event) => event.delta.as_deref().map_or(0, str::len),
        Event::ReasoningMessageChunk(event) => event.delta.as_deref().map_or(0, str::len),
        _ => 0,
    }
}

fn delta_mut(event: &mut Event) -> Option<&mut Text> {
    match event {
        Event::TextMessageContent(event) => Some(&mut event.delta),
        Event::ToolCallArgs(event) => Some(&mut event.delta),
        Event::ReasoningMessageContent(event) => Some(&mut event.delta),
        Event::TextMessageChunk(event) => event.delta.as_mut(),
        Event::ToolCallChunk(event) => event.delta.as_mut(),
        Event::ReasoningMessageChunk(event) => event.delta.as_mut(),
        _ => None,
    }
}

/// An event that goes on where `event` stops, with an empty delta.
fn continuation(event: &Event) -> Option<Event> {
    Some(match event {
        Event::TextMessageContent(event) => {
            let mut next = TextMessageContent::new(&event.message_id, "");
            next.common = carried(&event.common);
            next.into()
        }
        Event::ToolCallArgs(event) => {
            let mut next = ToolCallArgs::new(&event.tool_call_id, "");
            next.common = carried(&event.common);
            next.into()
        }
        Event::ReasoningMessageContent(event) => {
            let mut next = ReasoningMessageContent::new(&event.message_id, "");
            next.common = carried(&event.common);
            next.into()
        }
        Event::TextMessageChunk(event) => {
            let mut next = TextMessageChunk::default();
            next.message_id.clone_from(&event.message_id);
            next.delta = Some(Text::new());
            next.common = carried(&event.common);
            next.into()
        }
        Event::ToolCallChunk(event) => {
            let mut next = ToolCallChunk::default();
            next.tool_call_id.clone_from(&event.tool_call_id);
            next.delta = Some(Text::new());
            next.common = carried(&event.common);
            next.into()
        }
        Event::ReasoningMessageChunk(event) => {
            let mut next = ReasoningMessageChunk::default();
            next.message_id.clone_from(&event.message_id);
            next.delta = Some(Text::new());
            next.common = carried(&event.common);
            next.into()
        }
        _ => return None,
    })
}

fn carried(common: &Common) -> Common {
    let mut carried = Common::default();
    if let Some(timestamp) = common.timestamp() {
        carried.set_timestamp(timestamp);
    }
    if let Some(id) = common.subagent_run_id() {
        carried.set_subagent_run_id(id);
    }
    carried
}

/// How much of `text` has at most `limit` bytes as JSON; at least one character.
fn fit(text: &str, limit: usize) -> usize {
    let mut used = 0_usize;
    for (at, letter) in text.char_indices() {
        used += json_bytes(letter);
        if used > limit && at > 0 {
            return at;
        }
    }
    text.len()
}

fn json_bytes(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..'\u{20}' | '\u{85}' | '\u{2028}' | '\u{2029}' => 6,
        _ => letter.len_utf8(),
    }
}
