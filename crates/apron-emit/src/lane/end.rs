//! The end of a run: everything closed, one terminal event, and the hook.

use apron_protocol::{Event, RunAgentInput, RunError, RunFinished, RunOutcome, TokenUsage};

use super::wakers::wake;
use super::{Inner, Lane, Phase};
use crate::failure::Failure;
use crate::guard::guarded;
use crate::ledger::{Closing, Violation};
use crate::options::Ending;
use crate::outcome::Outcome;

/// How the run is to end, told by the driver.
pub(crate) enum End {
    Outcome(Outcome),
    Failure(Failure),
    Cancelled,
}

impl Lane {
    /// Ends the run with exactly one terminal event, unless it has one or has lost its reader.
    pub(crate) fn end(&self, end: End) {
        let mut inner = self.lock();
        let hook = inner.on_end.take();
        // A run that outlives its stream must not keep the tasks of either side alive.
        let driver = inner.driver.take();
        let ended = if inner.phase == Phase::Open {
            inner.phase = Phase::Ended;
            Ok(inner.finish(&self.input, end))
        } else {
            Err(end)
        };
        let waiting = inner.waiting.take();
        let listening = inner.listening.take();
        let reader = inner.reader.take();
        drop(inner);
        drop(driver);
        wake(waiting);
        wake(listening);
        wake([reader]);
        // Errors and hooks are the user's: their texts, their calls and their destructors may panic.
        if let Ok(End::Failure(failure)) = &ended {
            guarded("the text of an error", || report(&self.input, failure));
        }
        guarded("the hook of a run's end", || {
            if let Some(hook) = hook {
                hook(&match &ended {
                    Err(_) => Ending::Disconnected,
                    Ok(End::Outcome(outcome)) => Ending::Finished(outcome),
                    Ok(End::Failure(failure)) => Ending::Failed(failure),
                    Ok(End::Cancelled) => Ending::Cancelled,
                });
            }
        });
        guarded("the destructor of an error", || drop(ended));
    }
}

impl Inner {
    /// Adds the tokens that an end reports to the run's own.
    pub(crate) fn count_usage_of(&mut self, end: &mut End) {
        match end {
            End::Outcome(outcome) => {
                for usage in std::mem::take(&mut outcome.usage) {
                    self.add_usage(usage);
                }
            }
            End::Failure(failure) => self.count_usage_of_failure(failure),
            End::Cancelled => {}
        }
    }

    /// Adds the tokens of a failure, once, however often it is passed on.
    pub(crate) fn count_usage_of_failure(&mut self, failure: &mut Failure) {
        if failure.count() {
            for usage in failure.usage() {
                self.add_usage(usage.clone());
            }
        }
    }

    /// Closes everything and queues the terminal event. An outcome that the ledger refuses (two
    /// interrupts with one id) is the agent's fault and becomes a failure.
    fn finish(&mut self, input: &RunAgentInput, end: End) -> End {
        for event in self.ledger.close_all(end.closing()) {
            self.queue(event);
        }
        let ended = match end {
            End::Failure(failure) => Err(failure),
            End::Cancelled => self
                .queue_finished(input, &Outcome::cancelled())
                .map(|()| End::Cancelled)
                .map_err(Failure::internal),
            End::Outcome(outcome) => self
                .queue_finished(input, &outcome)
                .map(|()| End::Outcome(outcome))
                .map_err(Failure::internal),
        };
        ended.unwrap_or_else(|mut failure| {
            self.count_usage_of_failure(&mut failure);
            let error = RunError::new(failure.code(), failure.message())
                .with_usage(std::mem::take(&mut self.usage));
            let error = Event::from(error);
            let admitted = self.ledger.admit(&error);
            debug_assert!(admitted.is_ok(), "an active run may always fail");
            self.queue(error);
            End::Failure(failure)
        })
    }

    fn queue_finished(
        &mut self,
        input: &RunAgentInput,
        outcome: &Outcome,
    ) -> Result<(), Violation> {
        for usage in &outcome.usage {
            self.add_usage(usage.clone());
        }
        let finished = self.finished(input, outcome, self.usage.clone());
        self.ledger.admit(&finished)?;
        self.queue(finished);
        Ok(())
    }

    fn finished(&self, input: &RunAgentInput, outcome: &Outcome, usage: Vec<TokenUsage>) -> Event {
        let mut finished = RunFinished::new(input.thread_id.clone(), input.run_id.clone());
        let mut kind = outcome.kind.clone();
        // Worked out afresh: a relayed outcome knows neither the calls of others nor the answers
        // that came after it.
        if let RunOutcome::Success {
            pending_tool_call_ids: pending,
        } = &mut kind
        {
            *pending = self.ledger.unanswered().cloned().collect();
        }
        finished.outcome = Some(kind);
        finished.result.clone_from(&outcome.result);
        finished.usage = usage;
        if !outcome.metadata.is_empty() {
            finished
                .common
                .metadata_mut()
                .extend(outcome.metadata.clone());
        }
        finished.into()
    }
}

impl End {
    fn closing(&self) -> Closing {
        match self {
            Self::Outcome(outcome) => outcome.closing(),
            Self::Cancelled => Closing::Cancelled,
            Self::Failure(_) => Closing::Failed,
        }
    }
}

/// One line in the log for a run that failed; the cause goes here and nowhere else.
fn report(input: &RunAgentInput, failure: &Failure) {
    let cause = failure
        .cause()
        .map(|cause| tracing::field::debug(Chain(cause)));
    tracing::error!(
        thread_id = input.thread_id.as_str(),
        run_id = input.run_id.as_str(),
        code = failure.code(),
        cause,
        "the run failed"
    );
}

/// An error and its sources, one after the other.
struct Chain<'a>(&'a (dyn std::error::Error + 'static));

impl std::fmt::Debug for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut next = self.0.source();
        while let Some(error) = next {
            write!(f, ": {error}")?;
            next = error.source();
        }
        Ok(())
    }
}
