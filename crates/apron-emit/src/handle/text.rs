//! A streamed text message.

use std::sync::Arc;
use std::task::{Context, Poll};

use apron_protocol::{
    EventType, MessageId, Text, TextMessageContent, TextMessageRole, TextMessageStart,
};
use serde_json::{Map, Value};

use super::push::{Push, Pushable};
use crate::error::Error;
use crate::lane::{Lane, Ticket};
use crate::ledger::{Closing, Slot};

/// A text message, from [`Run::text`](crate::Run::text).
///
/// It opens with its first visible delta: one that says nothing never appears. It belongs to the
/// assistant unless told otherwise. Dropped, it ends at once.
#[must_use = "a message ends when its handle is dropped"]
pub struct TextMessage {
    lane: Arc<Lane>,
    id: Option<MessageId>,
    role: TextMessageRole,
    name: Option<String>,
    slot: Option<Slot>,
    metadata: Map<String, Value>,
}

impl TextMessage {
    pub(crate) fn new(lane: Arc<Lane>) -> Self {
        Self {
            lane,
            id: None,
            role: TextMessageRole::Assistant,
            name: None,
            slot: None,
            metadata: Map::new(),
        }
    }

    /// Uses an id of the caller's own; it must be fresh on the thread. Without effect once the
    /// message is open.
    pub fn with_id(mut self, id: impl Into<MessageId>) -> Self {
        if self.slot.is_none() {
            self.id = Some(id.into());
        }
        self
    }

    /// Sets who speaks; the assistant by default. Without effect once the message is open.
    pub fn with_role(mut self, role: TextMessageRole) -> Self {
        self.role = role;
        self
    }

    /// Names the speaker. Without effect once the message is open.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Appends a delta.
    pub fn push(&mut self, delta: impl Into<Text>) -> Push<'_> {
        Push::new(self, delta.into())
    }

    /// Sets one key of the metadata that the end will carry to the message. A message that says
    /// nothing has no end, and its metadata is lost with it.
    pub fn set_metadata(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.metadata.insert(key.into(), value.into());
    }

    /// The message's id, once it is open.
    #[must_use]
    pub fn id(&self) -> Option<&MessageId> {
        self.id.as_ref().filter(|_| self.slot.is_some())
    }

    /// Ends the message. The end is sent at once, also when the reader is behind.
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
        let metadata = std::mem::take(&mut self.metadata);
        self.lane.admit_now(|inner| {
            inner.close(slot, Closing::Done, metadata);
            Ok(())
        })
    }
}

impl Pushable for TextMessage {
    fn lane(&self) -> &Lane {
        &self.lane
    }

    fn poll_push(
        &mut self,
        context: &Context<'_>,
        ticket: &mut Ticket,
        delta: &mut Option<Text>,
    ) -> Poll<Result<(), Error>> {
        let Self {
            lane,
            id,
            role,
            name,
            slot,
            ..
        } = self;
        lane.poll_admit(context, ticket, |inner| {
            let Some(delta) = delta.take() else {
                return Ok(());
            };
            let (id, slot) = match (&*id, *slot) {
                (Some(id), Some(slot)) => (id.clone(), slot),
                (own, _) => {
                    let own = own.clone();
                    let fresh = own.unwrap_or_else(|| inner.text_message(&lane.input, *role));
                    let mut start = TextMessageStart::new(fresh.clone()).with_role(*role);
                    start.name.clone_from(name);
                    let opened = inner.admit(start)?.ok_or(Error::Ended)?;
                    *id = Some(fresh.clone());
                    *slot = Some(opened);
                    (fresh, opened)
                }
            };
            inner
                .ledger
                .admit_delta(slot, EventType::TextMessageContent, id.as_str())?;
            inner.queue(TextMessageContent::new(id, delta).into());
            Ok(())
        })
    }
}

impl Drop for TextMessage {
    fn drop(&mut self) {
        // Nobody is left to tell when it fails.
        let _ = self.close();
    }
}

impl std::fmt::Debug for TextMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextMessage")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
