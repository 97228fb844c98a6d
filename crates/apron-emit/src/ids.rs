//! Fresh ids for what a run says.

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
    /// something has, a fresh one when there is none.
    fn tool_call(&mut self, provider: Option<&str>) -> ToolCallId;
    /// For the tool message that answers a call.
    fn tool_result(&mut self, call: &ToolCallId) -> MessageId;
}

/// Ids counted from one run id: `{run}:a1` (messages), `{run}:r1` (reasoning), `{run}:c1` (calls).
///
/// They are unique as long as the run id is, without randomness or a clock.
#[derive(Clone, Debug)]
pub struct CountingIds {
    run: RunId,
    messages: u32,
    reasonings: u32,
    calls: u32,
    provider_calls: Vec<ToolCallId>,
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
            provider_calls: Vec::new(),
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
        let id: ToolCallId = match provider {
            Some(provider) => unused(provider, |id| {
                self.provider_calls.iter().any(|it| *it == *id)
            }),
            None => {
                self.calls += 1;
                format!("{}:c{}", self.run, self.calls).into()
            }
        };
        self.provider_calls.push(id.clone());
        id
    }

    fn tool_result(&mut self, call: &ToolCallId) -> MessageId {
        format!("{call}:result").into()
    }
}

/// `wish`, or the first of `wish~2`, `wish~3`, … that is not `taken`.
pub(crate) fn unused<T: for<'a> From<&'a str>>(wish: &str, taken: impl Fn(&str) -> bool) -> T {
    if !taken(wish) {
        return T::from(wish);
    }
    let mut number = 2_u32;
    loop {
        let id = format!("{wish}~{number}");
        if !taken(&id) {
            return T::from(id.as_str());
        }
        number += 1;
    }
}
