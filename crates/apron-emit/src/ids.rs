//! Fresh ids for what a run says.

use std::collections::HashMap;

use apron_protocol::{MessageId, RunId, ToolCallId};

/// Mints ids that nothing else in a run has.
///
/// Implemented by the run itself ([`Run::ids`](crate::Run::ids)) and by [`CountingIds`] for tests
/// of translators without a run. Others may implement it for an id scheme of their own.
pub trait Ids: Send {
    /// For an assistant's text message, or the parent of tool calls.
    fn message(&mut self) -> MessageId;
    /// For a reasoning span or message.
    fn reasoning(&mut self) -> MessageId;
    /// For a tool call: the provider's own id when nothing else has it, a variant of it when
    /// something has, a fresh one when the provider gave none, or an empty one.
    fn tool_call(&mut self, provider: Option<&str>) -> ToolCallId;
    /// For the tool message that answers a call.
    fn tool_result(&mut self, call: &ToolCallId) -> MessageId;
}

/// Ids counted from one run id: `{run}:a1` (messages), `{run}:r1` (reasoning), `{run}:c1` (calls
/// without an id of the provider's).
///
/// They are unique as long as the run id is, without randomness or a clock.
#[derive(Clone, Debug)]
pub struct CountingIds {
    run: RunId,
    messages: u32,
    reasonings: u32,
    calls: u32,
    wishes: Wishes,
}

impl CountingIds {
    /// Counts from 1 under `run`.
    #[must_use]
    pub fn new(run: impl Into<RunId>) -> Self {
        Self {
            run: run.into(),
            messages: 0,
            reasonings: 0,
            calls: 0,
            wishes: Wishes::default(),
        }
    }
}

impl Ids for CountingIds {
    fn message(&mut self) -> MessageId {
        self.messages += 1;
        format!("{}:a{}", self.run, self.messages).into()
    }

    fn reasoning(&mut self) -> MessageId {
        self.reasonings += 1;
        format!("{}:r{}", self.run, self.reasonings).into()
    }

    fn tool_call(&mut self, provider: Option<&str>) -> ToolCallId {
        match provider.filter(|id| !id.is_empty()) {
            Some(wish) => self.wishes.grant(wish, |_| false).into(),
            None => {
                self.calls += 1;
                format!("{}:c{}", self.run, self.calls).into()
            }
        }
    }

    fn tool_result(&mut self, call: &ToolCallId) -> MessageId {
        let wish = format!("{call}:result");
        self.wishes.grant(&wish, |_| false).into()
    }
}

/// Ids that were asked for by name and given out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// Each id and the number that the next variant of it gets, so that a provider that uses one
    /// id for every call costs no search.
    next: HashMap<String, u32>,
}

impl Wishes {
    /// `wish`, or the first of `wish~2`, `wish~3`, … that was not given out and is not `taken`.
    pub(crate) fn grant(&mut self, wish: &str, taken: impl Fn(&str) -> bool) -> String {
        let mut number = self.next.get(wish).copied().unwrap_or(1);
        let id = loop {
            let id = if number == 1 {
                wish.to_owned()
            } else {
                format!("{wish}~{number}")
            };
            number += 1;
            if !self.granted(&id) && !taken(&id) {
                break id;
            }
        };
        if id != *wish {
            self.next.insert(id.clone(), 2);
        }
        self.next.insert(wish.to_owned(), number);
        id
    }

    /// True when `id` was given out.
    pub(crate) fn granted(&self, id: &str) -> bool {
        self.next.contains_key(id)
    }
}
