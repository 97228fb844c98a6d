//! How a run is set up.

use std::future::Future;
use std::pin::Pin;

use crate::failure::Failure;
use crate::outcome::Outcome;

/// What is called when a run ends.
pub(crate) type EndHook = Box<dyn FnOnce(&Ending<'_>) + Send>;
/// What ends a run that takes too long.
pub(crate) type Timer = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Settings of a run. The defaults are right for serving a browser.
#[must_use]
pub struct RunOptions {
    pub(crate) budget: usize,
    pub(crate) deadline: Option<Timer>,
    pub(crate) on_end: Option<EndHook>,
}

/// How a run ended, as told to [`RunOptions::on_end`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Ending<'a> {
    /// With `RUN_FINISHED`.
    Finished(&'a Outcome),
    /// With `RUN_ERROR`. The cause is here and never on the wire.
    Failed(&'a Failure),
    /// It was stopped, and ended with `RUN_FINISHED` and the outcome `cancelled`.
    Cancelled,
    /// The reader went away before the end.
    Disconnected,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            budget: Self::DEFAULT_BUDGET,
            deadline: None,
            on_end: None,
        }
    }
}

impl RunOptions {
    /// 8 KiB: no larger than the chunk that a body hands over, so that one speaker cannot fill
    /// several chunks before the next is heard.
    pub const DEFAULT_BUDGET: usize = 8 * 1024;

    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many bytes may be queued between the agent and its reader, roughly. One event that
    /// is larger still passes alone; 0 counts as 1. Default: [`Self::DEFAULT_BUDGET`].
    ///
    /// Up to twice as much may be held, with the batch that is being read, and whatever waits.
    pub fn with_budget(mut self, bytes: usize) -> Self {
        self.budget = bytes;
        self
    }

    /// Ends the run with [`Failure::DEADLINE`] when `timer` resolves first; the agent is dropped. The
    /// emitter has no clock of its own. Default: none.
    pub fn with_deadline(mut self, timer: impl Future<Output = ()> + Send + 'static) -> Self {
        self.deadline = Some(Box::pin(timer));
        self
    }

    /// Calls `hook` exactly once when the run ends, on the task that runs the agent, after the
    /// terminal event is queued. It must be quick; a panic in it is logged and goes no further.
    /// Default: none.
    pub fn on_end(mut self, hook: impl FnOnce(&Ending<'_>) + Send + 'static) -> Self {
        self.on_end = Some(Box::new(hook));
        self
    }
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions")
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
