//! The provider's life: start, observe, stop.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::serve::ListenerExt;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::{Stats, answer};

/// A running provider; it stops when dropped.
///
/// # Cancellation
///
/// Dropping it closes the listener and breaks off every answer still being streamed, whose clients
/// see their connection end in the middle.
#[must_use = "the provider stops when this is dropped"]
pub struct Provider {
    base_url: String,
    shared: Arc<Shared>,
    /// Every task of the provider holds a receiver, and ends when this sender is gone.
    _alive: watch::Sender<()>,
}

impl Provider {
    /// Starts a provider that plays its scripts at their own pace.
    ///
    /// # Errors
    ///
    /// When no loopback port can be bound.
    pub async fn start() -> io::Result<Self> {
        Self::builder().start().await
    }

    /// Options first, then [`Builder::start`].
    pub fn builder() -> Builder {
        Builder { pace: 1.0 }
    }

    /// Where it listens, as an OpenAI base URL: `http://127.0.0.1:PORT/v1`.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// What became of the requests so far, and a way to wait for more.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.stats.clone()
    }

    /// The body of the last chat request that was valid JSON.
    #[must_use]
    pub fn last_request(&self) -> Option<Value> {
        let last = self
            .shared
            .last_request
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        last.map(Arc::unwrap_or_clone)
    }
}

impl fmt::Debug for Provider {
    /// Leaves the last request out: it holds the user's words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("base_url", &self.base_url)
            .field("stats", &self.shared.stats)
            .finish_non_exhaustive()
    }
}

/// Options of a [`Provider`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `start`"]
pub struct Builder {
    pace: f32,
}

impl Builder {
    /// Multiplies every pause of every script: 1.0 (the default) is as written, 0.0 is no pause at
    /// all, which is what tests want. A value that is negative or not a number counts as 0.0.
    ///
    /// A script that falls silent stays silent at any pace.
    pub fn pace(mut self, factor: f32) -> Self {
        self.pace = factor.max(0.0);
        self
    }

    /// Binds an ephemeral loopback port and serves it from a task of the current runtime.
    ///
    /// # Errors
    ///
    /// When no loopback port can be bound.
    pub async fn start(self) -> io::Result<Provider> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let (alive, closing) = watch::channel(());
        let shared = Arc::new(Shared {
            pace: self.pace,
            seed: RandomState::new().hash_one(&base_url),
            requests: AtomicU64::new(0),
            stats: Stats::default(),
            last_request: Mutex::new(None),
            closing: closing.clone(),
        });
        let router = answer::router(Arc::clone(&shared));
        // Without this, the kernel may hold a small delta back until the last one is acknowledged.
        let listener = listener.tap_io(|socket| {
            let _ = socket.set_nodelay(true);
        });
        tokio::spawn(async move {
            let served = axum::serve(listener, router).with_graceful_shutdown(gone(closing));
            let _ = served.await;
        });
        Ok(Provider {
            base_url,
            shared,
            _alive: alive,
        })
    }
}

/// What every request of one provider sees.
pub(super) struct Shared {
    pub(super) pace: f32,
    pub(super) stats: Stats,
    pub(super) last_request: Mutex<Option<Arc<Value>>>,
    pub(super) closing: watch::Receiver<()>,
    /// Differs from start to start, so that a conversation which outlives one provider does not
    /// meet the same call id again at the next.
    seed: u64,
    requests: AtomicU64,
}

impl Shared {
    /// A new id for one answer, from which its call ids are made too.
    pub(super) fn next_id(&self) -> String {
        let n = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:08x}{n:04x}", self.seed & 0xffff_ffff)
    }
}

/// Resolves when the provider has been dropped.
pub(super) async fn gone(mut closing: watch::Receiver<()>) {
    while closing.changed().await.is_ok() {}
}
