//! Closing what is open.

use apron_protocol::{
    Event, ReasoningEnd, ReasoningMessageEnd, StepFinished, SubagentError, SubagentFinished,
    TextMessageEnd, ToolCallArgs, ToolCallEnd,
};

use super::Ledger;
use super::names::Owner;
use super::open::{Item, Open, Slot};

/// Why things are closed: a subagent that is still active either did its work or did not.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Closing {
    /// The run succeeded or waits for a person.
    Done,
    /// The run failed.
    Failed,
    /// The run was stopped.
    Cancelled,
}

impl Ledger {
    /// Closes everything, newest first, and gives the events that say so.
    ///
    /// After it the ledger admits a terminal event.
    pub fn close_all(&mut self, why: Closing) -> Vec<Event> {
        let mut events = Vec::new();
        for slot in self.open.newest_first() {
            self.close(slot, why, &mut events);
        }
        events
    }

    /// Closes the item in `slot`, if it is still open.
    pub(crate) fn close(&mut self, slot: Slot, why: Closing, events: &mut Vec<Event>) {
        let Some(open) = self.open.close(slot) else {
            return;
        };
        let Open { item, owner, .. } = open;
        match item {
            Item::Text(id) => events.push(owned(TextMessageEnd::new(id), &owner)),
            Item::Call { id, has_args } => {
                // Clients parse the concatenated arguments: an empty text is no JSON.
                if !has_args {
                    events.push(owned(ToolCallArgs::new(id.clone(), "{}"), &owner));
                }
                events.push(owned(ToolCallEnd::new(id), &owner));
            }
            Item::Span(id) => events.push(owned(ReasoningEnd::new(id), &owner)),
            Item::Thought(id) => events.push(owned(ReasoningMessageEnd::new(id), &owner)),
            Item::Step(name) => events.push(owned(StepFinished::new(name), &owner)),
            Item::Subagent(id) => {
                self.subagents.insert(id.clone(), None);
                events.push(match why {
                    Closing::Done => SubagentFinished::new(id).into(),
                    Closing::Failed => {
                        SubagentError::new(id, "run_failed", "The run failed.").into()
                    }
                    Closing::Cancelled => {
                        SubagentError::new(id, "cancelled", "The run was cancelled.").into()
                    }
                });
            }
        }
    }
}

/// An event with the attribution that its item was opened with.
fn owned<E: Into<Event>>(event: E, owner: &Owner) -> Event {
    let mut event = event.into();
    if let Some(owner) = owner {
        event.attribute(owner);
    }
    event
}
