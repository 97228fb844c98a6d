//! Why a run fails, in two texts: one for the wire, one for the log.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use apron_protocol::TokenUsage;

/// Any error, as an agent may return it.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// A failure with a text for the client and a cause for the log.
///
/// The code and the message go into `RUN_ERROR`; the cause never leaves the server. An agent may
/// return one as its error, also deep in a chain of sources, and the run ends with its code. Any
/// other error ends the run with [`Failure::INTERNAL`] and a fixed sentence.
pub struct Failure {
    code: Cow<'static, str>,
    message: Cow<'static, str>,
    usage: Vec<TokenUsage>,
    /// The usage is among the run's own already.
    counted: bool,
    retry_after: Option<Duration>,
    cause: Option<BoxError>,
}

impl Failure {
    /// The code of an error that says nothing to a client: a bug, a panic, a foreign error.
    pub const INTERNAL: &'static str = "internal_error";
    /// The code of a run that took longer than it may.
    pub const DEADLINE: &'static str = "run_deadline_exceeded";

    /// A failure whose code and message may be shown to anybody.
    #[must_use]
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            usage: Vec::new(),
            counted: false,
            retry_after: None,
            cause: None,
        }
    }

    /// A failure that tells the client nothing but that there was one.
    #[must_use]
    pub fn internal(cause: impl Into<BoxError>) -> Self {
        Self::new(Self::INTERNAL, "The run failed.").with_cause(cause)
    }

    /// Keeps the cause for the log.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<BoxError>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Reports the tokens used until the failure.
    #[must_use]
    pub fn with_usage(mut self, usage: Vec<TokenUsage>) -> Self {
        self.usage = usage;
        self.counted = false;
        self
    }

    /// Keeps how long the provider asked to wait. For hooks; AG-UI has no field for it.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The sentence for the client.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Tokens used until the failure, one entry per provider and model.
    #[must_use]
    pub fn usage(&self) -> &[TokenUsage] {
        &self.usage
    }

    /// How long the provider asked to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// True when the usage is to be counted now: once.
    pub(crate) fn count(&mut self) -> bool {
        !std::mem::replace(&mut self.counted, true)
    }

    /// What the failure says, without its cause.
    pub(crate) fn said(&self) -> Self {
        Self {
            code: self.code.clone(),
            message: self.message.clone(),
            usage: self.usage.clone(),
            counted: self.counted,
            retry_after: self.retry_after,
            cause: None,
        }
    }

    /// The cause, for the log.
    #[must_use]
    pub fn cause(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.cause.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the run fails with code {}", self.code)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("code", &self.code)
            .field("message", &self.message)
            .field("cause", &self.cause)
            .finish_non_exhaustive()
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause
            .as_ref()
            .map(|cause| cause.as_ref() as &(dyn Error + 'static))
    }
}
