//! The ledger: what may come now, what is open, and how to close it.
//!
//! A plain state machine: no async, no clock, no lock. It holds every rule of `docs/ORDERING.md`.
//! A refused event changes nothing.

mod admit;
mod calls;
mod close;
mod items;
mod names;
mod open;
mod rule;
mod run;
mod subagents;

use std::collections::{HashMap, HashSet};

use apron_protocol::{Event, EventType, RunAgentInput, RunId, SubagentRunId, ThreadId, ToolCallId};

pub use self::close::Closing;
use self::names::{Names, Source};
pub(crate) use self::open::Slot;
use self::open::{Item, OpenItems};
pub use self::rule::{Rule, Violation};

/// Decides which event may come next on a stream.
///
/// It is what a run uses inside, and it can judge any recorded stream:
///
/// ```
/// use apron_emit::{Ledger, Rule};
/// use apron_protocol::{RunStarted, TextMessageContent};
///
/// let mut ledger = Ledger::new();
/// ledger.admit(&RunStarted::new("t", "r").into())?;
/// let refused = ledger.admit(&TextMessageContent::new("m", "Hi").into());
/// assert_eq!(refused.unwrap_err().rule, Rule::NotOpen);
/// # Ok::<(), apron_emit::Violation>(())
/// ```
#[derive(Debug, Default)]
pub struct Ledger {
    phase: Phase,
    thread: Option<ThreadId>,
    run: Option<RunId>,
    past_runs: HashSet<RunId>,
    /// The history is known, so a result for a call outside it is refused.
    history: bool,
    names: Names,
    open: OpenItems,
    /// Calls started in the active run, in order, and whether each was answered.
    calls: Vec<(ToolCallId, bool)>,
    /// Calls of which only the answer was seen: they are of runs before this stream.
    answered_before: HashSet<ToolCallId>,
    /// Invocations of the active run; where each is open, while it is.
    subagents: HashMap<SubagentRunId, Option<Slot>>,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Phase {
    #[default]
    Fresh,
    Active,
    Finished,
    Errored,
}

impl Ledger {
    /// A ledger for a stream whose history is not known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A ledger for the run that `input` asks for: it knows the history's ids and calls.
    #[must_use]
    pub fn for_input(input: &RunAgentInput) -> Self {
        let mut ledger = Self {
            history: true,
            ..Self::default()
        };
        ledger.names.learn(&input.messages, Source::History);
        ledger
    }

    /// Admits `event`, or says which rule it breaks.
    ///
    /// # Errors
    ///
    /// A [`Violation`] names the rule and what to do instead. The ledger is then as it was.
    pub fn admit(&mut self, event: &Event) -> Result<(), Violation> {
        self.admit_slot(event).map(drop)
    }

    /// As [`admit`](Self::admit); an event that opens an item says where.
    pub(crate) fn admit_slot(&mut self, event: &Event) -> Result<Option<Slot>, Violation> {
        self.judge(event).map_err(|Refusal(rule, id)| {
            let id = match rule {
                Rule::StillOpen => self
                    .open
                    .first_of_client_order()
                    .map(|open| open.item.id().to_owned()),
                _ => id.map(str::to_owned),
            };
            Violation {
                event: event.event_type(),
                rule,
                id,
            }
        })
    }

    /// Admits a continuation, with something to say, of the item in `slot`: O(1), and no look-up.
    pub(crate) fn admit_delta(
        &mut self,
        slot: Slot,
        kind: EventType,
        id: &str,
    ) -> Result<(), Violation> {
        let Some(open) = self.open.get_mut(slot) else {
            return Err(Violation {
                event: kind,
                rule: Rule::NotOpen,
                id: Some(id.to_owned()),
            });
        };
        if let Item::Call { has_args, .. } = &mut open.item {
            *has_args = true;
        }
        self.open.continued(slot);
        Ok(())
    }

    /// Says that the stream ends here.
    ///
    /// # Errors
    ///
    /// [`Rule::Truncated`] when no terminal event came.
    pub fn end(&self) -> Result<(), Violation> {
        match self.phase {
            Phase::Finished | Phase::Errored => Ok(()),
            Phase::Fresh | Phase::Active => Err(Violation {
                event: EventType::RunFinished,
                rule: Rule::Truncated,
                id: self.run.as_ref().map(ToString::to_string),
            }),
        }
    }

    /// True between `RUN_STARTED` and the terminal event.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.phase == Phase::Active
    }

    /// True when nothing is open.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.open.is_empty()
    }

    /// Calls of the active run that have no result yet, in the order they started.
    pub fn unanswered(&self) -> impl Iterator<Item = &ToolCallId> {
        self.calls
            .iter()
            .filter(|(_, answered)| !answered)
            .map(|(id, _)| id)
    }

    /// True when something on the thread has the id.
    #[must_use]
    pub fn knows(&self, id: &str) -> bool {
        self.names.contains(id)
    }

    /// True while the item in `slot` is open.
    pub(crate) fn is_open(&self, slot: Slot) -> bool {
        self.open.get(slot).is_some()
    }

    /// True when the call is open and no argument of it was sent.
    pub(crate) fn lacks_arguments(&self, call: &ToolCallId) -> bool {
        let open = self.find_call(call.as_str());
        let item = open.and_then(|slot| self.open.get(slot));
        item.is_some_and(|open| {
            matches!(
                open.item,
                Item::Call {
                    has_args: false,
                    ..
                }
            )
        })
    }
}

/// A broken rule and what it is about.
struct Refusal<'e>(Rule, Option<&'e str>);

/// What the ledger says to an event: where it opens an item, if it does.
type Verdict<'e> = Result<Option<Slot>, Refusal<'e>>;

/// Refuses an event for what `id` names.
fn refuse<T>(rule: Rule, id: &str) -> Result<T, Refusal<'_>> {
    Err(Refusal(rule, Some(id)))
}

#[cfg(test)]
mod tests;
