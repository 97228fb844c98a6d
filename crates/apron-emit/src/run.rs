//! What an agent speaks through.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use apron_protocol::{Custom, Event, MessageId, Raw, RunAgentInput, Text, TokenUsage, ToolCallId};
use serde_json::Value;

use crate::failure::Failure;
use crate::handle::{Emit, Open, Reasoning, Step, TextMessage, ToolCall};
use crate::ids::Ids;
use crate::lane::{Lane, Ticket};
use crate::relay::Relay;
use crate::source::Source;

/// A run in progress, given to the agent. Clones speak in the same run.
///
/// A clone in a task of its own does not keep the run open: the run ends when the agent returns,
/// so join the tasks first. What is said after the end is an [`Error::Ended`](crate::Error::Ended).
#[derive(Clone)]
pub struct Run {
    lane: Arc<Lane>,
}

impl Run {
    pub(crate) fn new(lane: Arc<Lane>) -> Self {
        Self { lane }
    }

    /// The request. What it says is the client's claim; nothing in it was checked but its shape.
    #[must_use]
    pub fn input(&self) -> &RunAgentInput {
        &self.lane.input
    }

    /// A text message of the assistant. It opens with its first visible delta.
    pub fn text(&self) -> TextMessage {
        TextMessage::new(Arc::clone(&self.lane))
    }

    /// A span of reasoning. It opens with its first visible delta.
    pub fn reasoning(&self) -> Reasoning {
        Reasoning::new(Arc::clone(&self.lane))
    }

    /// Opens a tool call with a fresh id, under the assistant message of the turn. It is announced
    /// at once, so that the client sees the tool before its arguments.
    pub fn tool_call(&self, name: impl Into<String>) -> Open<ToolCall> {
        ToolCall::open(Arc::clone(&self.lane), None, name.into(), None)
    }

    /// Opens a tool call with an id of the caller's own, for instance the provider's. The parent is
    /// an assistant message; `None` takes that of the turn.
    pub fn tool_call_with(
        &self,
        id: impl Into<ToolCallId>,
        name: impl Into<String>,
        parent: Option<MessageId>,
    ) -> Open<ToolCall> {
        ToolCall::open(Arc::clone(&self.lane), Some(id.into()), name.into(), parent)
    }

    /// Starts a named step.
    pub fn step(&self, name: impl Into<Text>) -> Open<Step> {
        Step::open(Arc::clone(&self.lane), name.into())
    }

    /// Sends an event of the application's own. A name with a prefix (`shop.cart`) avoids clashes.
    pub fn custom(&self, name: impl Into<String>, value: impl Into<Value>) -> Emit {
        self.emit(Custom::new(name, value))
    }

    /// Passes an event of another system through. It goes to the client verbatim.
    pub fn raw(&self, event: impl Into<Value>, source: impl Into<String>) -> Emit {
        let mut raw = Raw::new(event);
        raw.source = Some(source.into());
        self.emit(raw)
    }

    /// Sends any event, if the ledger admits it. `RUN_STARTED` and the terminal events are the
    /// run's own: the start is refused, and a run ends by what the agent returns.
    ///
    /// An item opened this way is closed this way, or at the end of the run. A delta without text is
    /// not sent, and a call that ends without arguments gets `{}`, as with the handles.
    pub fn emit(&self, event: impl Into<Event>) -> Emit {
        Emit::new(Arc::clone(&self.lane), event.into())
    }

    /// Takes over the events of a source until it ends, and closes what it leaves open.
    ///
    /// Resolves to the outcome that the source ended with; its usage is counted on the run. While
    /// the reader is behind, the source is still heard by one event, so that its errors and
    /// timeouts are noticed.
    ///
    /// # Errors
    ///
    /// [`Error::Failed`](crate::Error::Failed) when the source fails: its tokens are counted, and an
    /// agent that returns the error ends the run with the source's code.
    /// [`Error::Violation`](crate::Error::Violation) when the source speaks out of order. As
    /// [`Emit`] otherwise.
    pub fn relay<S: Source>(&self, source: S) -> Relay<S> {
        Relay::new(Arc::clone(&self.lane), source)
    }

    /// Mints ids that nothing else in the run has.
    #[must_use]
    pub fn ids(&self) -> Box<dyn Ids> {
        Box::new(RunIds(Arc::clone(&self.lane)))
    }

    /// Counts tokens: they are reported with the terminal event, also with a failure.
    pub fn add_usage(&self, usage: TokenUsage) {
        self.lane.with(|inner| inner.add_usage(usage));
    }

    /// A failure with a public code and message, to be returned by the agent. The run keeps both, so
    /// that they survive an error type that hides its source.
    ///
    /// ```
    /// # use apron_emit::{BoxError, Outcome, Run};
    /// # async fn agent(run: Run) -> Result<Outcome, BoxError> {
    /// return Err(run.fail("quota", "You are out of quota.").into());
    /// # }
    /// ```
    #[must_use = "an agent fails by returning the failure"]
    pub fn fail(
        &self,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) -> Failure {
        let failure = Failure::new(code, message);
        self.lane.with(|inner| inner.note_failure(Some(&failure)));
        failure
    }

    /// A handle that stops the run from elsewhere. It may outlive the run.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper {
            lane: Arc::clone(&self.lane),
        }
    }

    /// Resolves when the run is being stopped, has ended, or has lost its reader: for tasks that
    /// the agent has spawned. The agent itself is simply dropped.
    pub fn cancelled(&self) -> Cancelled {
        Cancelled {
            lane: Arc::clone(&self.lane),
            ticket: Ticket::default(),
        }
    }

    /// True when [`cancelled`](Self::cancelled) would resolve.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.lane.with(|inner| inner.is_stopping())
    }
}

/// Stops a run from outside, from [`Run::stopper`].
#[derive(Clone)]
pub struct Stopper {
    lane: Arc<Lane>,
}

impl Stopper {
    /// Stops the run: the agent is dropped, what is open is closed, and the run ends with
    /// `RUN_FINISHED` and the outcome `cancelled`. Nothing happens when it has ended.
    ///
    /// It takes effect when the run's driver is polled, which is at once for a run that is a task
    /// of its own, and at the reader's next poll for one inside a stream.
    pub fn stop(&self) {
        self.lane.stop();
    }
}

/// Resolves when a run is over or being stopped, from [`Run::cancelled`].
///
/// # Cancellation
///
/// Dropping it changes nothing.
#[must_use = "a future does nothing until it is polled"]
pub struct Cancelled {
    lane: Arc<Lane>,
    ticket: Ticket,
}

impl Future for Cancelled {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Self { lane, ticket } = &mut *self;
        lane.poll_cancelled(context, ticket)
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        self.lane.stop_listening(&mut self.ticket);
    }
}

struct RunIds(Arc<Lane>);

impl Ids for RunIds {
    fn message(&mut self) -> MessageId {
        self.0.with(|inner| inner.fresh_message(&self.0.input))
    }

    fn reasoning(&mut self) -> MessageId {
        self.0.with(|inner| inner.fresh_reasoning(&self.0.input))
    }

    fn tool_call(&mut self, provider: Option<&str>) -> ToolCallId {
        self.0
            .with(|inner| inner.fresh_call(&self.0.input, provider))
    }

    fn tool_result(&mut self, call: &ToolCallId) -> MessageId {
        self.0.with(|inner| inner.fresh_result(call))
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("run_id", &self.lane.input.run_id)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Stopper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stopper").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Cancelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancelled").finish_non_exhaustive()
    }
}
