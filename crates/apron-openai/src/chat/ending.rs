//! The end of a turn: is it complete, what is still owed, and what does it come to.

use std::collections::VecDeque;

use apron_emit::Failure;
use apron_protocol::{
    Event, MessageId, ReasoningEncryptedValue, ToolCallArgs, ToolCallEnd, ToolCallResult,
};
use serde_json::{Map, Value, json};

use super::calls::Call;
use super::finish::FinishReason;
use super::options::{CutCalls, Refusals, UnknownTools};
use super::translator::Translator;
use super::turn::{CallState, METADATA_KEY, Thoughts, Turn, TurnCall};
use crate::envelope::Envelope;
use crate::error::Error;
use crate::failure_code::FailureCode;

impl Translator {
    /// Ends the turn: the stream is over, with `[DONE]` or without.
    ///
    /// Everything open is closed, and calls that nobody would answer are answered.
    ///
    /// # Errors
    ///
    /// When the stream shows no sign of completion, when there was nothing, or when the turn ended
    /// in a way that must not look like success: a provider's error, a filter before any answer, a
    /// call that was cut off. Events may have been added to `out` then too; they come before the
    /// failure.
    pub fn end(&mut self, out: &mut VecDeque<Event>) -> Result<Turn, Failure> {
        self.say_held_text(out);
        if let Some(spare) = self.spare.take() {
            self.message(spare.get(), out)?;
        }
        if let Err(failure) = self.check_complete().and_then(|()| self.check_content()) {
            self.settle(out);
            return Err(failure);
        }
        self.announce_calls(usize::MAX, out);
        self.lanes.close_thought(out);

        let finish = self.finish.unwrap_or_default();
        let has_calls = self.calls.list.iter().any(|call| call.id.is_some());
        self.turn.finish_reason = finish.with_calls(has_calls);
        self.tell_end(out);
        self.send_envelope(out);
        self.hosted.finish(&mut *self.ids, out);
        let cut = self.end_calls(out);
        if cut && self.options.cut_calls == CutCalls::Fail {
            let code = match finish {
                FinishReason::ContentFilter => FailureCode::ContentFilter,
                _ => FailureCode::MaxOutputTokens,
            };
            return Err(self.fail(code, Error::CutCall));
        }
        self.answer_calls(cut, out);

        self.turn.usage = self.tokens();
        let mut turn = std::mem::take(&mut self.turn);
        turn.message_id = self.lanes.message().cloned();
        turn.thoughts = Thoughts {
            text: turn.thoughts.text,
            details: std::mem::take(&mut self.replay.details),
            encrypted: self.replay.encrypted.take(),
        };
        Ok(turn)
    }

    /// The turn has failed: says what was held back, since nothing will follow it.
    pub(super) fn settle(&mut self, out: &mut VecDeque<Event>) {
        self.say_held_text(out);
        for call in &mut self.calls.list {
            let held = call.arguments.settle();
            if let (Some(id), Some(text)) = (&call.id, held) {
                out.push_back(ToolCallArgs::new(id, text).into());
            }
        }
    }

    fn say_held_text(&mut self, out: &mut VecDeque<Event>) {
        let mut held = Vec::new();
        self.splitter.finish(&mut |piece| held.push(piece));
        for piece in held {
            self.piece(piece, out);
        }
    }

    /// Completion is shown by the content, never by the stream just ending.
    fn check_complete(&mut self) -> Result<(), Failure> {
        let chunks = self.turn.diagnostics.chunks;
        if self.finish == Some(FinishReason::Error) {
            return Err(self.fail(FailureCode::ProviderError, Error::FinishedInError));
        }
        if self.finish.is_some() || self.closing_usage {
            return Ok(());
        }
        if let Some(error) = self.malformed.take() {
            return Err(self.fail(FailureCode::DecodeError, error));
        }
        if chunks == 0 && self.error_field.is_none() {
            return Err(self.fail(FailureCode::EmptyResponse, Error::Empty));
        }
        let field = self.error_field.take();
        Err(self.fail(
            FailureCode::StreamTruncated,
            Error::Truncated { chunks, field },
        ))
    }

    /// Endings that must not look like success.
    fn check_content(&mut self) -> Result<(), Failure> {
        let filtered = self.finish == Some(FinishReason::ContentFilter);
        let length = self.finish == Some(FinishReason::Length);
        if filtered && self.turn.text.is_empty() && self.calls.list.is_empty() {
            return Err(self.fail(FailureCode::ContentFilter, Error::Filtered));
        }
        if self.turn.refused && self.options.refusals == Refusals::Fail {
            return Err(self.fail(FailureCode::Refusal, Error::Refused));
        }
        let nameless = |call: &Call| call.name.is_empty() && call.arguments.begun();
        if self.calls.list.iter().any(nameless) {
            let code = if length {
                FailureCode::MaxOutputTokens
            } else {
                FailureCode::ToolCallInvalid
            };
            return Err(self.fail(code, Error::Nameless));
        }
        let all = self.calls.list.len();
        self.calls.list.retain(|call| !call.name.is_empty());
        let dropped = all - self.calls.list.len();
        self.turn.diagnostics.empty_calls = u32::try_from(dropped).unwrap_or(u32::MAX);
        self.announced = 0;
        Ok(())
    }

    /// Says what AG-UI has no field for: on the end of the text, when that is still open, and at
    /// the end of the run.
    fn tell_end(&mut self, out: &mut VecDeque<Event>) {
        let turn = &mut self.turn;
        let mut metadata = Map::new();
        let mut tell = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                metadata.insert(name.to_owned(), value.into());
            }
        };
        tell("finishReason", Some(turn.finish_reason.as_str()));
        tell("rawFinishReason", turn.raw_finish_reason.as_deref());
        tell("responseId", turn.response_id.as_deref());
        tell("model", turn.model.as_deref());
        if turn.refused {
            metadata.insert("refusal".to_owned(), true.into());
        }
        turn.metadata.clone_from(&metadata);
        if self.lanes.speaking() {
            self.citations.tell_all(&mut metadata);
            self.lanes.close_text(out, |end| {
                end.with_metadata(METADATA_KEY, Value::Object(metadata))
            });
        } else {
            self.citations.tell_all(&mut turn.metadata);
        }
    }

    /// Sends what the provider wants back, tied to the message it belongs to.
    fn send_envelope(&mut self, out: &mut VecDeque<Event>) {
        if !self.replay.has_secrets() {
            return;
        }
        let envelope = self.replay.envelope(self.options.provider.as_deref());
        let Some(value) = self.seal(&envelope) else {
            return;
        };
        let known = self.lanes.last_thought().or(self.lanes.message()).cloned();
        let id: MessageId = match known {
            Some(id) => id,
            None => self.lanes.open_empty_thought(&mut *self.ids, out),
        };
        out.push_back(ReasoningEncryptedValue::of_message(id, value).into());
        self.lanes.close_thought(out);
    }

    fn seal(&mut self, envelope: &Envelope) -> Option<String> {
        let sealed = envelope.seal();
        if sealed.is_none() {
            self.turn.diagnostics.oversize_envelopes += 1;
        }
        sealed
    }

    /// Ends every call. True when one of them was cut off, so that none may be run.
    fn end_calls(&mut self, out: &mut VecDeque<Event>) -> bool {
        let finish = self.turn.finish_reason;
        let mut any_cut = false;
        let mut calls = std::mem::take(&mut self.calls.list);
        // A name may come so late that a later call is announced first. Clients go by that.
        calls.sort_by_key(|call| call.rank);
        for mut call in calls {
            let Some(id) = call.id.take() else { continue };
            let cut = match finish {
                FinishReason::ContentFilter => true,
                FinishReason::Length => !call.arguments.proven(),
                FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Error => false,
            };
            any_cut |= cut;
            if let Some(text) = call.arguments.finish() {
                out.push_back(ToolCallArgs::new(&id, text).into());
            }
            let extra_content = call
                .extra_content
                .and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
            if let Some(extra) = &extra_content {
                let envelope = Envelope {
                    provider: self.options.provider.clone(),
                    extra_content: Some(extra.clone()),
                    ..Envelope::default()
                };
                if let Some(value) = self.seal(&envelope) {
                    out.push_back(ReasoningEncryptedValue::of_tool_call(&id, value).into());
                }
            }
            let mut end = ToolCallEnd::new(&id);
            if cut {
                end = end.with_metadata(METADATA_KEY, json!({ "incomplete": true }));
            }
            out.push_back(end.into());
            let state = match (cut, call.arguments.valid()) {
                (true, _) => CallState::Cut,
                (false, true) => CallState::Complete,
                (false, false) => CallState::Invalid,
            };
            let client = self.tools.client_name(&call.name);
            self.turn.calls.push(TurnCall {
                id,
                provider_id: call.provider_id,
                known: client.is_some(),
                name: client.map_or_else(|| call.name.clone(), str::to_owned),
                arguments: call.arguments.into_string(),
                extra_content,
                state,
            });
        }
        any_cut
    }

    /// Answers the calls that must not be left to the client, and lists the others.
    fn answer_calls(&mut self, cut: bool, out: &mut VecDeque<Event>) {
        for call in &self.turn.calls {
            let (why, text) = match (cut, call.known, self.options.unknown_tools) {
                (true, _, _) => ("cut", CUT),
                (false, false, UnknownTools::Answer) => ("unknown_tool", UNKNOWN_TOOL),
                (false, false, UnknownTools::Leave) => continue,
                (false, true, _) | (false, false, UnknownTools::Pend) => {
                    self.turn.pending.push(call.id.clone());
                    continue;
                }
            };
            let id = self.ids.tool_result(&call.id);
            let result = ToolCallResult::new(id, &call.id, text)
                .with_metadata(METADATA_KEY, json!({ "error": why }));
            out.push_back(result.into());
        }
    }
}

const UNKNOWN_TOOL: &str = "Error: there is no tool of this name.";
const CUT: &str = "Error: the answer was cut off, so the call was not run.";
