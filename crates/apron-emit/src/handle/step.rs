//! A named phase of a run.

use std::sync::Arc;

use apron_protocol::{StepStarted, Text};
use serde_json::Map;

use super::push::Open;
use crate::error::Error;
use crate::lane::Lane;
use crate::ledger::{Closing, Slot};

/// An open step, from [`Run::step`](crate::Run::step). Dropped, it finishes at once.
#[must_use = "a step finishes when its handle is dropped"]
pub struct Step {
    lane: Arc<Lane>,
    name: Text,
    slot: Option<Slot>,
}

impl Step {
    pub(crate) fn open(lane: Arc<Lane>, name: Text) -> Open<Self> {
        Open::new(lane, move |lane, inner| {
            let slot = inner.admit(StepStarted::new(name.clone()))?;
            Ok(Self {
                lane: Arc::clone(lane),
                name,
                slot,
            })
        })
    }

    /// The step's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Finishes the step. The end is sent at once, also when the reader is behind.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] or [`Error::Disconnected`] when there was no one left to tell.
    #[expect(
        clippy::unused_async,
        reason = "every verb of a handle is awaited, ends included"
    )]
    pub async fn end(mut self) -> Result<(), Error> {
        self.close()
    }

    fn close(&mut self) -> Result<(), Error> {
        let Some(slot) = self.slot.take() else {
            return Ok(());
        };
        self.lane.admit_now(|inner| {
            inner.close(slot, Closing::Done, Map::new());
            Ok(())
        })
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        // Nobody is left to tell when it fails.
        let _ = self.close();
    }
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Step")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
