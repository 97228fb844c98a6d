//! Reasoning: a span and the messages inside it.

use std::sync::Arc;

use apron_protocol::{
    EventType, MessageId, ReasoningEncryptedValue, ReasoningMessageContent, ReasoningMessageStart,
    ReasoningStart, Text,
};
use serde_json::Map;

use super::push::{Open, Push, Pushable};
use crate::error::Error;
use crate::lane::{Inner, Lane};
use crate::ledger::Slot;

/// A span of reasoning, from [`Run::reasoning`](crate::Run::reasoning).
///
/// Span and message open with the first visible delta. Dropped, both end at once, the message
/// first.
#[must_use = "a span of reasoning ends when its handle is dropped"]
pub struct Reasoning {
    lane: Arc<Lane>,
    span: Option<Slot>,
    message: Option<(MessageId, Slot)>,
    last: Option<MessageId>,
}

impl Reasoning {
    pub(crate) fn new(lane: Arc<Lane>) -> Self {
        Self {
            lane,
            span: None,
            message: None,
            last: None,
        }
    }

    /// Appends a delta to the message of the span; opens both when there is none.
    pub fn push(&mut self, delta: impl Into<Text>) -> Push<'_> {
        Push::new(self, delta.into())
    }

    /// Ends the message, not the span: the next delta opens another message.
    pub fn end_message(&mut self) {
        if let Some((_, slot)) = self.message.take() {
            self.lane.close(slot, Map::new());
        }
    }

    /// Attaches hidden reasoning to the message that is open, to the last one, or, when nothing was
    /// said, to an empty one. The client stores it and sends it back.
    pub fn encrypted(&mut self, value: impl Into<String>) -> Open<()> {
        let value = value.into();
        let open = self
            .message
            .as_ref()
            .map(|(id, _)| id.clone())
            .or_else(|| self.last.clone());
        // What must exist before the value is opened here, so that the handle knows of it.
        let target = match open {
            Some(id) => Ok(id),
            None => self
                .lane
                .admit_now(|inner| self_open(&self.lane, inner, &mut self.span, &mut self.message)),
        };
        if let Ok(id) = &target {
            self.last = Some(id.clone());
        }
        Open::new(Arc::clone(&self.lane), move |_, inner| {
            inner
                .admit(ReasoningEncryptedValue::of_message(target?, value))
                .map(drop)
        })
    }

    /// Ends the message and the span. The ends are sent at once, also when the reader is behind.
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
        let message = self.message.take();
        let Some(span) = self.span.take() else {
            return Ok(());
        };
        self.lane.admit_now(|inner| {
            if let Some((_, message)) = message {
                inner.close(message, Map::new());
            }
            inner.close(span, Map::new());
            Ok(())
        })
    }
}

/// Opens what is not open yet, the span before its message, and gives the message's id.
fn self_open(
    lane: &Lane,
    inner: &mut Inner,
    span: &mut Option<Slot>,
    message: &mut Option<(MessageId, Slot)>,
) -> Result<MessageId, Error> {
    if span.is_none() {
        let id = inner.fresh_reasoning(&lane.input);
        *span = inner.admit(ReasoningStart::new(id))?;
    }
    if let Some((id, _)) = message {
        return Ok(id.clone());
    }
    let id = inner.fresh_reasoning(&lane.input);
    let slot = inner
        .admit(ReasoningMessageStart::new(id.clone()))?
        .ok_or(Error::Ended)?;
    *message = Some((id.clone(), slot));
    Ok(id)
}

impl Pushable for Reasoning {
    fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    fn admit(&mut self, lane: &Lane, inner: &mut Inner, delta: Text) -> Result<(), Error> {
        if self.message.is_none() {
            let id = self_open(lane, inner, &mut self.span, &mut self.message)?;
            self.last = Some(id);
        }
        let Some((id, slot)) = &self.message else {
            return Err(Error::Ended);
        };
        inner
            .ledger
            .admit_delta(*slot, EventType::ReasoningMessageContent)?;
        inner.queue(ReasoningMessageContent::new(id.clone(), delta).into());
        Ok(())
    }
}

impl Drop for Reasoning {
    fn drop(&mut self) {
        // Nobody is left to tell when it fails.
        let _ = self.close();
    }
}

impl std::fmt::Debug for Reasoning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reasoning")
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}
