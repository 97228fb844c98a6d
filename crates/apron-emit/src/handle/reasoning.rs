//! Reasoning: a span and the messages inside it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use apron_protocol::{
    EventType, MessageId, ReasoningEncryptedValue, ReasoningMessageContent, ReasoningMessageStart,
    ReasoningStart, Text,
};
use serde_json::Map;

use super::push::{Push, Pushable};
use crate::error::Error;
use crate::lane::{Inner, Lane, Ticket};
use crate::ledger::{Closing, Slot};

/// A span of reasoning, from [`Run::reasoning`](crate::Run::reasoning).
///
/// Span and message open with the first visible delta. Dropped, both end at once, the message
/// first.
#[must_use = "a span of reasoning ends when its handle is dropped"]
pub struct Reasoning {
    lane: Arc<Lane>,
    said: Said,
}

/// What of a span is open.
#[derive(Debug, Default)]
struct Said {
    span: Option<Slot>,
    message: Option<(MessageId, Slot)>,
    /// The message that ended last.
    last: Option<MessageId>,
}

impl Reasoning {
    pub(crate) fn new(lane: Arc<Lane>) -> Self {
        Self {
            lane,
            said: Said::default(),
        }
    }

    /// Appends a delta to the message of the span; opens both when there is none.
    pub fn push(&mut self, delta: impl Into<Text>) -> Push<'_> {
        Push::new(self, delta.into())
    }

    /// Ends the message, not the span: the next delta opens another message. Nothing happens when no
    /// message is open.
    pub fn end_message(&mut self) {
        let Some((id, slot)) = self.said.message.take() else {
            return;
        };
        self.said.last = Some(id);
        // After the end of the run there is nothing to close, and nobody to tell.
        let _ = self.lane.admit_now(|inner| {
            inner.close(slot, Closing::Done, Map::new());
            Ok(())
        });
    }

    /// Attaches hidden reasoning to the message that is open, to the last one, or, when nothing was
    /// said, to an empty one. The client stores it and sends it back.
    pub fn encrypted(&mut self, value: impl Into<String>) -> Attach<'_> {
        Attach {
            reasoning: self,
            value: Some(value.into()),
            ticket: Ticket::default(),
        }
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
        let Said { span, message, .. } = std::mem::take(&mut self.said);
        let Some(span) = span else {
            return Ok(());
        };
        self.lane.admit_now(|inner| {
            if let Some((_, message)) = message {
                inner.close(message, Closing::Done, Map::new());
            }
            inner.close(span, Closing::Done, Map::new());
            Ok(())
        })
    }
}

impl Said {
    /// The message that is open. Opens what is missing, the span before its message.
    fn open(&mut self, lane: &Lane, inner: &mut Inner) -> Result<(MessageId, Slot), Error> {
        if let Some(message) = &self.message {
            return Ok(message.clone());
        }
        if self.span.is_none() {
            let id = inner.fresh_reasoning(&lane.input);
            self.span = inner.admit(ReasoningStart::new(id))?;
        }
        let id = inner.fresh_reasoning(&lane.input);
        let slot = inner.admit(ReasoningMessageStart::new(id.clone()))?;
        let message = (id, slot.ok_or(Error::Ended)?);
        self.message = Some(message.clone());
        Ok(message)
    }
}

impl Pushable for Reasoning {
    fn lane(&self) -> &Lane {
        &self.lane
    }

    fn poll_push(
        &mut self,
        context: &Context<'_>,
        ticket: &mut Ticket,
        delta: &mut Option<Text>,
    ) -> Poll<Result<(), Error>> {
        let Self { lane, said } = self;
        lane.poll_admit(context, ticket, |inner| {
            let Some(delta) = delta.take() else {
                return Ok(());
            };
            let (id, slot) = said.open(lane, inner)?;
            let kind = EventType::ReasoningMessageContent;
            inner.ledger.admit_delta(slot, kind, id.as_str())?;
            inner.queue(ReasoningMessageContent::new(id, delta).into());
            Ok(())
        })
    }
}

/// Attaches hidden reasoning, from [`Reasoning::encrypted`], waiting while the reader is behind.
///
/// # Errors
///
/// As [`Push`].
///
/// # Cancellation
///
/// Dropped before it resolves, it has sent nothing.
#[must_use = "hidden reasoning is sent when its future is awaited"]
pub struct Attach<'a> {
    reasoning: &'a mut Reasoning,
    value: Option<String>,
    ticket: Ticket,
}

impl Future for Attach<'_> {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self {
            reasoning,
            value,
            ticket,
        } = &mut *self;
        let Reasoning { lane, said } = &mut **reasoning;
        lane.poll_admit(context, ticket, |inner| {
            let Some(value) = value.take() else {
                return Ok(());
            };
            let id = match (&said.message, &said.last) {
                (None, Some(last)) => last.clone(),
                _ => said.open(lane, inner)?.0,
            };
            let event = ReasoningEncryptedValue::of_message(id, value);
            inner.admit(event).map(drop)
        })
    }
}

impl Drop for Attach<'_> {
    fn drop(&mut self) {
        self.reasoning.lane.leave(&mut self.ticket);
    }
}

impl std::fmt::Debug for Attach<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is hidden stays so.
        f.debug_struct("Attach").finish_non_exhaustive()
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
            .field("said", &self.said)
            .finish_non_exhaustive()
    }
}
