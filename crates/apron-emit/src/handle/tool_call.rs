//! A tool call and its result.

use std::sync::Arc;
use std::task::{Context, Poll};

use apron_protocol::{
    Content, EventType, MessageId, Text, ToolCallArgs, ToolCallId, ToolCallResult, ToolCallStart,
};
use serde_json::{Map, Value};

use super::push::{Open, Push, Pushable};
use crate::error::Error;
use crate::lane::{Lane, Ticket};
use crate::ledger::{Closing, Slot};

/// An open tool call, from [`Run::tool_call`](crate::Run::tool_call).
///
/// Several may be open at once. A call that ends without arguments gets `{}`, because clients parse
/// them. Dropped, it ends at once.
#[must_use = "a call ends when its handle is dropped"]
pub struct ToolCall {
    lane: Arc<Lane>,
    id: ToolCallId,
    slot: Option<Slot>,
    metadata: Map<String, Value>,
}

/// A tool call whose arguments are complete. Without a result it stays pending for the client.
#[derive(Clone)]
pub struct EndedToolCall {
    lane: Arc<Lane>,
    id: ToolCallId,
}

impl ToolCall {
    pub(crate) fn open(
        lane: Arc<Lane>,
        id: Option<ToolCallId>,
        name: String,
        parent: Option<MessageId>,
    ) -> Open<Self> {
        Open::new(lane, move |lane, inner| {
            let id = match id {
                Some(id) => id,
                None => inner.fresh_call(&lane.input, None),
            };
            let parent = match parent {
                Some(parent) => parent,
                None => inner.turn_message(&lane.input),
            };
            let start = ToolCallStart::new(id.clone(), name).with_parent_message_id(parent);
            let slot = inner.admit(start)?;
            Ok(Self {
                lane: Arc::clone(lane),
                id,
                slot,
                metadata: Map::new(),
            })
        })
    }

    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &ToolCallId {
        &self.id
    }

    /// Appends a piece of the argument text.
    pub fn push(&mut self, delta: impl Into<Text>) -> Push<'_> {
        Push::new(self, delta.into())
    }

    /// Sets one key of the metadata that the end will carry to the call.
    pub fn set_metadata(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.metadata.insert(key.into(), value.into());
    }

    /// Ends the arguments. The end is sent at once, also when the reader is behind.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] or [`Error::Disconnected`] when there was no one left to tell.
    #[expect(
        clippy::unused_async,
        reason = "every verb of a handle is awaited, ends included"
    )]
    pub async fn end(mut self) -> Result<EndedToolCall, Error> {
        self.close()?;
        Ok(EndedToolCall {
            lane: Arc::clone(&self.lane),
            id: self.id.clone(),
        })
    }

    /// Ends the arguments and answers the call, for a tool that the server runs.
    ///
    /// # Errors
    ///
    /// As [`Push`].
    ///
    /// # Cancellation
    ///
    /// Dropped before it resolves, the arguments may have ended without an answer; the call is then
    /// pending.
    pub async fn result(self, content: impl Into<Content>) -> Result<(), Error> {
        let content = content.into();
        self.end().await?.result(content).await
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

impl EndedToolCall {
    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &ToolCallId {
        &self.id
    }

    /// Answers the call. The answer becomes a tool message of its own, and what the agent says next
    /// is another assistant message.
    ///
    /// # Errors
    ///
    /// As [`Push`]; [`Error::Violation`] when the call has an answer already.
    pub fn result(self, content: impl Into<Content>) -> Open<()> {
        let content = content.into();
        let id = self.id;
        Open::new(self.lane, move |_, inner| {
            let message = inner.fresh_result(&id);
            inner
                .admit(ToolCallResult::new(message, id, content))
                .map(drop)
        })
    }
}

impl Pushable for ToolCall {
    fn lane(&self) -> &Lane {
        &self.lane
    }

    fn poll_push(
        &mut self,
        context: &Context<'_>,
        ticket: &mut Ticket,
        delta: &mut Option<Text>,
    ) -> Poll<Result<(), Error>> {
        let Self { lane, id, slot, .. } = self;
        lane.poll_admit(context, ticket, |inner| {
            let Some(delta) = delta.take() else {
                return Ok(());
            };
            let slot = slot.ok_or(Error::Ended)?;
            inner
                .ledger
                .admit_delta(slot, EventType::ToolCallArgs, id.as_str())?;
            inner.queue(ToolCallArgs::new(id.clone(), delta).into());
            Ok(())
        })
    }
}

impl Drop for ToolCall {
    fn drop(&mut self) {
        // Nobody is left to tell when it fails.
        let _ = self.close();
    }
}

impl std::fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolCall")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for EndedToolCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EndedToolCall")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
