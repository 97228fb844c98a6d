//! What is said: admitted by the ledger, then queued.

use apron_protocol::{Event, TextMessageRole, ToolCallArgs};
use serde_json::{Map, Value};

use super::Inner;
use crate::error::Error;
use crate::ledger::{Closing, Rule, Slot, Violation};

impl Inner {
    /// Admits an event and queues it.
    ///
    /// A delta that says nothing is judged and not sent, and a call that ends without arguments
    /// gets `{}`, whoever ends it: clients before 1.0 die on the one, and parse the other.
    pub(crate) fn admit(&mut self, event: impl Into<Event>) -> Result<Option<Slot>, Error> {
        let event = event.into();
        if event.is_terminal() {
            return Err(Error::Violation(Violation {
                event: event.event_type(),
                rule: Rule::TerminalReserved,
                id: None,
            }));
        }
        let arguments = self.missing_arguments(&event);
        let slot = self.ledger.admit_slot(&event)?;
        self.note_turn(&event);
        if let Some(arguments) = arguments {
            self.queue(arguments);
        }
        if !says_nothing(&event) {
            self.queue(event);
        }
        Ok(slot)
    }

    /// Queues an event that the ledger has admitted.
    pub(crate) fn queue(&mut self, event: Event) {
        self.weight += event.weight();
        self.queue.push_back(event);
    }

    /// Closes the item in `slot`, if it is still open; its closing event carries `metadata`.
    pub(crate) fn close(&mut self, slot: Slot, why: Closing, metadata: Map<String, Value>) {
        let mut events = Vec::new();
        self.ledger.close(slot, why, &mut events);
        if let Some(last) = events.last_mut()
            && !metadata.is_empty()
        {
            last.metadata_mut().extend(metadata);
        }
        events.into_iter().for_each(|event| self.queue(event));
    }

    /// The arguments of a call that `event` ends before it has any.
    fn missing_arguments(&self, event: &Event) -> Option<Event> {
        let Event::ToolCallEnd(end) = event else {
            return None;
        };
        if !self.ledger.lacks_arguments(&end.tool_call_id) {
            return None;
        }
        let mut arguments = Event::from(ToolCallArgs::new(end.tool_call_id.clone(), "{}"));
        if let Some(owner) = event.subagent_run_id() {
            arguments.attribute(owner);
        }
        Some(arguments)
    }

    /// Keeps the assistant message of the turn: calls belong to the text that was said with them,
    /// and what comes after a result is another message. What a subagent or another role says is no
    /// part of the agent's turn.
    fn note_turn(&mut self, event: &Event) {
        if event.subagent_run_id().is_some() {
            return;
        }
        match event {
            Event::TextMessageStart(start)
                if matches!(start.role, None | Some(TextMessageRole::Assistant)) =>
            {
                self.turn = Some((start.message_id.clone(), true));
            }
            Event::ToolCallResult(_) => self.turn = None,
            _ => {}
        }
    }
}

/// True for an empty delta that carries nothing else either.
fn says_nothing(event: &Event) -> bool {
    match event {
        Event::TextMessageContent(event) => event.delta.is_empty() && event.common.is_empty(),
        Event::ToolCallArgs(event) => event.delta.is_empty() && event.common.is_empty(),
        Event::ReasoningMessageContent(event) => event.delta.is_empty() && event.common.is_empty(),
        _ => false,
    }
}
