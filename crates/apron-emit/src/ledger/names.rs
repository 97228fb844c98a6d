//! The one id space of messages, reasoning, activities, results and calls.
//!
//! A client keeps all of them in one list and looks an id up by its first match, so an id that two
//! kinds share corrupts one of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use apron_protocol::{Message, MessageId, SubagentRunId, TextMessageRole};

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
    owner: Owner,
    /// The run in which the owner was last told; 0 for one that only the history tells.
    told: u32,
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
            told: 0,
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
pub(super) struct Names {
    known: HashMap<MessageId, Name, Hasher>,
    /// Counts the runs of the stream, from 1.
    run: u32,
}

/// How a list of messages is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Source {
    /// What the client has from earlier runs.
    History,
    /// The same, told by the stream itself.
    Echo,
    /// What the client is to have from now on.
    Snapshot,
}

impl Names {
    /// A client forgets who owns what when a run starts.
    pub(super) fn start_run(&mut self) {
        self.run += 1;
    }

    pub(super) fn get(&self, id: &str) -> Option<&Name> {
        self.known.get(id)
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.known.contains_key(id)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Name> {
        self.known.get_mut(id)
    }

    /// The owner that was told in the active run, and that a start without a tag takes over.
    pub(super) fn owner_told<'a>(&self, name: &'a Name) -> Option<&'a Owner> {
        (name.told == self.run).then_some(&name.owner)
    }

    /// The owner that a tag must not contradict: the one that was told, or that the history has.
    pub(super) fn owner<'a>(&self, name: &'a Name) -> Option<&'a Owner> {
        (name.told == self.run || name.history).then_some(&name.owner)
    }

    /// The entry of `id`, made when there is none; it belongs to `owner` from now on.
    pub(super) fn enter(&mut self, id: &MessageId, kind: Kind, owner: &Owner) -> &mut Name {
        let name = self
            .known
            .entry(id.clone())
            .or_insert_with(|| Name::new(kind, None));
        name.owner.clone_from(owner);
        name.told = self.run;
        name
    }

    /// Learns the ids of `messages` and of their calls.
    pub(super) fn learn(&mut self, messages: &[Message], source: Source) {
        for message in messages {
            for (id, name) in listed(message) {
                self.note(id, name, source);
            }
            // The call comes before its answer, also in a list.
            if let Message::Tool(tool) = message
                && let Some(call) = self.get_mut(tool.tool_call_id.as_str())
            {
                call.answered = true;
            }
        }
    }

    /// True when a snapshot may list `id` as `kind`: as what it is. A client mints an assistant
    /// message with the id of a call without a parent, which a server may know as a message only.
    pub(super) fn may_list(&self, id: &str, kind: Kind) -> bool {
        self.get(id).is_none_or(|name| match (name.kind, kind) {
            (Kind::Text(_), Kind::Text(_)) => true,
            (Kind::Call, Kind::Text(TextMessageRole::Assistant)) => name.history,
            (known, listed) => known == listed,
        })
    }

    fn note(&mut self, id: MessageId, mut name: Name, source: Source) {
        let told = if source == Source::History {
            0
        } else {
            self.run
        };
        match self.known.entry(id) {
            Entry::Vacant(vacant) => {
                name.history = source != Source::Snapshot;
                name.told = told;
                vacant.insert(name);
            }
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                let overrules = match source {
                    Source::Snapshot => true,
                    // What the run itself has said already stays.
                    Source::Echo => known.told != told,
                    Source::History => false,
                };
                // Where it is open, and what it was started as, does not change by being listed.
                if overrules {
                    known.kind = name.kind;
                    known.owner = name.owner;
                    known.told = told;
                }
            }
        }
    }
}

/// The ids of a message and of its calls.
pub(super) fn listed(message: &Message) -> Vec<(MessageId, Name)> {
    let owner = message.subagent_run_id().cloned();
    let mut ids = Vec::with_capacity(1);
    let kind = match message {
        Message::Developer(_) => Kind::Text(TextMessageRole::Developer),
        Message::System(_) => Kind::Text(TextMessageRole::System),
        Message::User(_) => Kind::Text(TextMessageRole::User),
        Message::Assistant(assistant) => {
            let calls = assistant.tool_calls.iter();
            ids.extend(calls.map(|call| {
                let name = Name::new(Kind::Call, owner.clone());
                (MessageId::from(&call.id), name)
            }));
            // A client mints an assistant message with the id of a call without a parent; there
            // both are the same item.
            if ids.iter().any(|(id, _)| *id == assistant.id) {
                return ids;
            }
            Kind::Text(TextMessageRole::Assistant)
        }
        Message::Tool(_) => Kind::Result,
        Message::Activity(_) => Kind::Activity,
        Message::Reasoning(_) => Kind::Reasoning,
        // Roles of a later protocol are left out when input is read.
        _ => return ids,
    };
    ids.push((message.id().clone(), Name::new(kind, owner)));
    ids
}
