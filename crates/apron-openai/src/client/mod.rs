//! The HTTP client: a request goes out, and the bytes of the answer come in.

mod builder;
mod endpoint;
mod env;
mod http;
mod response;
mod retry;
mod send;
mod watchdog;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use apron_emit::Failure;
use async_openai::config::Config;

pub use self::builder::ClientBuilder;
pub use self::env::EnvError;
use self::http::Http;
pub use self::response::{ChatResponse, ResponseBytes};
use self::retry::RetryPolicy;
pub(crate) use self::watchdog::Watchdog;
use crate::request::{ChatRequest, Flavor};

/// Talks to one provider: OpenAI, Azure, or whoever speaks like them.
///
/// It takes its address, headers and query from any [`Config`] of async-openai, and reads the
/// answer itself, so that a slow reader is felt by the provider, an error keeps its status and its
/// body, and a stream that breaks off is not taken for one that ends. Cheap to clone.
///
/// # Examples
///
/// ```
/// use apron_openai::Client;
/// use async_openai::config::OpenAIConfig;
///
/// let ollama = OpenAIConfig::new().with_api_base("http://localhost:11434/v1");
/// let client = Client::new(ollama);
/// ```
///
/// # Secrets
///
/// Keys and addresses are never printed, and no [`Failure`] says them in its code or message. Its
/// cause may quote what the provider said, which is for the log.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    config: Box<dyn Config>,
    http: Http,
    flavor: Flavor,
    retry: RetryPolicy,
    response: Duration,
    first_event: Duration,
    idle: Duration,
    /// How many calls were made: each waits a little differently before it is repeated.
    calls: AtomicU64,
}

impl Client {
    /// A client with the defaults of [`ClientBuilder`].
    #[must_use]
    pub fn new(config: impl Config + 'static) -> Self {
        Self::builder(config).build()
    }

    /// A client whose limits are its user's.
    pub fn builder(config: impl Config + 'static) -> ClientBuilder {
        ClientBuilder::new(Box::new(config))
    }

    /// A client for the provider that the environment names: `OPENAI_API_KEY`, and
    /// `OPENAI_BASE_URL` when it is not OpenAI itself.
    ///
    /// # Errors
    ///
    /// [`EnvError`] when there is no key for OpenAI, or it cannot be one.
    pub fn from_env() -> Result<Self, EnvError> {
        env::config(|name| std::env::var(name).ok()).map(Self::new)
    }

    /// Sends a request, and waits until its answer begins.
    ///
    /// Nothing happens before the future is polled. It must be polled in a tokio runtime with I/O
    /// and time. A request is repeated only while there is no answer: when the connection failed,
    /// and on the statuses 408, 409, 429 and 5xx. `Retry-After` is obeyed up to the client's limit.
    ///
    /// # Errors
    ///
    /// A [`Failure`] with a [`FailureCode`](crate::FailureCode). Its cause is a
    /// [`HttpError`](crate::HttpError) when the provider answered with one, and its
    /// [`retry_after`](Failure::retry_after) is what the provider asked for. A request that must not
    /// be sent ([`ChatRequest::check`]) fails as `invalid_request` without being sent.
    ///
    /// # Cancellation
    ///
    /// Dropping the future at any time closes the connection.
    pub fn chat(
        &self,
        request: ChatRequest,
    ) -> impl Future<Output = Result<ChatResponse, Failure>> + Send + use<> {
        send::send(self.inner.clone(), request)
    }
}

/// Shows limits only: addresses and headers may hold keys.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("flavor", &self.inner.flavor)
            .field("retry", &self.inner.retry)
            .field("first_event", &self.inner.first_event)
            .field("idle", &self.inner.idle)
            .finish_non_exhaustive()
    }
}
