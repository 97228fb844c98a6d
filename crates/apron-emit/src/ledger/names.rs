//! The one id space of messages, reasoning, activities, results and calls.
//!
//! A client keeps all of them in one list and looks an id up by its first match, so an id that two
//! kinds share corrupts one of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use apron_protocol::{Message, MessageId, SubagentRunId, TextMessageRole, ToolCallId};

use super::open::Slot;

/// Who an item belongs to; `None` is the run's own agent.
pub(super) type Owner = Option<SubagentRunId>;

/// What an id stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// A text message of a role; for an assistant also the parent of calls.
    Text(TextMessageRole),
    /// A reasoning span or message: the two may share an id.
    Reasoning,
    Activity,
    Result,
    Call,
}

#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) kind: Kind,
    pub(super) owner: Owner,
    /// From an earlier run: it may be answered or updated, and not opened again.
    pub(super) history: bool,
    /// Where it is open, while it is; of a reasoning id, the message.
    pub(super) slot: Option<Slot>,
    /// Where the reasoning span of this id is open, while it is.
    pub(super) span: Option<Slot>,
    /// Of a call: its place among the calls of the run that started it.
    pub(super) call: Option<usize>,
}

impl Name {
    fn new(kind: Kind, owner: Owner, history: bool) -> Self {
        Self {
            kind,
            owner,
            history,
            slot: None,
            span: None,
            call: None,
        }
    }
}

type Hasher = foldhash::fast::RandomState;

/// Every id of the thread that the ledger has seen.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<MessageId, Name, Hasher>);

impl Names {
    pub(super) fn get(&self, id: &str) -> Option<&Name> {
        self.0.get(id)
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Name> {
        self.0.get_mut(id)
    }

    /// The entry of `id`, made when there is none.
    pub(super) fn enter(&mut self, id: &MessageId, kind: Kind, owner: &Owner) -> &mut Name {
        self.0
            .entry(id.clone())
            .or_insert_with(|| Name::new(kind, owner.clone(), false))
    }

    /// Learns the ids of `messages`; those that are known keep what they are unless `overwrite`.
    pub(super) fn learn(&mut self, messages: &[Message], history: bool, overwrite: bool) {
        for message in messages {
            let owner = message.subagent_run_id().cloned();
            let kind = match message {
                Message::Developer(_) => Kind::Text(TextMessageRole::Developer),
                Message::System(_) => Kind::Text(TextMessageRole::System),
                Message::Assistant(assistant) => {
                    for call in &assistant.tool_calls {
                        let id = MessageId::from(&call.id);
                        // A client mints an assistant message with the id of a call without a
                        // parent; there both are the same item.
                        if id != assistant.id {
                            self.note(id, Kind::Call, owner.clone(), history, overwrite);
                        }
                    }
                    let minted = assistant
                        .tool_calls
                        .iter()
                        .any(|call| call.id.as_str() == assistant.id.as_str());
                    if minted {
                        Kind::Call
                    } else {
                        Kind::Text(TextMessageRole::Assistant)
                    }
                }
                Message::User(_) => Kind::Text(TextMessageRole::User),
                Message::Tool(_) => Kind::Result,
                Message::Activity(_) => Kind::Activity,
                Message::Reasoning(_) => Kind::Reasoning,
                // Roles of a later protocol are left out when input is read.
                _ => continue,
            };
            self.note(message.id().clone(), kind, owner, history, overwrite);
        }
    }

    fn note(&mut self, id: MessageId, kind: Kind, owner: Owner, history: bool, overwrite: bool) {
        let name = Name::new(kind, owner, history);
        match self.0.entry(id) {
            Entry::Vacant(vacant) => {
                vacant.insert(name);
            }
            Entry::Occupied(mut known) if overwrite => {
                // Where it is open does not change by being listed.
                let known = known.get_mut();
                known.kind = name.kind;
                known.owner = name.owner;
            }
            Entry::Occupied(_) => {}
        }
    }

    pub(super) fn is_call(&self, id: &ToolCallId) -> bool {
        self.get(id.as_str())
            .is_some_and(|name| name.kind == Kind::Call)
    }
}
