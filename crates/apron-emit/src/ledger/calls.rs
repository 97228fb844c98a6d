//! Tool calls and their results.

use apron_protocol::{
    MessageId, TextMessageRole, ToolCallArgs, ToolCallEnd, ToolCallResult, ToolCallStart,
};

use super::items::owner_of;
use super::names::{Kind, Name, Owner, Shape};
use super::open::{Item, Slot, Which};
use super::{Ledger, Refusal, Rule, Verdict, refuse};

const ASSISTANT: Kind = Kind::Text(TextMessageRole::Assistant);

impl Ledger {
    pub(super) fn find_call(&self, id: &str) -> Option<Slot> {
        self.find_open(id, Which::Call)
    }

    pub(super) fn call_started<'e>(&mut self, event: &'e ToolCallStart) -> Verdict<'e> {
        let id = &event.tool_call_id;
        // Clients take an empty parent for none.
        let parent = event.parent_message_id.as_ref();
        let parent = parent.filter(|parent| !parent.as_str().is_empty());
        let tag = owner_of(&event.common);
        let shape = Shape::Call(Box::new((event.tool_call_name.clone(), parent.cloned())));
        let known = self.names.get(id.as_str());
        if let Some(name) = known {
            self.may_reopen(name, id.as_str(), &tag, &shape)?;
        } else if self.answered_before.contains(id) {
            return refuse(Rule::AlreadyAnswered, id.as_str());
        }
        // A call has the owner that it had, or that its tag says, or that its parent has.
        let told = known.and_then(|name| self.names.owner_told(name).cloned());
        let certain = told.or_else(|| tag.is_some().then_some(tag));
        let owner = match parent {
            Some(parent) => self.may_have_parent(parent, id.as_str(), certain)?,
            None => certain.flatten(),
        };

        if let Some(parent) = parent {
            self.names.enter(parent, ASSISTANT, &owner);
        }
        let item = Item::Call {
            id: id.clone(),
            has_args: false,
        };
        let slot = self.open.open(item, owner.clone());
        let name = self.names.enter(&MessageId::from(id), Kind::Call, &owner);
        name.slot = Some(slot);
        name.shape = Some(shape);
        // A reopened call keeps its place in the order.
        let place = name.call.and_then(|index| self.calls.get(index));
        if place.is_none_or(|(call, _)| call != id) {
            name.call = Some(self.calls.len());
            self.calls.push((id.clone(), false));
        }
        Ok(Some(slot))
    }

    fn may_reopen<'e>(
        &self,
        name: &Name,
        id: &'e str,
        tag: &Owner,
        shape: &Shape,
    ) -> Result<(), Refusal<'e>> {
        if name.history || name.kind != Kind::Call {
            return refuse(Rule::IdInUse, id);
        }
        if name.slot.is_some_and(|slot| self.is_open(slot)) {
            return refuse(Rule::AlreadyOpen, id);
        }
        if name.answered {
            return refuse(Rule::AlreadyAnswered, id);
        }
        if name.shape.as_ref().is_some_and(|known| known != shape) {
            return refuse(Rule::OtherShape, id);
        }
        if tag.is_some() && self.names.owner(name).is_some_and(|known| known != tag) {
            return refuse(Rule::OtherOwner, id);
        }
        Ok(())
    }

    /// The owner of the call: the one that is certain already, or that of its parent.
    fn may_have_parent<'e>(
        &self,
        parent: &'e MessageId,
        call: &str,
        certain: Option<Owner>,
    ) -> Result<Owner, Refusal<'e>> {
        let id = parent.as_str();
        if id == call {
            return refuse(Rule::ParentNotAssistant, id);
        }
        let Some(name) = self.names.get(id) else {
            return Ok(certain.flatten());
        };
        if name.kind != ASSISTANT {
            return refuse(Rule::ParentNotAssistant, id);
        }
        match certain {
            Some(owner) if self.names.owner(name).is_some_and(|known| *known != owner) => {
                refuse(Rule::OtherOwner, id)
            }
            Some(owner) => Ok(owner),
            None => Ok(self.names.owner_told(name).cloned().flatten()),
        }
    }

    pub(super) fn call_continued<'e>(&mut self, event: &'e ToolCallArgs) -> Verdict<'e> {
        let slot = self.owned(event.tool_call_id.as_str(), Which::Call, &event.common)?;
        if let Some(open) = self.open.get_mut(slot)
            && let Item::Call { has_args, .. } = &mut open.item
        {
            *has_args |= !event.delta.is_empty();
        }
        self.open.continued(slot);
        Ok(None)
    }

    pub(super) fn call_ended<'e>(&mut self, event: &'e ToolCallEnd) -> Verdict<'e> {
        let slot = self.owned(event.tool_call_id.as_str(), Which::Call, &event.common)?;
        self.open.close(slot);
        Ok(None)
    }

    pub(super) fn call_answered<'e>(&mut self, event: &'e ToolCallResult) -> Verdict<'e> {
        let (message, call) = (&event.message_id, event.tool_call_id.as_str());
        if self.names.contains(message.as_str()) {
            return refuse(Rule::IdInUse, message.as_str());
        }
        if message.as_str() == call {
            return refuse(Rule::IdInUse, call);
        }
        if self.find_call(call).is_some() {
            return refuse(Rule::CallOpen, call);
        }
        match self.names.get_mut(call) {
            Some(name) if name.kind == Kind::Call => {
                if name.answered {
                    return refuse(Rule::AlreadyAnswered, call);
                }
                name.answered = true;
                let started = name.call.and_then(|index| self.calls.get_mut(index));
                if let Some((_, answered)) = started.filter(|(id, _)| id.as_str() == call) {
                    *answered = true;
                }
            }
            Some(_) => return refuse(Rule::UnknownCall, call),
            None if self.history => return refuse(Rule::UnknownCall, call),
            // The call may be of a run before this stream. It has its answer now.
            None => {
                if !self.answered_before.insert(event.tool_call_id.clone()) {
                    return refuse(Rule::AlreadyAnswered, call);
                }
            }
        }
        let owner = owner_of(&event.common);
        self.names.enter(message, Kind::Result, &owner);
        Ok(None)
    }
}
