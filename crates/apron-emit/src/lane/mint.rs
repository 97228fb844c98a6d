//! Fresh ids, and the assistant message that the calls of a turn belong to.

use apron_protocol::{MessageId, RunAgentInput, TextMessageRole, ToolCallId};

use super::Inner;
use crate::ids::Wishes;

/// How far the ids of a run are counted, and those that were given out by name.
#[derive(Default)]
pub(super) struct Minted {
    messages: u32,
    reasonings: u32,
    calls: u32,
    wishes: Wishes,
}

impl Inner {
    pub(crate) fn fresh_message(&mut self, input: &RunAgentInput) -> MessageId {
        self.count(input, |minted| &mut minted.messages, 'a').into()
    }

    pub(crate) fn fresh_reasoning(&mut self, input: &RunAgentInput) -> MessageId {
        self.count(input, |minted| &mut minted.reasonings, 'r')
            .into()
    }

    /// The provider's own id when nothing else has it, a variant of it when something has, and a
    /// counted one when the provider gave none, or an empty one.
    pub(crate) fn fresh_call(
        &mut self,
        input: &RunAgentInput,
        provider: Option<&str>,
    ) -> ToolCallId {
        match provider.filter(|id| !id.is_empty()) {
            Some(wish) => self.grant(wish).into(),
            None => self.count(input, |minted| &mut minted.calls, 'c').into(),
        }
    }

    pub(crate) fn fresh_result(&mut self, call: &ToolCallId) -> MessageId {
        self.grant(&format!("{call}:result")).into()
    }

    /// The assistant message that a call of this turn belongs to; minted when nothing was said.
    pub(crate) fn turn_message(&mut self, input: &RunAgentInput) -> MessageId {
        if let Some((id, _)) = &self.turn {
            return id.clone();
        }
        let id = self.fresh_message(input);
        self.turn = Some((id.clone(), false));
        id
    }

    /// The id for the next text message: for the assistant that of the turn, while no text was said
    /// under it.
    pub(crate) fn text_message(
        &mut self,
        input: &RunAgentInput,
        role: TextMessageRole,
    ) -> MessageId {
        match &self.turn {
            Some((id, false)) if role == TextMessageRole::Assistant => id.clone(),
            _ => self.fresh_message(input),
        }
    }

    fn count(
        &mut self,
        input: &RunAgentInput,
        counter: impl Fn(&mut Minted) -> &mut u32,
        kind: char,
    ) -> String {
        loop {
            let counter = counter(&mut self.minted);
            *counter += 1;
            let id = format!("{}:{kind}{counter}", input.run_id);
            // A client that uses a run id again has the ids of the first time in its history.
            if !self.ledger.knows(&id) && !self.minted.wishes.granted(&id) {
                return id;
            }
        }
    }

    fn grant(&mut self, wish: &str) -> String {
        let ledger = &self.ledger;
        self.minted.wishes.grant(wish, |id| ledger.knows(id))
    }
}
