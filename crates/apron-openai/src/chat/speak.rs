//! The translator's voice: what a delta says, as events.

use std::borrow::Cow;
use std::collections::VecDeque;

use apron_emit::Failure;
use apron_protocol::{Event, Text, ToolCallArgs, ToolCallStart};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::calls::{self, Place};
use super::chunk::CallDelta;
use super::hosted::Executed;
use super::options::Reasoning;
use super::think::Piece;
use super::translator::Translator;
use super::turn::METADATA_KEY;
use crate::error::Error;
use crate::failure_code::FailureCode;

impl Translator {
    /// Says text, unless it turns out to be thought.
    pub(super) fn say(&mut self, text: Cow<'_, str>, out: &mut VecDeque<Event>) {
        if self.splitter.is_idle() {
            return self.speak(text, out);
        }
        let mut pieces = Vec::new();
        self.splitter.push(text, &mut |piece| pieces.push(piece));
        for piece in pieces {
            self.piece(piece, out);
        }
    }

    pub(super) fn piece(&mut self, piece: Piece<'_>, out: &mut VecDeque<Event>) {
        match piece {
            Piece::Speech(text) => self.speak(text, out),
            Piece::Thought(text) => self.think(text, out),
        }
    }

    pub(super) fn refuse(&mut self, text: Cow<'_, str>, out: &mut VecDeque<Event>) {
        self.turn.refused = true;
        self.speak(text, out);
    }

    pub(super) fn think(&mut self, text: Cow<'_, str>, out: &mut VecDeque<Event>) {
        if text.is_empty() {
            return;
        }
        self.closing_usage = false;
        self.turn.thoughts.text.push_str(&text);
        if self.options.reasoning == Reasoning::Show {
            self.announce_calls(usize::MAX, out);
            self.close_text(out);
            self.lanes.think(Text::from(text), &mut *self.ids, out);
        }
    }

    fn speak(&mut self, text: Cow<'_, str>, out: &mut VecDeque<Event>) {
        if text.is_empty() {
            return;
        }
        self.closing_usage = false;
        self.spare = None;
        self.turn.text.push_str(&text);
        self.announce_calls(usize::MAX, out);
        self.lanes.say(Text::from(text), &mut *self.ids, out);
    }

    /// Takes a delta of a call. Announces the call as soon as its name is whole.
    pub(super) fn call(
        &mut self,
        delta: CallDelta<'_>,
        place: Place,
        out: &mut VecDeque<Event>,
    ) -> Result<(), Failure> {
        let taken = self.calls.take(delta, place, &self.tools);
        let taken = taken.map_err(|_| {
            let limit = calls::LIMIT;
            self.fail(FailureCode::DecodeError, Error::TooManyCalls { limit })
        })?;
        let Some(taken) = taken else {
            return Ok(());
        };
        self.closing_usage = false;
        if taken.new {
            self.announce_calls(taken.at, out);
        }
        let Some(call) = self.calls.list.get(taken.at) else {
            return Ok(());
        };
        if let (Some(id), Some(text)) = (&call.id, taken.say) {
            out.push_back(ToolCallArgs::new(id, text).into());
        } else if call.id.is_none() && call.ready(&self.tools) {
            self.announce(taken.at, out);
        }
        Ok(())
    }

    /// Announces the calls before `end` that have a name and were not announced: nothing can be
    /// added to their names any more.
    pub(super) fn announce_calls(&mut self, end: usize, out: &mut VecDeque<Event>) {
        for at in self.announced..end.min(self.calls.list.len()) {
            self.announce(at, out);
        }
        // Calls are announced in order, but for one that has no name yet.
        while self
            .calls
            .list
            .get(self.announced)
            .is_some_and(|call| call.id.is_some())
        {
            self.announced += 1;
        }
    }

    fn announce(&mut self, at: usize, out: &mut VecDeque<Event>) {
        let Some(call) = self.calls.list.get_mut(at) else {
            return;
        };
        if call.id.is_some() || call.name.is_empty() {
            return;
        }
        call.rank = self.announcements;
        self.announcements += 1;
        let id = self.ids.tool_call(call.provider_id.as_deref());
        let name = self.tools.client_name(&call.name).unwrap_or(&call.name);
        let start = ToolCallStart::new(&id, name);
        let arguments = call.arguments.start();
        call.id = Some(id.clone());
        self.lanes.close_thought(out);
        self.close_text(out);
        let parent = self.lanes.parent(&mut *self.ids);
        out.push_back(start.with_parent_message_id(parent).into());
        if let Some(text) = arguments {
            out.push_back(ToolCallArgs::new(&id, text).into());
        }
    }

    /// Tools that the provider ran itself.
    pub(super) fn executed(&mut self, raw: &RawValue, out: &mut VecDeque<Event>) {
        for (at, entry) in Executed::parse(raw).iter().enumerate() {
            if self.hosted.opens(entry, at) {
                self.announce_calls(usize::MAX, out);
                self.lanes.close_thought(out);
                self.close_text(out);
            }
            let lanes = &mut self.lanes;
            self.hosted
                .take(entry, at, |ids| lanes.parent(ids), &mut *self.ids, out);
        }
    }

    /// A signature outside of any call: of the last call, or else of the message.
    pub(super) fn signature(&mut self, raw: &RawValue, calls_beside: usize) {
        let last = self.calls.list.last_mut();
        match last.filter(|call| calls_beside == 0 && call.extra_content.is_none()) {
            Some(call) => call.extra_content = Some(raw.to_owned()),
            None => self.replay.extra_content = serde_json::from_str(raw.get()).ok(),
        }
    }

    /// Ends the open text in the middle of the turn.
    pub(super) fn close_text(&mut self, out: &mut VecDeque<Event>) {
        if !self.lanes.speaking() {
            return;
        }
        let mut metadata = Map::new();
        self.citations.tell_annotations(&mut metadata);
        self.lanes.close_text(out, |end| {
            if metadata.is_empty() {
                end
            } else {
                end.with_metadata(METADATA_KEY, Value::Object(metadata))
            }
        });
    }
}
