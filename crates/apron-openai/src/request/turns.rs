//! A conversation in the order that providers demand: every call followed by its result.

use std::collections::hash_map::{Entry, HashMap};
use std::collections::{HashSet, VecDeque};

use apron_protocol::{
    AssistantMessage, InstructionMessage, Message, ToolCall, ToolMessage, UserMessage,
};

use super::hosted::is_hosted;
use super::repair::{Repair, Repairs};

/// One message of the conversation that stays, with what belongs to it.
pub(super) enum Turn<'a> {
    Developer(&'a InstructionMessage),
    System(&'a InstructionMessage),
    User(&'a UserMessage),
    Assistant(Spoken<'a>),
}

/// What the model said in one go.
#[derive(Default)]
pub(super) struct Spoken<'a> {
    pub(super) text: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) calls: Vec<Called<'a>>,
    /// What it thought before it spoke.
    pub(super) reasoning: Vec<&'a str>,
    /// What providers want back, still sealed: the reasoning's and the message's own.
    pub(super) sealed: Vec<&'a str>,
}

/// A call and its answer.
pub(super) struct Called<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) result: Option<&'a ToolMessage>,
}

/// Sorts a conversation into turns: pairs calls and results, joins what belongs together, and
/// leaves out what no provider may see.
///
/// Linear in the number of messages and calls.
pub(super) fn turns<'a>(messages: &'a [Message], repairs: &mut Repairs) -> Vec<Turn<'a>> {
    let mut sorter = Sorter::default();
    for message in messages {
        sorter.take(message, repairs);
    }
    sorter.finish(repairs)
}

/// The calls of one id in one turn that have no result: which turn, and which of its calls.
struct Unanswered {
    turn: usize,
    calls: VecDeque<usize>,
}

#[derive(Default)]
struct Sorter<'a> {
    turns: Vec<Turn<'a>>,
    /// Calls without a result, by id, oldest turn first.
    unanswered: HashMap<&'a str, Vec<Unanswered>>,
    /// Ids of all calls, those that are left out included.
    known: HashSet<&'a str>,
    hosted: HashSet<&'a str>,
    /// Results that came before any call of their id.
    early: HashMap<&'a str, &'a ToolMessage>,
    reasoning: Vec<&'a str>,
    sealed: Vec<&'a str>,
    /// Which call of the last turn was answered last.
    answered: Option<usize>,
    /// True when nothing came between the last assistant turn and now.
    adjacent: bool,
}

impl<'a> Sorter<'a> {
    fn take(&mut self, message: &'a Message, repairs: &mut Repairs) {
        match message {
            Message::Developer(it) => self.instruct(it, Turn::Developer(it), repairs),
            Message::System(it) => self.instruct(it, Turn::System(it), repairs),
            Message::User(user) if user.content.is_empty() => repairs.add(Repair::EmptyMessage),
            Message::User(user) => {
                // What was thought before a person speaks again belongs to an answer that is lost.
                self.reasoning.clear();
                self.sealed.clear();
                self.push(Turn::User(user));
            }
            Message::Assistant(assistant) => self.speak(assistant, repairs),
            Message::Tool(result) => self.answer(result, repairs),
            Message::Reasoning(reasoning) => {
                if !reasoning.content.is_empty() {
                    self.reasoning.push(&reasoning.content);
                }
                self.sealed.extend(reasoning.encrypted_value.as_deref());
            }
            // Activities are for people. The model never sees them, nor what 1.0 does not know.
            _ => {}
        }
    }

    fn instruct(&mut self, it: &InstructionMessage, turn: Turn<'a>, repairs: &mut Repairs) {
        if it.content.is_empty() {
            repairs.add(Repair::EmptyMessage);
        } else {
            self.push(turn);
        }
    }

    fn push(&mut self, turn: Turn<'a>) {
        self.turns.push(turn);
        self.answered = None;
        self.adjacent = false;
    }

    fn speak(&mut self, message: &'a AssistantMessage, repairs: &mut Repairs) {
        let text = message.content.as_deref().filter(|text| !text.is_empty());
        let mut hosted = 0;
        let calls = message.tool_calls.iter().filter(|call| {
            let id = call.id.as_str();
            let is_hosted = is_hosted(call);
            if is_hosted {
                hosted += 1;
                self.hosted.insert(id);
                repairs.add(Repair::HostedCall);
            }
            !is_hosted
        });
        let calls: Vec<_> = calls.map(|call| Called { call, result: None }).collect();
        if text.is_none() && calls.is_empty() {
            if hosted == 0 {
                repairs.add(Repair::EmptyMessage);
            }
            self.sealed.extend(message.encrypted_value.as_deref());
            return;
        }
        let merges = text.is_none() && self.adjacent;
        if !merges {
            self.push(Turn::Assistant(Spoken::default()));
        } else {
            repairs.add(Repair::MergedCalls);
        }
        let at = self.turns.len().saturating_sub(1);
        let Some(Turn::Assistant(spoken)) = self.turns.last_mut() else {
            return;
        };
        spoken.text = spoken.text.or(text);
        spoken.name = spoken.name.or(message.name.as_deref());
        spoken.reasoning.append(&mut self.reasoning);
        spoken.sealed.append(&mut self.sealed);
        spoken.sealed.extend(message.encrypted_value.as_deref());
        let first = spoken.calls.len();
        spoken.calls.extend(calls);
        for (number, called) in spoken.calls.iter_mut().enumerate().skip(first) {
            let id = called.call.id.as_str();
            self.known.insert(id);
            called.result = self.early.remove(id);
            if called.result.is_some() {
                repairs.add(Repair::MovedResult);
            } else {
                let open = self.unanswered.entry(id).or_default();
                match open.last_mut() {
                    Some(last) if last.turn == at => last.calls.push_back(number),
                    _ => open.push(Unanswered {
                        turn: at,
                        calls: VecDeque::from([number]),
                    }),
                }
            }
        }
        self.adjacent = true;
    }

    fn answer(&mut self, result: &'a ToolMessage, repairs: &mut Repairs) {
        let id = result.tool_call_id.as_str();
        let Some((turn, number)) = self.open_call(id) else {
            if self.known.contains(id) {
                repairs.add(Repair::DuplicateResult);
            } else if !self.hosted.contains(id) {
                self.keep_early(id, result, repairs);
            }
            return;
        };
        let in_place = turn + 1 == self.turns.len() && self.answered.is_none_or(|it| it < number);
        if in_place {
            self.answered = Some(number);
        } else {
            repairs.add(Repair::MovedResult);
        }
        if let Some(Turn::Assistant(spoken)) = self.turns.get_mut(turn)
            && let Some(called) = spoken.calls.get_mut(number)
        {
            called.result = Some(result);
        }
        self.adjacent = false;
    }

    /// The call that a result with this id answers: of the latest turn, since ids come again when a
    /// provider counts from one, and there the first.
    fn open_call(&mut self, id: &str) -> Option<(usize, usize)> {
        let open = self.unanswered.get_mut(id)?;
        let last = open.last_mut()?;
        let place = (last.turn, last.calls.pop_front()?);
        if last.calls.is_empty() {
            open.pop();
        }
        Some(place)
    }

    /// The first result wins, also of those that come before their call.
    fn keep_early(&mut self, id: &'a str, result: &'a ToolMessage, repairs: &mut Repairs) {
        match self.early.entry(id) {
            Entry::Vacant(entry) => drop(entry.insert(result)),
            Entry::Occupied(_) => repairs.add(Repair::DuplicateResult),
        }
    }

    fn finish(self, repairs: &mut Repairs) -> Vec<Turn<'a>> {
        for _ in 0..self.early.len() {
            repairs.add(Repair::OrphanResult);
        }
        self.turns
    }
}
