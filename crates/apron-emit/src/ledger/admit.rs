//! One event at a time: which rules it must satisfy.

use std::collections::HashSet;

use apron_protocol::{
    ActivityDelta, ActivitySnapshot, Event, Message, ReasoningEncryptedValue,
    ReasoningEncryptedValueSubtype, TextMessageRole,
};

use super::items::owner_of;
use super::names::{Kind, Shape, Source, listed};
use super::open::{Item, Which};
use super::{Ledger, Phase, Refusal, Rule, Verdict, refuse};

impl Ledger {
    pub(super) fn judge<'e>(&mut self, event: &'e Event) -> Verdict<'e> {
        self.judge_phase(event)?;
        match event {
            Event::RunStarted(event) => self.run_started(event),
            Event::RunFinished(event) => self.run_finished(event),
            Event::RunError(_) => Ok(self.run_failed()),
            Event::TextMessageStart(event) => {
                let role = event.role.unwrap_or(TextMessageRole::Assistant);
                let shape = Shape::Text(event.name.as_deref().map(Box::from));
                let id = &event.message_id;
                let item = Item::Text(id.clone());
                self.open_item(id, Kind::Text(role), Some(shape), item, &event.common)
            }
            Event::TextMessageContent(event) => {
                self.continue_item(&event.message_id, &event.common, Which::Text)
            }
            Event::TextMessageEnd(event) => {
                self.end_item(&event.message_id, &event.common, Which::Text)
            }
            Event::ToolCallStart(event) => self.call_started(event),
            Event::ToolCallArgs(event) => self.call_continued(event),
            Event::ToolCallEnd(event) => self.call_ended(event),
            Event::ToolCallResult(event) => self.call_answered(event),
            Event::ReasoningStart(event) => {
                let id = &event.message_id;
                let item = Item::Span(id.clone());
                self.open_item(id, Kind::Reasoning, None, item, &event.common)
            }
            Event::ReasoningEnd(event) => {
                self.end_item(&event.message_id, &event.common, Which::Span)
            }
            Event::ReasoningMessageStart(event) => {
                let id = &event.message_id;
                let item = Item::Thought(id.clone());
                self.open_item(id, Kind::Reasoning, None, item, &event.common)
            }
            Event::ReasoningMessageContent(event) => {
                self.continue_item(&event.message_id, &event.common, Which::Thought)
            }
            Event::ReasoningMessageEnd(event) => {
                self.end_item(&event.message_id, &event.common, Which::Thought)
            }
            Event::ReasoningEncryptedValue(event) => self.hidden(event),
            Event::StepStarted(event) => {
                let (name, owner) = (&event.step_name, owner_of(&event.common));
                if self.open.find_step(name, &owner).is_some() {
                    return refuse(Rule::AlreadyOpen, name);
                }
                Ok(Some(self.open.open(Item::Step(name.clone()), owner)))
            }
            Event::StepFinished(event) => {
                // Steps are keyed by owner and name: without the tag it is another step.
                let (name, owner) = (&event.step_name, owner_of(&event.common));
                let Some(slot) = self.open.find_step(name, &owner) else {
                    return refuse(Rule::NotOpen, name);
                };
                self.open.close(slot);
                Ok(None)
            }
            Event::SubagentStarted(event) => self.subagent_started(event),
            Event::SubagentFinished(event) => self.subagent_ended(&event.subagent_run_id),
            Event::SubagentError(event) => self.subagent_ended(&event.subagent_run_id),
            Event::ActivitySnapshot(event) => self.activity_shown(event),
            Event::ActivityDelta(event) => self.activity_changed(event),
            Event::MessagesSnapshot(event) => self.snapshot(&event.messages),
            Event::TextMessageChunk(_)
            | Event::ToolCallChunk(_)
            | Event::ReasoningMessageChunk(_) => Err(Refusal(Rule::ChunkForm, None)),
            Event::StateSnapshot(_) | Event::StateDelta(_) | Event::Raw(_) | Event::Custom(_) => {
                Ok(None)
            }
            // An event of a later protocol opens nothing that this ledger knows of.
            _ => Ok(None),
        }
    }

    fn judge_phase<'e>(&self, event: &Event) -> Result<(), Refusal<'e>> {
        let starts = matches!(event, Event::RunStarted(_));
        let fails = matches!(event, Event::RunError(_));
        match self.phase {
            Phase::Errored if !starts => Err(Refusal(Rule::RunErrored, None)),
            Phase::Finished if !starts && !fails => Err(Refusal(Rule::RunFinished, None)),
            Phase::Fresh if !starts && !fails => Err(Refusal(Rule::RunNotStarted, None)),
            Phase::Active if starts => Err(Refusal(Rule::RunActive, None)),
            Phase::Errored | Phase::Finished | Phase::Fresh | Phase::Active => Ok(()),
        }
    }

    /// An entity that is not known is legal: it may be of an earlier run.
    fn hidden<'e>(&self, event: &'e ReasoningEncryptedValue) -> Verdict<'e> {
        let id = event.entity_id.as_str();
        let of_call = event.subtype == ReasoningEncryptedValueSubtype::ToolCall;
        match self.names.get(id).map(|name| name.kind) {
            Some(Kind::Call) if of_call => self.known_owner(id, &event.common),
            Some(Kind::Text(_) | Kind::Reasoning | Kind::Result) if !of_call => {
                self.known_owner(id, &event.common)
            }
            _ => Ok(None),
        }
    }

    fn activity_shown<'e>(&mut self, event: &'e ActivitySnapshot) -> Verdict<'e> {
        let id = &event.message_id;
        let mut owner = owner_of(&event.common);
        if let Some(name) = self.names.get(id.as_str()) {
            if name.kind != Kind::Activity {
                return refuse(Rule::IdInUse, id.as_str());
            }
            // One that is not replaced keeps its owner.
            if event.replace == Some(false)
                && let Some(told) = self.names.owner_told(name)
            {
                owner.clone_from(told);
            }
        }
        self.names.enter(id, Kind::Activity, &owner);
        Ok(None)
    }

    fn activity_changed<'e>(&mut self, event: &'e ActivityDelta) -> Verdict<'e> {
        let id = event.message_id.as_str();
        match self.names.get(id).map(|name| name.kind) {
            Some(Kind::Activity) => self.known_owner(id, &event.common),
            Some(_) => refuse(Rule::IdInUse, id),
            None => refuse(Rule::UnknownActivity, id),
        }
    }

    fn snapshot<'e>(&mut self, messages: &'e [Message]) -> Verdict<'e> {
        let mut seen = HashSet::new();
        let mut ids = Vec::new();
        for message in messages {
            let id = message.id().as_str();
            if !seen.insert(id) {
                return refuse(Rule::DuplicateMessage, id);
            }
            for (listed, name) in listed(message) {
                if !self.names.may_list(listed.as_str(), name.kind) {
                    return refuse(Rule::IdInUse, id);
                }
                ids.push(listed);
            }
        }
        self.names.learn(messages, Source::Snapshot);
        // What is open and listed belongs to whom the list says.
        for id in ids {
            self.give_to_owner(id.as_str());
        }
        Ok(None)
    }

    /// Gives what is open under `id` to the owner that the id has.
    fn give_to_owner(&mut self, id: &str) {
        let name = self.names.get(id);
        let owner = name.and_then(|name| self.names.owner_told(name));
        let (Some(name), Some(owner)) = (name, owner) else {
            return;
        };
        for slot in [name.slot, name.span].into_iter().flatten() {
            if let Some(open) = self.open.get_mut(slot) {
                open.owner.clone_from(owner);
            }
        }
    }
}
