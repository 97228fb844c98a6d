//! Limits and intervals.

use std::time::Duration;

/// How requests are read and bodies are written.
///
/// ```
/// use std::time::Duration;
///
/// use apron_http::{Config, Heartbeat};
///
/// let config = Config::default()
///     .with_heartbeat(Heartbeat::every(Duration::from_secs(5))?)
///     .with_body_bytes(256 * 1024);
/// # Ok::<(), apron_http::InvalidHeartbeat>(())
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Config {
    /// When a silent stream says that it is alive. 15 s: the shortest idle limits of proxies that
    /// we know of are 30 to 60 s.
    pub heartbeat: Heartbeat,
    /// Bytes after which a chunk is handed over although more events are ready. 8 KiB: a server
    /// keeps several chunks for a client that does not read, and larger ones gain no speed.
    pub chunk_bytes: usize,
    /// Bytes after which a delta of text, arguments or reasoning is cut into several events.
    /// 1 MiB.
    pub delta_bytes: usize,
    /// Bytes of JSON that one event may have. An event over it ends the run with
    /// `event_too_large`. 4 MiB; official clients refuse one of 10 MiB.
    pub event_bytes: usize,
    /// Bytes that a request body may have. 4 MiB.
    pub body_bytes: usize,
}

/// How long a stream may be silent before it sends a comment, which every reader skips.
///
/// What counts is the time since bytes were last handed to the server, whatever the agent does.
/// Besides keeping proxies content, the write is what reveals a client that vanished.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Heartbeat(Option<Duration>);

/// The interval is shorter than [`Heartbeat::MIN`] or longer than [`Heartbeat::MAX`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a heartbeat comes every 100 ms to 10 min, not every {0:?}")]
#[non_exhaustive]
pub struct InvalidHeartbeat(pub Duration);

impl Config {
    /// Sets when a silent stream says that it is alive.
    #[must_use]
    pub fn with_heartbeat(mut self, heartbeat: Heartbeat) -> Self {
        self.heartbeat = heartbeat;
        self
    }

    /// Sets after how many bytes a chunk is handed over; 0 makes every event a chunk.
    #[must_use]
    pub fn with_chunk_bytes(mut self, bytes: usize) -> Self {
        self.chunk_bytes = bytes;
        self
    }

    /// Sets after how many bytes a delta is cut.
    #[must_use]
    pub fn with_delta_bytes(mut self, bytes: usize) -> Self {
        self.delta_bytes = bytes;
        self
    }

    /// Sets how many bytes of JSON one event may have.
    #[must_use]
    pub fn with_event_bytes(mut self, bytes: usize) -> Self {
        self.event_bytes = bytes;
        self
    }

    /// Sets how many bytes a request body may have.
    #[must_use]
    pub fn with_body_bytes(mut self, bytes: usize) -> Self {
        self.body_bytes = bytes;
        self
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            heartbeat: Heartbeat::default(),
            chunk_bytes: 8 * 1024,
            delta_bytes: 1024 * 1024,
            event_bytes: 4 * 1024 * 1024,
            body_bytes: 4 * 1024 * 1024,
        }
    }
}

impl Heartbeat {
    /// No heartbeat. Without one, some servers never notice that the client of a silent stream
    /// went away.
    pub const OFF: Self = Self(None);
    /// The shortest interval.
    pub const MIN: Duration = Duration::from_millis(100);
    /// The longest interval.
    pub const MAX: Duration = Duration::from_secs(600);

    /// A heartbeat after `interval` of silence.
    ///
    /// # Errors
    ///
    /// When the interval is not within [`MIN`](Self::MIN) and [`MAX`](Self::MAX).
    pub fn every(interval: Duration) -> Result<Self, InvalidHeartbeat> {
        if (Self::MIN..=Self::MAX).contains(&interval) {
            Ok(Self(Some(interval)))
        } else {
            Err(InvalidHeartbeat(interval))
        }
    }

    /// The interval, unless the heartbeat is off.
    #[must_use]
    pub fn interval(self) -> Option<Duration> {
        self.0
    }
}

impl Default for Heartbeat {
    /// Every 15 s.
    fn default() -> Self {
        Self(Some(Duration::from_secs(15)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_has_a_range() {
        for millis in [100, 15_000, 600_000] {
            let interval = Duration::from_millis(millis);
            let beat = Heartbeat::every(interval).unwrap();
            assert_eq!(beat.interval(), Some(interval));
        }
        for millis in [0, 99, 600_001] {
            let interval = Duration::from_millis(millis);
            assert_eq!(Heartbeat::every(interval), Err(InvalidHeartbeat(interval)));
        }
        assert_eq!(Heartbeat::OFF.interval(), None);
    }
}
