//! The rules of order, by name.

use std::fmt;

use apron_protocol::EventType;

/// An event that may not come now.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// The event that was refused.
    pub event: EventType,
    /// The rule it breaks.
    pub rule: Rule,
    /// The id or name it is about.
    pub id: Option<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} refused by rule {}", self.event, self.rule.name())?;
        if let Some(id) = &self.id {
            write!(f, " ({id:?})")?;
        }
        write!(f, ": {}", self.rule.advice())
    }
}

impl std::error::Error for Violation {}

macro_rules! rules {
    ($($variant:ident $name:literal $meaning:literal $advice:literal)+) => {
        /// A rule of order. `docs/ORDERING.md` has a row for each, with its source.
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $meaning] $variant,)+
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The rule's name, in kebab case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What to do instead.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice),+ }
            }
        }
    };
}

rules! {
    RunNotStarted "run-not-started"
        "The first event of a stream is `RUN_STARTED` or `RUN_ERROR`."
        "start the run first"
    RunActive "run-active"
        "A run starts only when none is active."
        "end the active run first"
    RunFinished "run-finished"
        "After `RUN_FINISHED` only `RUN_STARTED` or `RUN_ERROR` may follow."
        "say it before the run ends"
    RunErrored "run-errored"
        "After `RUN_ERROR` only `RUN_STARTED` may follow."
        "say it before the run fails"
    RunIdReused "run-id-reused"
        "A run id is used once on a thread."
        "take a fresh run id"
    OtherThread "other-thread"
        "Every run of a stream is on one thread."
        "serve another thread in a stream of its own"
    OtherRun "other-run"
        "`RUN_FINISHED` names the thread and run of its `RUN_STARTED`."
        "finish the run that is active"
    Truncated "truncated"
        "A stream does not end while a run is active."
        "end the run with one terminal event"
    StillOpen "still-open"
        "Everything is closed before `RUN_FINISHED`, whatever the outcome."
        "end it first"
    AlreadyOpen "already-open"
        "What is open is not opened again."
        "end it first, or take a fresh id"
    NotOpen "not-open"
        "Only what is open is continued or ended."
        "open it first"
    OtherOwner "other-owner"
        "An explicit `subagentRunId` is the one that the item was opened with."
        "repeat the attribution of the start, or leave it out"
    IdInUse "id-in-use"
        "Messages, reasoning, activities, results and calls share one id space."
        "take a fresh id"
    OtherShape "other-shape"
        "A closed item is reopened with the role, name and parent it had."
        "take a fresh id"
    ParentNotAssistant "parent-not-assistant"
        "A call's parent is an assistant message."
        "name the assistant message of the turn, or none"
    UnknownCall "unknown-call"
        "A result answers a call that the thread has."
        "start the call first"
    CallOpen "call-open"
        "A result comes after the end of its call."
        "end the call first"
    AlreadyAnswered "already-answered"
        "A call has one result."
        "send one result for a call"
    UnknownActivity "unknown-activity"
        "An activity's delta comes after its snapshot."
        "send a snapshot first"
    SubagentActive "subagent-active"
        "A subagent invocation starts once."
        "take a fresh id for each invocation"
    SubagentClosed "subagent-closed"
        "The id of a subagent invocation that ended is not used again in the run."
        "take a fresh id for each invocation"
    SubagentUnknown "subagent-unknown"
        "Only an active subagent invocation ends."
        "start the invocation first"
    ParentSubagentUnknown "parent-subagent-unknown"
        "A subagent's parent was started in this run."
        "start the parent first"
    NoInterrupt "no-interrupt"
        "An interrupt outcome names at least one interrupt."
        "name what the run waits for, or end as a success"
    DuplicateInterrupt "duplicate-interrupt"
        "Interrupt ids are unique within the run."
        "give each interrupt an id of its own"
    PendingCalls "pending-calls"
        "`pendingToolCallIds` are the calls of this run without a result, in order."
        "leave the list empty to have it worked out"
    DuplicateMessage "duplicate-message"
        "A `MESSAGES_SNAPSHOT` lists an id once."
        "list each message once"
    TerminalReserved "terminal-reserved"
        "Inside a run, the terminal event is made from what the agent returns."
        "return an outcome or an error from the agent"
    ChunkForm "chunk-form"
        "Chunks are a spelling, chosen after the ledger."
        "send start, content and end"
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
