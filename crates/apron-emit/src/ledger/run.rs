//! The run's own events: started, finished, failed.

use std::collections::HashSet;

use apron_protocol::{RunFinished, RunOutcome, RunStarted};

use super::names::Source;
use super::open::Slot;
use super::{Ledger, Phase, Refusal, Rule, Verdict, refuse};

impl Ledger {
    pub(super) fn run_started<'e>(&mut self, event: &'e RunStarted) -> Verdict<'e> {
        let RunStarted {
            thread_id, run_id, ..
        } = event;
        if self.thread.as_ref().is_some_and(|own| own != thread_id) {
            return refuse(Rule::OtherThread, thread_id.as_str());
        }
        if self.past_runs.contains(run_id) {
            return refuse(Rule::RunIdReused, run_id.as_str());
        }
        self.thread = Some(thread_id.clone());
        self.run = Some(run_id.clone());
        self.past_runs.insert(run_id.clone());
        self.calls.clear();
        self.subagents.clear();
        self.names.start_run();
        if let Some(input) = &event.input {
            self.names.learn(&input.messages, Source::Echo);
        }
        self.phase = Phase::Active;
        Ok(None)
    }

    pub(super) fn run_finished<'e>(&mut self, event: &'e RunFinished) -> Verdict<'e> {
        if self.thread.as_ref() != Some(&event.thread_id) {
            return refuse(Rule::OtherRun, event.thread_id.as_str());
        }
        if self.run.as_ref() != Some(&event.run_id) {
            return refuse(Rule::OtherRun, event.run_id.as_str());
        }
        if !self.open.is_empty() {
            return Err(Refusal(Rule::StillOpen, None));
        }
        if let Some(outcome) = &event.outcome {
            self.judge_outcome(outcome)?;
        }
        self.phase = Phase::Finished;
        Ok(None)
    }

    /// Nothing needs closing before an error: it ends everything.
    pub(super) fn run_failed(&mut self) -> Option<Slot> {
        self.open.clear();
        self.phase = Phase::Errored;
        None
    }

    fn judge_outcome<'e>(&self, outcome: &'e RunOutcome) -> Result<(), Refusal<'e>> {
        match outcome {
            RunOutcome::Interrupt { interrupts } => {
                if interrupts.is_empty() {
                    return Err(Refusal(Rule::NoInterrupt, None));
                }
                let mut seen = HashSet::new();
                match interrupts.iter().find(|it| !seen.insert(&it.id)) {
                    Some(twice) => refuse(Rule::DuplicateInterrupt, twice.id.as_str()),
                    None => Ok(()),
                }
            }
            RunOutcome::Success {
                pending_tool_call_ids: pending,
            } if !pending.is_empty() && !self.unanswered().eq(pending) => {
                Err(Refusal(Rule::PendingCalls, None))
            }
            _ => Ok(()),
        }
    }
}
