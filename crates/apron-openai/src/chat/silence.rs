//! How long a provider may say nothing. Only an answer of the client's own has a limit.

use std::task::{Context, Poll};

use apron_emit::Failure;

#[cfg(feature = "client")]
use crate::client::Watchdog;

/// A limit on silence, or none.
#[derive(Debug, Default)]
pub(super) struct Silence {
    #[cfg(feature = "client")]
    watchdog: Option<Watchdog>,
}

impl Silence {
    /// The provider said something in a frame called `name`. Frames that only keep the connection
    /// alive are silence.
    pub(super) fn broken_by(&mut self, name: Option<&str>) {
        #[cfg(feature = "client")]
        if let Some(watchdog) = &mut self.watchdog
            && !matches!(
                name,
                Some("ping" | "keepalive" | "keep-alive" | "heartbeat")
            )
        {
            watchdog.progress();
        }
        #[cfg(not(feature = "client"))]
        let _ = name;
    }

    /// There is nothing to do but wait. Ready when that was for too long.
    pub(super) fn poll_elapsed(&mut self, context: &mut Context<'_>) -> Poll<Failure> {
        #[cfg(feature = "client")]
        if let Some(watchdog) = &mut self.watchdog {
            return watchdog.poll_elapsed(context);
        }
        let _ = context;
        Poll::Pending
    }
}

#[cfg(feature = "client")]
impl From<Watchdog> for Silence {
    fn from(watchdog: Watchdog) -> Self {
        Self {
            watchdog: Some(watchdog),
        }
    }
}
