//! The bytes that wait to be handed over.

use std::mem;

use apron_protocol::Event;
use apron_sse::encode;
use bytes::{Bytes, BytesMut};

/// Frames in one buffer, which starts at nothing and grows in small steps: most streams wait most
/// of the time, and there may be ten thousand of them.
pub(super) struct Batch {
    buffer: BytesMut,
    chunk_bytes: usize,
    event_bytes: usize,
    /// Bytes that the next batch will want, going by the last one.
    want: usize,
    /// The buffer may be larger than an idle stream should keep.
    large: bool,
}

/// Why an event is not in the batch.
#[derive(Debug)]
pub(super) enum Refused {
    TooLarge { bytes: usize },
    Unwritable(apron_protocol::Error),
    Unframeable(apron_sse::Error),
}

impl Batch {
    pub(super) fn new(chunk_bytes: usize, event_bytes: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            chunk_bytes,
            event_bytes,
            want: SMALL,
            large: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.buffer.len() >= self.chunk_bytes
    }

    /// Appends an event as one frame, or leaves the batch as it was.
    pub(super) fn push(&mut self, event: &Event) -> Result<(), Refused> {
        let start = self.buffer.len();
        self.make_room();
        self.frame(event)?;
        let bytes = (self.buffer.len() - start).saturating_sub(FRAME);
        if bytes > self.event_bytes {
            // A copy of what stays, so that the room of what goes is given back.
            self.buffer.truncate(start);
            self.buffer = BytesMut::from(&*self.buffer);
            return Err(Refused::TooLarge { bytes });
        }
        Ok(())
    }

    /// Appends the error that ends the body, which is subject to no limit.
    pub(super) fn push_last(&mut self, error: &Event) {
        if self.frame(error).is_err() {
            tracing::error!("an error event could not be written");
        }
    }

    /// Hands over what is there. More is expected, so the rest of the buffer stays in use.
    pub(super) fn split(&mut self) -> Bytes {
        let len = self.buffer.len();
        self.want = len.next_power_of_two().clamp(SMALL, self.largest());
        self.large |= len > SMALL;
        if len > 2 * self.largest() {
            // An odd giant: the rest of its buffer would keep all of it.
            self.large = false;
            return mem::take(&mut self.buffer).freeze();
        }
        self.buffer.split().freeze()
    }

    /// Hands over what is there. The events have paused, so a large buffer is given up.
    pub(super) fn take(&mut self) -> Bytes {
        let chunk = self.split();
        self.rest();
        chunk
    }

    /// Gives up a large buffer with nothing in it.
    pub(super) fn rest(&mut self) {
        if mem::take(&mut self.large) {
            self.buffer = BytesMut::new();
        }
    }

    fn frame(&mut self, event: &Event) -> Result<(), Refused> {
        encode::data_with(&mut self.buffer, |out| {
            event.encode(out).map_err(Refused::Unwritable)
        })
    }

    fn make_room(&mut self) {
        let len = self.buffer.len();
        if self.buffer.capacity() - len < ROOM {
            let more = if len < self.want {
                self.want - len
            } else {
                len
            };
            let more = more.clamp(ROOM, self.largest());
            self.large |= len + more > SMALL;
            self.buffer.reserve(more);
        }
    }

    /// What a batch takes that is full but for a byte when the last event comes.
    fn largest(&self) -> usize {
        self.chunk_bytes.saturating_add(ROOM).max(SMALL)
    }
}

impl From<apron_sse::Error> for Refused {
    fn from(err: apron_sse::Error) -> Self {
        Self::Unframeable(err)
    }
}

/// Bytes that a frame adds to its event: `data: ` and two line ends.
const FRAME: usize = 8;
/// Room for an ordinary event.
const ROOM: usize = 256;
/// The first step of a buffer, and what an idle one may keep.
const SMALL: usize = 1024;
