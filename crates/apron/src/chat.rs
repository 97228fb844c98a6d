//! The extractor that serves a run.

use std::future::Future;
use std::time::Duration;

use apron_axum::{Reply, RunRejection, RunRequest};
use apron_emit::{BoxError, Ending, Outcome, Run, RunOptions, split};
use apron_protocol::RunAgentInput;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};

/// A request for a run, as an axum extractor, and the way to answer it.
///
/// Extracting it reads the body and refuses what is no AG-UI request: 406 when the client does not
/// accept server-sent events, 413 for a body over the limit, 415 for another content type, 400 for
/// what cannot be read. Limits and heartbeat come from a layer with an [`apron_axum::Config`], or their defaults.
///
/// # Cancellation
///
/// When the client goes away, the framework drops the response's body; the agent is then dropped at
/// once, and with it the provider's response.
#[must_use = "a request wants an answer"]
pub struct Chat {
    input: RunAgentInput,
    reply: Reply,
    options: RunOptions,
    deadline: Option<Duration>,
}

impl Chat {
    /// How long a run may take unless [`Chat::with_deadline`] says otherwise: 10 minutes.
    pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(600);

    /// The request. What it says is the client's claim.
    #[must_use]
    pub fn input(&self) -> &RunAgentInput {
        &self.input
    }

    /// The request, to be changed before the run starts: to drop what is not trusted, for instance.
    pub fn input_mut(&mut self) -> &mut RunAgentInput {
        &mut self.input
    }

    /// Sets how long the run may take before it ends with `run_deadline_exceeded`; `None` lets it
    /// go on for ever. Default: [`Chat::DEFAULT_DEADLINE`].
    pub fn with_deadline(mut self, deadline: Option<Duration>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Calls `hook` exactly once when the run ends, with the cause of a failure. It runs on the
    /// task of the agent and must be quick.
    pub fn on_end(mut self, hook: impl FnOnce(&Ending<'_>) + Send + 'static) -> Self {
        self.options = self.options.on_end(hook);
        self
    }

    /// Answers with the run that `agent` speaks.
    ///
    /// The agent becomes a task of its own, tied to the response: its timeouts, its deadline and a
    /// [`Stopper`](crate::Stopper) also work while the client does not read. Must be called on a
    /// tokio runtime, as axum handlers are.
    ///
    /// An error that the agent returns ends the run with the code and message of the
    /// [`Failure`](crate::Failure) in its chain of sources, or with `internal_error`.
    pub fn serve<F, Fut>(self, agent: F) -> Response
    where
        F: FnOnce(Run) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Outcome, BoxError>> + Send + 'static,
    {
        let Self {
            input,
            reply,
            mut options,
            deadline,
        } = self;
        if let Some(deadline) = deadline {
            options = options.with_deadline(tokio::time::sleep(deadline));
        }
        let (driver, events) = split(input, options, agent);
        // The task needs no abort handle: dropping `events` makes the driver drop the agent.
        tokio::spawn(driver);
        reply.stream(events).into_response()
    }
}

impl<S: Send + Sync> FromRequest<S> for Chat {
    type Rejection = RunRejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, RunRejection> {
        let RunRequest { input, reply } = RunRequest::from_request(request, state).await?;
        let options = RunOptions::default();
        Ok(Self {
            input,
            reply,
            options,
            deadline: Some(Self::DEFAULT_DEADLINE),
        })
    }
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chat")
            .field("run_id", &self.input.run_id)
            .finish_non_exhaustive()
    }
}
