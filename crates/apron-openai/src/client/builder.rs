//! The limits of a client.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use async_openai::config::Config;

use super::endpoint::flavor;
use super::http::Http;
use super::retry::RetryPolicy;
use super::{Client, Inner};
use crate::request::Flavor;

/// Sets the limits of a [`Client`]. `Duration::MAX` is no limit.
#[must_use = "a builder does nothing until it builds"]
pub struct ClientBuilder {
    config: Box<dyn Config>,
    http: Option<reqwest::Client>,
    flavor: Option<Flavor>,
    connect: Duration,
    response: Duration,
    first_event: Duration,
    idle: Duration,
    retry: RetryPolicy,
}

impl ClientBuilder {
    pub(super) fn new(config: Box<dyn Config>) -> Self {
        Self {
            config,
            http: None,
            flavor: None,
            connect: Duration::from_secs(10),
            response: Duration::from_secs(120),
            first_event: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            retry: RetryPolicy {
                retries: 2,
                backoff: Duration::from_millis(500),
                max_wait: Duration::from_secs(20),
            },
        }
    }

    /// Limits the time to connect, TLS included. 10 s by default.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// Limits the time from sending a request to the head of its answer. 120 s by default.
    pub fn response_timeout(mut self, limit: Duration) -> Self {
        self.response = limit;
        self
    }

    /// Limits the time from sending a request to the first thing that its answer says. 120 s by
    /// default: models have been seen to think for minutes. Comments in the stream do not count.
    pub fn first_event_timeout(mut self, limit: Duration) -> Self {
        self.first_event = limit;
        self
    }

    /// Limits the silence between one thing that the answer says and the next. 60 s by default.
    /// Comments in the stream do not count, and neither does time in which nobody reads.
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle = limit;
        self
    }

    /// Says how often a request is repeated that got no answer. Twice by default.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retry.retries = retries;
        self
    }

    /// Sets the wait before the first repetition; each further one waits twice as long, up to 8 s,
    /// and all up to a quarter less, so that calls do not come back together. 500 ms by default.
    pub fn retry_backoff(mut self, wait: Duration) -> Self {
        self.retry.backoff = wait;
        self
    }

    /// Limits the wait that a provider may ask for with `Retry-After`. When it asks for more, the
    /// call fails at once and says for how much. 20 s by default.
    pub fn max_retry_wait(mut self, limit: Duration) -> Self {
        self.retry.max_wait = limit;
        self
    }

    /// Says how the provider spells the API. By default it is told from the address.
    pub fn flavor(mut self, flavor: Flavor) -> Self {
        self.flavor = Some(flavor);
        self
    }

    /// Uses this HTTP client, for proxies, certificates and pools of one's own. It should follow no
    /// redirects, which would carry the key elsewhere, and limit the time to connect itself.
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http = Some(client);
        self
    }

    /// The client. What cannot be set up, such as TLS on a machine without certificates, is told by
    /// the calls that need it.
    #[must_use]
    pub fn build(self) -> Client {
        let base = self.config.api_base();
        let http = match self.http {
            Some(client) => Http::of(client),
            None => Http::new(base, self.connect),
        };
        Client {
            inner: Arc::new(Inner {
                flavor: self.flavor.unwrap_or_else(|| flavor(base)),
                http,
                config: self.config,
                retry: self.retry,
                response: self.response,
                first_event: self.first_event,
                idle: self.idle,
                calls: AtomicU64::new(0),
            }),
        }
    }
}

/// Shows limits only: addresses and headers may hold keys.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("flavor", &self.flavor)
            .field("connect", &self.connect)
            .field("response", &self.response)
            .field("first_event", &self.first_event)
            .field("idle", &self.idle)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
