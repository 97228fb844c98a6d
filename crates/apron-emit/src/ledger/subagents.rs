//! Invocations of subagents.

use apron_protocol::{SubagentRunId, SubagentStarted};

use super::open::Item;
use super::{Ledger, Rule, Verdict, refuse};

impl Ledger {
    pub(super) fn subagent_started<'e>(&mut self, event: &'e SubagentStarted) -> Verdict<'e> {
        let id = &event.subagent_run_id;
        match self.subagents.get(id) {
            Some(Some(_)) => return refuse(Rule::SubagentActive, id.as_str()),
            Some(None) => return refuse(Rule::SubagentClosed, id.as_str()),
            None => {}
        }
        if let Some(parent) = &event.parent_subagent_run_id
            && !self.subagents.contains_key(parent)
        {
            return refuse(Rule::ParentSubagentUnknown, parent.as_str());
        }
        let slot = self.open.open(Item::Subagent(id.clone()), None);
        self.subagents.insert(id.clone(), Some(slot));
        Ok(Some(slot))
    }

    pub(super) fn subagent_ended<'e>(&mut self, id: &'e SubagentRunId) -> Verdict<'e> {
        let Some(slot) = self.subagents.get_mut(id).and_then(Option::take) else {
            return refuse(Rule::SubagentUnknown, id.as_str());
        };
        self.open.close(slot);
        Ok(None)
    }
}
