//! The rules themselves, one event at a time.

use apron_protocol::{
    Common, Event, Message, MessageId, RunAgentInput, RunFinished, RunOutcome, RunStarted,
    SubagentRunId, TextMessageRole, ToolCallId,
};

use super::names::{Kind, Name, Owner};
use super::open::{Item, Slot, Which};
use super::{Ledger, Phase, Refusal, Rule};

type Verdict<'e> = Result<Option<Slot>, Refusal<'e>>;

impl Ledger {
    pub(super) fn judge<'e>(&mut self, event: &'e Event) -> Verdict<'e> {
        self.judge_phase(event)?;
        match event {
            Event::RunStarted(event) => self.run_started(event),
            Event::RunFinished(event) => self.run_finished(event),
            Event::RunError(_) => {
                // Nothing needs closing before an error: it ends everything.
                self.open.clear();
                self.phase = Phase::Errored;
                Ok(None)
            }
            Event::TextMessageStart(event) => {
                let role = event.role.unwrap_or(TextMessageRole::Assistant);
                let kind = Kind::Text(role);
                let id = &event.message_id;
                self.open_item(id, kind, Item::Text(id.clone()), &event.common)
            }
            Event::TextMessageContent(event) => {
                self.continue_item(&event.message_id, &event.common, Which::Text, false)
            }
            Event::TextMessageEnd(event) => {
                self.continue_item(&event.message_id, &event.common, Which::Text, true)
            }
            Event::ToolCallStart(event) => self.call_started(
                &event.tool_call_id,
                event.parent_message_id.as_ref(),
                &event.common,
            ),
            Event::ToolCallArgs(event) => {
                let id = event.tool_call_id.as_str();
                let slot = self
                    .find_open(id, Which::Call)
                    .ok_or(Refusal(Rule::NotOpen, Some(id)))?;
                self.same_owner(slot, &event.common, id)?;
                if let Some(open) = self.open.get_mut(slot)
                    && let Item::Call { has_args, .. } = &mut open.item
                {
                    *has_args = true;
                }
                self.open.continued(slot);
                Ok(None)
            }
            Event::ToolCallEnd(event) => {
                let id = event.tool_call_id.as_str();
                let slot = self
                    .find_open(id, Which::Call)
                    .ok_or(Refusal(Rule::NotOpen, Some(id)))?;
                self.same_owner(slot, &event.common, id)?;
                self.forget(slot);
                Ok(None)
            }
            Event::ToolCallResult(event) => {
                self.call_answered(&event.message_id, &event.tool_call_id, &event.common)
            }
            Event::ReasoningStart(event) => {
                let id = &event.message_id;
                self.open_item(id, Kind::Reasoning, Item::Span(id.clone()), &event.common)
            }
            Event::ReasoningEnd(event) => {
                self.continue_item(&event.message_id, &event.common, Which::Span, true)
            }
            Event::ReasoningMessageStart(event) => {
                let id = &event.message_id;
                self.open_item(
                    id,
                    Kind::Reasoning,
                    Item::Thought(id.clone()),
                    &event.common,
                )
            }
            Event::ReasoningMessageContent(event) => {
                self.continue_item(&event.message_id, &event.common, Which::Thought, false)
            }
            Event::ReasoningMessageEnd(event) => {
                self.continue_item(&event.message_id, &event.common, Which::Thought, true)
            }
            Event::ReasoningEncryptedValue(event) => {
                // An entity that is not known is legal: it may be of an earlier run.
                let id = event.entity_id.as_str();
                self.known_owner(id, &event.common)?;
                Ok(None)
            }
            Event::StepStarted(event) => {
                let name = &event.step_name;
                let owner = owner_of(&event.common);
                if self.find_step(name, &owner).is_some() {
                    return Err(Refusal(Rule::AlreadyOpen, Some(name)));
                }
                Ok(Some(self.open.open(Item::Step(name.clone()), owner)))
            }
            Event::StepFinished(event) => {
                // Steps are keyed by owner and name: without the tag it is another step.
                let name = &event.step_name;
                let slot = self
                    .find_step(name, &owner_of(&event.common))
                    .ok_or(Refusal(Rule::NotOpen, Some(name)))?;
                self.forget(slot);
                Ok(None)
            }
            Event::SubagentStarted(event) => self.subagent_started(
                &event.subagent_run_id,
                event.parent_subagent_run_id.as_ref(),
            ),
            Event::SubagentFinished(event) => self.subagent_ended(&event.subagent_run_id),
            Event::SubagentError(event) => self.subagent_ended(&event.subagent_run_id),
            Event::ActivitySnapshot(event) => {
                let id = &event.message_id;
                let owner = owner_of(&event.common);
                match self.names.get(id.as_str()).map(|name| name.kind) {
                    None | Some(Kind::Activity) => {}
                    Some(_) => return Err(Refusal(Rule::IdInUse, Some(id.as_str()))),
                }
                let name = self.names.enter(id, Kind::Activity, &owner);
                if event.replace != Some(false) {
                    name.owner = owner;
                }
                Ok(None)
            }
            Event::ActivityDelta(event) => {
                let id = event.message_id.as_str();
                match self.names.get(id).map(|name| name.kind) {
                    Some(Kind::Activity) => {}
                    Some(_) => return Err(Refusal(Rule::IdInUse, Some(id))),
                    None => return Err(Refusal(Rule::UnknownActivity, Some(id))),
                }
                self.known_owner(id, &event.common)?;
                Ok(None)
            }
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

    fn run_started<'e>(&mut self, event: &'e RunStarted) -> Verdict<'e> {
        if self
            .thread
            .as_ref()
            .is_some_and(|thread| *thread != event.thread_id)
        {
            return Err(Refusal(Rule::OtherThread, Some(event.thread_id.as_str())));
        }
        if self.past_runs.contains(&event.run_id) {
            return Err(Refusal(Rule::RunIdReused, Some(event.run_id.as_str())));
        }
        self.thread = Some(event.thread_id.clone());
        self.run = Some(event.run_id.clone());
        self.past_runs.insert(event.run_id.clone());
        self.calls.clear();
        self.subagents.clear();
        self.open.clear();
        if let Some(input) = &event.input {
            let RunAgentInput { messages, .. } = &**input;
            self.names.learn(messages, true, false);
        }
        self.phase = Phase::Active;
        Ok(None)
    }

    fn run_finished<'e>(&mut self, event: &'e RunFinished) -> Verdict<'e> {
        if self.thread.as_ref() != Some(&event.thread_id) {
            return Err(Refusal(Rule::OtherRun, Some(event.thread_id.as_str())));
        }
        if self.run.as_ref() != Some(&event.run_id) {
            return Err(Refusal(Rule::OtherRun, Some(event.run_id.as_str())));
        }
        if !self.open.is_empty() {
            return Err(Refusal(Rule::StillOpen, None));
        }
        match &event.outcome {
            Some(RunOutcome::Interrupt { interrupts }) => {
                if interrupts.is_empty() {
                    return Err(Refusal(Rule::NoInterrupt, None));
                }
                let mut seen = std::collections::HashSet::new();
                for interrupt in interrupts {
                    if !seen.insert(&interrupt.id) {
                        return Err(Refusal(
                            Rule::DuplicateInterrupt,
                            Some(interrupt.id.as_str()),
                        ));
                    }
                }
            }
            Some(RunOutcome::Success {
                pending_tool_call_ids: pending,
            }) => {
                if !pending.is_empty() && !self.unanswered().eq(pending.iter()) {
                    return Err(Refusal(Rule::PendingCalls, None));
                }
            }
            _ => {}
        }
        self.phase = Phase::Finished;
        Ok(None)
    }

    /// Opens a message or span under `id`.
    fn open_item<'e>(
        &mut self,
        id: &'e MessageId,
        kind: Kind,
        item: Item,
        common: &Common,
    ) -> Verdict<'e> {
        let text = id.as_str();
        let is_span = matches!(item, Item::Span(_));
        let mut owner = owner_of(common);
        if let Some(name) = self.names.get(text) {
            if name.history {
                return Err(Refusal(Rule::IdInUse, Some(text)));
            }
            let taken = if is_span { name.span } else { name.slot };
            if taken.is_some() {
                return Err(Refusal(Rule::AlreadyOpen, Some(text)));
            }
            match (name.kind, kind) {
                (Kind::Text(old), Kind::Text(new)) if old != new => {
                    return Err(Refusal(Rule::OtherShape, Some(text)));
                }
                (Kind::Text(_), Kind::Text(_)) | (Kind::Reasoning, Kind::Reasoning) => {}
                _ => return Err(Refusal(Rule::IdInUse, Some(text))),
            }
            if owner.is_some() && owner != name.owner {
                return Err(Refusal(Rule::OtherOwner, Some(text)));
            }
            // A reopening without a tag keeps the owner that the item has.
            owner.clone_from(&name.owner);
        }
        let slot = self.open.open(item, owner.clone());
        let name = self.names.enter(id, kind, &owner);
        if is_span {
            name.span = Some(slot);
        } else {
            name.slot = Some(slot);
        }
        Ok(Some(slot))
    }

    /// Continues or ends what is open under `id`.
    fn continue_item<'e>(
        &mut self,
        id: &'e MessageId,
        common: &Common,
        which: Which,
        ends: bool,
    ) -> Verdict<'e> {
        let text = id.as_str();
        let slot = self
            .find_open(text, which)
            .ok_or(Refusal(Rule::NotOpen, Some(text)))?;
        self.same_owner(slot, common, text)?;
        if ends {
            self.forget(slot);
        } else {
            self.open.continued(slot);
        }
        Ok(None)
    }

    fn find_open(&self, id: &str, which: Which) -> Option<Slot> {
        self.open.last_if(|item| which.is(item, id)).or_else(|| {
            let name = self.names.get(id)?;
            let slot = if which == Which::Span {
                name.span
            } else {
                name.slot
            }?;
            self.open
                .get(slot)
                .filter(|open| which.is(&open.item, id))
                .map(|_| slot)
        })
    }

    fn call_started<'e>(
        &mut self,
        id: &'e ToolCallId,
        parent: Option<&'e MessageId>,
        common: &Common,
    ) -> Verdict<'e> {
        let text = id.as_str();
        let mut owner = owner_of(common);
        if let Some(name) = self.names.get(text) {
            if name.history || name.kind != Kind::Call {
                return Err(Refusal(Rule::IdInUse, Some(text)));
            }
            if name.slot.is_some() {
                return Err(Refusal(Rule::AlreadyOpen, Some(text)));
            }
            if owner.is_some() && owner != name.owner {
                return Err(Refusal(Rule::OtherOwner, Some(text)));
            }
            if self
                .call_of(name, id)
                .is_some_and(|(_, answered)| *answered)
            {
                return Err(Refusal(Rule::AlreadyAnswered, Some(text)));
            }
            owner.clone_from(&name.owner);
        }
        if let Some(parent) = parent {
            if let Some(name) = self.names.get(parent.as_str()) {
                if name.kind != Kind::Text(TextMessageRole::Assistant) {
                    return Err(Refusal(Rule::ParentNotAssistant, Some(parent.as_str())));
                }
                if owner.is_some() && owner != name.owner {
                    return Err(Refusal(Rule::OtherOwner, Some(parent.as_str())));
                }
                if owner.is_none() {
                    owner.clone_from(&name.owner);
                }
            } else {
                self.names
                    .enter(parent, Kind::Text(TextMessageRole::Assistant), &owner);
            }
        }
        let slot = self.open.open(
            Item::Call {
                id: id.clone(),
                has_args: false,
            },
            owner.clone(),
        );
        let name = self.names.enter(&MessageId::from(id), Kind::Call, &owner);
        name.slot = Some(slot);
        // A reopened call keeps its place in the order.
        let started = name.call.and_then(|index| self.calls.get(index));
        if started.is_none_or(|(call, _)| call != id) {
            name.call = Some(self.calls.len());
            self.calls.push((id.clone(), false));
        }
        Ok(Some(slot))
    }

    fn call_answered<'e>(
        &mut self,
        message: &'e MessageId,
        call: &'e ToolCallId,
        common: &Common,
    ) -> Verdict<'e> {
        if self.names.contains(message.as_str()) {
            return Err(Refusal(Rule::IdInUse, Some(message.as_str())));
        }
        let text = call.as_str();
        if self.find_open(text, Which::Call).is_some() {
            return Err(Refusal(Rule::CallOpen, Some(text)));
        }
        if self.history && !self.names.is_call(call) {
            return Err(Refusal(Rule::UnknownCall, Some(text)));
        }
        let index = self.names.get(text).and_then(|name| name.call);
        let started = index.and_then(|index| self.calls.get_mut(index));
        if let Some((_, answered)) = started.filter(|(started, _)| started == call) {
            if *answered {
                return Err(Refusal(Rule::AlreadyAnswered, Some(text)));
            }
            *answered = true;
        }
        self.names.enter(message, Kind::Result, &owner_of(common));
        Ok(None)
    }

    /// The entry of a call that was started in the active run.
    fn call_of(&self, name: &Name, id: &ToolCallId) -> Option<&(ToolCallId, bool)> {
        self.calls
            .get(name.call?)
            .filter(|(started, _)| started == id)
    }

    fn subagent_started<'e>(
        &mut self,
        id: &'e SubagentRunId,
        parent: Option<&'e SubagentRunId>,
    ) -> Verdict<'e> {
        match self.subagents.iter().find(|(known, _)| known == id) {
            Some((_, true)) => return Err(Refusal(Rule::SubagentActive, Some(id.as_str()))),
            Some((_, false)) => return Err(Refusal(Rule::SubagentClosed, Some(id.as_str()))),
            None => {}
        }
        if let Some(parent) = parent
            && !self.subagents.iter().any(|(known, _)| known == parent)
        {
            return Err(Refusal(Rule::ParentSubagentUnknown, Some(parent.as_str())));
        }
        self.subagents.push((id.clone(), true));
        Ok(Some(self.open.open(Item::Subagent(id.clone()), None)))
    }

    fn subagent_ended<'e>(&mut self, id: &'e SubagentRunId) -> Verdict<'e> {
        let found = self
            .open
            .find(|open| matches!(&open.item, Item::Subagent(open) if open == id));
        let slot = found.ok_or(Refusal(Rule::SubagentUnknown, Some(id.as_str())))?;
        self.forget(slot);
        self.end_subagent(id);
        Ok(None)
    }

    pub(super) fn end_subagent(&mut self, id: &SubagentRunId) {
        if let Some((_, active)) = self.subagents.iter_mut().find(|(known, _)| known == id) {
            *active = false;
        }
    }

    fn snapshot<'e>(&mut self, messages: &'e [Message]) -> Verdict<'e> {
        let mut seen = std::collections::HashSet::new();
        for message in messages {
            if !seen.insert(message.id()) {
                return Err(Refusal(Rule::DuplicateMessage, Some(message.id().as_str())));
            }
        }
        self.names.learn(messages, false, true);
        Ok(None)
    }

    fn find_step(&self, name: &str, owner: &Owner) -> Option<Slot> {
        self.open.find(|open| {
            matches!(&open.item, Item::Step(open_name) if **open_name == *name)
                && open.owner == *owner
        })
    }

    /// An explicit tag is the owner that the open item has.
    fn same_owner<'e>(&self, slot: Slot, common: &Common, id: &'e str) -> Result<(), Refusal<'e>> {
        let Some(tag) = common.subagent_run_id() else {
            return Ok(());
        };
        let owner = self.open.get(slot).and_then(|open| open.owner.as_ref());
        if owner == Some(tag) {
            Ok(())
        } else {
            Err(Refusal(Rule::OtherOwner, Some(id)))
        }
    }

    /// An explicit tag is the owner that the id has, when it is known.
    fn known_owner<'e>(&self, id: &'e str, common: &Common) -> Result<(), Refusal<'e>> {
        let (Some(tag), Some(name)) = (common.subagent_run_id(), self.names.get(id)) else {
            return Ok(());
        };
        if name.owner.as_ref() == Some(tag) {
            Ok(())
        } else {
            Err(Refusal(Rule::OtherOwner, Some(id)))
        }
    }
}

fn owner_of(common: &Common) -> Owner {
    common.subagent_run_id().cloned()
}
