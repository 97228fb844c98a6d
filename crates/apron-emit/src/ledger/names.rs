//! The one id space of messages, reasoning, activities, results and calls.
//!
//! A client keeps all of them in one list and looks an id up by its first match, so an id that two
//! kinds share corrupts one of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use apron_protocol::{AssistantMessage, Message, MessageId, SubagentRunId, TextMessageRole};

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

/// What a start said beyond the kind, which another start of the same item must repeat.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Shape {
    /// The speaker's name.
    Text(Option<Box<str>>),
    /// The tool and the parent.
    Call(Box<(String, Option<MessageId>)>),
}

#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) kind: Kind,
    pub(super) owner: Owner,
    /// Absent while nothing was started under the id, as for a parent that a call has named.
    pub(super) shape: Option<Shape>,
    /// From an earlier run: it may be answered or updated, and not opened again.
    pub(super) history: bool,
    /// Of a call: it has its result.
    pub(super) answered: bool,
    /// Where it was opened last; of a reasoning id, the message.
    pub(super) slot: Option<Slot>,
    /// Where the reasoning span of this id was opened last.
    pub(super) span: Option<Slot>,
    /// Of a call: its place among the calls of the run that started it.
    pub(super) call: Option<usize>,
}

impl Name {
    fn new(kind: Kind, owner: Owner) -> Self {
        Self {
            kind,
            owner,
            shape: None,
            history: false,
            answered: false,
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

/// How a list of messages is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Source {
    /// What the client has from earlier runs. What is known already stays as it is.
    History,
    /// What the client is to have from now on.
    Snapshot,
}

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
            .or_insert_with(|| Name::new(kind, owner.clone()))
    }

    /// Learns the ids of `messages` and of their calls.
    pub(super) fn learn(&mut self, messages: &[Message], source: Source) {
        for message in messages {
            let owner = message.subagent_run_id().cloned();
            let kind = match message {
                Message::Developer(_) => Kind::Text(TextMessageRole::Developer),
                Message::System(_) => Kind::Text(TextMessageRole::System),
                Message::User(_) => Kind::Text(TextMessageRole::User),
                Message::Assistant(assistant) => {
                    self.learn_calls(assistant, &owner, source);
                    if has_own_call(assistant) {
                        Kind::Call
                    } else {
                        Kind::Text(TextMessageRole::Assistant)
                    }
                }
                Message::Tool(tool) => {
                    // The call comes before its answer, also in a list.
                    if let Some(call) = self.get_mut(tool.tool_call_id.as_str()) {
                        call.answered = true;
                    }
                    Kind::Result
                }
                Message::Activity(_) => Kind::Activity,
                Message::Reasoning(_) => Kind::Reasoning,
                // Roles of a later protocol are left out when input is read.
                _ => continue,
            };
            self.note(message.id().clone(), Name::new(kind, owner), source);
        }
    }

    fn learn_calls(&mut self, assistant: &AssistantMessage, owner: &Owner, source: Source) {
        for call in &assistant.tool_calls {
            let id = MessageId::from(&call.id);
            // A client mints an assistant message with the id of a call without a parent; there
            // both are the same item.
            if id != assistant.id {
                self.note(id, Name::new(Kind::Call, owner.clone()), source);
            }
        }
    }

    fn note(&mut self, id: MessageId, mut name: Name, source: Source) {
        match (self.0.entry(id), source) {
            (Entry::Vacant(vacant), source) => {
                name.history = source == Source::History;
                vacant.insert(name);
            }
            (Entry::Occupied(mut known), Source::Snapshot) => {
                // Where it is open, and what it was started as, does not change by being listed.
                let known = known.get_mut();
                known.kind = name.kind;
                known.owner = name.owner;
            }
            (Entry::Occupied(_), Source::History) => {}
        }
    }
}

fn has_own_call(assistant: &AssistantMessage) -> bool {
    let mut calls = assistant.tool_calls.iter();
    calls.any(|call| call.id.as_str() == assistant.id.as_str())
}
