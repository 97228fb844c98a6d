//! The futures that handles return.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use apron_protocol::{Event, Text};

use crate::error::Error;
use crate::lane::{Inner, Lane, Ticket};

/// What a [`Push`] appends to.
pub(super) trait Pushable {
    fn lane(&self) -> &Lane;
    /// Admits `delta`, and what must come before it, when there is room. It is taken when admitted.
    fn poll_push(
        &mut self,
        context: &Context<'_>,
        ticket: &mut Ticket,
        delta: &mut Option<Text>,
    ) -> Poll<Result<(), Error>>;
}

/// Appends a delta, waiting while the reader is behind.
///
/// An empty delta is dropped: it resolves at once and sends nothing.
///
/// # Errors
///
/// [`Error::Ended`] after the run's end, [`Error::Disconnected`] when the reader is gone,
/// [`Error::Violation`] when the item could not be opened.
///
/// # Cancellation
///
/// Dropped before it resolves, it has sent nothing.
#[must_use = "a delta is sent when its push is awaited"]
pub struct Push<'a> {
    target: &'a mut (dyn Pushable + Send),
    delta: Option<Text>,
    ticket: Ticket,
}

impl<'a> Push<'a> {
    pub(super) fn new(target: &'a mut (dyn Pushable + Send), delta: Text) -> Self {
        Self {
            target,
            delta: Some(delta).filter(|delta| !delta.is_empty()),
            ticket: Ticket::default(),
        }
    }
}

impl Future for Push<'_> {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self {
            target,
            delta,
            ticket,
        } = &mut *self;
        if delta.is_none() {
            return Poll::Ready(Ok(()));
        }
        target.poll_push(context, ticket, delta)
    }
}

impl Drop for Push<'_> {
    fn drop(&mut self) {
        self.target.lane().leave(&mut self.ticket);
    }
}

impl std::fmt::Debug for Push<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Push")
            .field("delta", &self.delta)
            .finish_non_exhaustive()
    }
}

/// Sends one event, waiting while the reader is behind.
///
/// # Errors
///
/// As [`Push`]; [`Error::Violation`] when the event may not come now.
///
/// # Cancellation
///
/// Dropped before it resolves, it has sent nothing.
#[must_use = "an event is sent when its future is awaited"]
pub struct Emit {
    lane: Arc<Lane>,
    event: Option<Event>,
    ticket: Ticket,
}

impl Emit {
    pub(crate) fn new(lane: Arc<Lane>, event: Event) -> Self {
        Self {
            lane,
            event: Some(event),
            ticket: Ticket::default(),
        }
    }
}

impl Future for Emit {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self {
            lane,
            event,
            ticket,
        } = &mut *self;
        lane.poll_admit(context, ticket, |inner| match event.take() {
            Some(event) => inner.admit(event).map(drop),
            None => Ok(()),
        })
    }
}

impl Drop for Emit {
    fn drop(&mut self) {
        self.lane.leave(&mut self.ticket);
    }
}

impl std::fmt::Debug for Emit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emit")
            .field("event", &self.event)
            .finish_non_exhaustive()
    }
}

/// Opens an item and resolves to its handle, waiting while the reader is behind.
///
/// # Errors
///
/// As [`Push`]; [`Error::Violation`] when the item may not be opened now.
///
/// # Cancellation
///
/// Dropped before it resolves, it has sent nothing.
#[must_use = "an item is opened when its future is awaited"]
pub struct Open<T> {
    lane: Arc<Lane>,
    open: Option<Opener<T>>,
    ticket: Ticket,
}

type Opener<T> = Box<dyn FnOnce(&Arc<Lane>, &mut Inner) -> Result<T, Error> + Send>;

impl<T> Open<T> {
    pub(crate) fn new(
        lane: Arc<Lane>,
        open: impl FnOnce(&Arc<Lane>, &mut Inner) -> Result<T, Error> + Send + 'static,
    ) -> Self {
        Self {
            lane,
            open: Some(Box::new(open)),
            ticket: Ticket::default(),
        }
    }
}

impl<T> Future for Open<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { lane, open, ticket } = &mut *self;
        lane.poll_admit(context, ticket, |inner| match open.take() {
            Some(open) => open(lane, inner),
            None => Err(Error::Ended),
        })
    }
}

impl<T> Drop for Open<T> {
    fn drop(&mut self) {
        self.lane.leave(&mut self.ticket);
    }
}

impl<T> std::fmt::Debug for Open<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open").finish_non_exhaustive()
    }
}
