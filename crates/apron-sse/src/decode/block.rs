//! The event being read: its fields, left in the input buffer while they can be.

use std::ops::Range;
use std::time::Duration;

use super::frame::{Event, decode};
use super::lines::KEEP;

/// The fields seen since the last blank line.
#[derive(Default)]
pub(super) struct Block {
    data: Held,
    event: Held,
    id: Held,
    retry: Option<Duration>,
    size: usize,
}

impl Block {
    /// Bytes of the lines that were held, for the limit.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn is_empty(&self) -> bool {
        self.size == 0 && self.retry.is_none()
    }

    pub(super) fn has_data(&self) -> bool {
        self.data.place != Place::Absent
    }

    /// The id that came with this block, if one did.
    pub(super) fn id<'a>(&'a self, buffer: &'a [u8]) -> Option<&'a [u8]> {
        self.id.get(buffer)
    }

    #[inline]
    pub(super) fn push_data(&mut self, buffer: &[u8], value: Range<usize>, line: usize) {
        self.size += line;
        if self.has_data() {
            self.data.append_line(buffer, value);
        } else {
            self.data.set(value);
        }
    }

    pub(super) fn set_event(&mut self, value: Range<usize>, line: usize) {
        self.size += line;
        self.event.set(value);
    }

    pub(super) fn set_id(&mut self, value: Range<usize>, line: usize) {
        self.size += line;
        self.id.set(value);
    }

    pub(super) fn set_retry(&mut self, retry: Duration) {
        self.retry = Some(retry);
    }

    /// Stops pointing into the buffer, which is about to change.
    pub(super) fn copy_out(&mut self, buffer: &[u8]) {
        self.data.copy_out(buffer);
        self.event.copy_out(buffer);
        self.id.copy_out(buffer);
    }

    pub(super) fn lend<'a>(&'a self, buffer: &'a [u8], complete: bool) -> Event<'a> {
        let event = self.event.get(buffer).filter(|name| !name.is_empty());
        Event {
            event: event.map(decode),
            data: decode(self.data.get(buffer).unwrap_or_default()),
            id: self.id.get(buffer).map(decode),
            retry: self.retry,
            complete,
        }
    }

    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.event.clear();
        self.id.clear();
        self.retry = None;
        self.size = 0;
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.data.copy.capacity() + self.event.copy.capacity() + self.id.copy.capacity()
    }
}

/// One value. It is copied at most once, and only if the event is still open when more input
/// comes, or has more `data` lines.
#[derive(Default)]
struct Held {
    place: Place,
    copy: Vec<u8>,
}

#[derive(Default, PartialEq)]
enum Place {
    #[default]
    Absent,
    Buffer(Range<usize>),
    Copy,
}

impl Held {
    fn set(&mut self, value: Range<usize>) {
        self.place = Place::Buffer(value);
    }

    fn append_line(&mut self, buffer: &[u8], value: Range<usize>) {
        self.copy_out(buffer);
        self.copy.push(b'\n');
        self.copy
            .extend_from_slice(buffer.get(value).unwrap_or_default());
    }

    fn get<'a>(&'a self, buffer: &'a [u8]) -> Option<&'a [u8]> {
        match &self.place {
            Place::Absent => None,
            Place::Buffer(range) => buffer.get(range.clone()),
            Place::Copy => Some(&self.copy),
        }
    }

    fn copy_out(&mut self, buffer: &[u8]) {
        if let Place::Buffer(range) = &self.place {
            self.copy.clear();
            self.copy
                .extend_from_slice(buffer.get(range.clone()).unwrap_or_default());
            self.place = Place::Copy;
        }
    }

    fn clear(&mut self) {
        self.place = Place::Absent;
        self.copy.clear();
        self.copy.shrink_to(KEEP);
    }
}
