//! What became of the provider's requests, observable from a test.

use std::time::Duration;

use tokio::sync::watch;

/// How many requests a provider has seen, by what became of them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Chat requests whose body was JSON.
    pub started: u64,
    /// Answers that reached their scripted end, be that a clean one, a refusal or a cut.
    pub finished: u64,
    /// Answers dropped before their end: the client hung up.
    pub dropped: u64,
}

impl Counts {
    /// Answers still being streamed.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.started
            .saturating_sub(self.finished)
            .saturating_sub(self.dropped)
    }
}

/// A live view of a provider's [`Counts`]; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    counts: watch::Sender<Counts>,
}

impl Stats {
    /// The counts now.
    #[must_use]
    pub fn counts(&self) -> Counts {
        *self.counts.borrow()
    }

    /// Waits until the counts satisfy `reached`, at most for `deadline`.
    ///
    /// # Errors
    ///
    /// The counts as they are when the deadline passes without that.
    ///
    /// # Cancellation
    ///
    /// Safe to drop at any time; nothing is consumed.
    pub async fn wait_for(
        &self,
        mut reached: impl FnMut(&Counts) -> bool,
        deadline: Duration,
    ) -> Result<Counts, Counts> {
        let mut counts = self.counts.subscribe();
        let waited = tokio::time::timeout(deadline, counts.wait_for(|counts| reached(counts)));
        match waited.await {
            Ok(Ok(counts)) => Ok(*counts),
            Ok(Err(_)) | Err(_) => Err(self.counts()),
        }
    }

    /// Counts a request as started; the guard counts its end.
    pub(super) fn begin(&self) -> InFlight {
        self.counts.send_modify(|counts| counts.started += 1);
        InFlight {
            stats: Some(self.clone()),
        }
    }
}

/// One request on its way: [`finish`](Self::finish) it, or it counts as dropped.
#[derive(Debug)]
pub(super) struct InFlight {
    stats: Option<Stats>,
}

impl InFlight {
    /// The answer reached its scripted end. Only the first call counts.
    pub(super) fn finish(&mut self) {
        if let Some(stats) = self.stats.take() {
            stats.counts.send_modify(|counts| counts.finished += 1);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some(stats) = self.stats.take() {
            stats.counts.send_modify(|counts| counts.dropped += 1);
        }
    }
}
