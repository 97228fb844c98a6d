//! What the decoder gives out.

use std::borrow::Cow;
use std::time::Duration;

/// One thing the peer sent. It borrows from the decoder until the next call.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Frame<'a> {
    /// An event with data.
    Event(Event<'a>),
    /// A comment. It says nothing, except that the peer is alive.
    Comment(Comment<'a>),
    /// A field that means nothing in an event stream. Skip it, unless you know a peer that puts
    /// something there: some send a fatal error as `error: {…}`, and a body that is not an event
    /// stream at all shows up here line by line.
    Ignored(Field<'a>),
}

impl Frame<'_> {
    /// Whether its end was seen. False only for a frame that the end of the input cut off, which
    /// may lack any part of itself.
    #[must_use]
    pub fn complete(&self) -> bool {
        match self {
            Self::Event(event) => event.complete,
            Self::Comment(comment) => comment.complete,
            Self::Ignored(field) => field.complete,
        }
    }

    /// The same frame, no longer tied to the decoder.
    #[must_use]
    pub fn into_owned(self) -> Frame<'static> {
        match self {
            Self::Event(event) => Frame::Event(Event {
                event: event.event.map(own),
                data: own(event.data),
                id: event.id.map(own),
                retry: event.retry,
                complete: event.complete,
            }),
            Self::Comment(comment) => Frame::Comment(Comment {
                text: own(comment.text),
                complete: comment.complete,
            }),
            Self::Ignored(field) => Frame::Ignored(Field {
                name: own(field.name),
                value: own(field.value),
                complete: field.complete,
            }),
        }
    }
}

/// An event: one or more `data` lines and what came with them.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Event<'a> {
    /// The event's name, if it has one that is not empty. Without one, browsers say `message`.
    pub event: Option<Cow<'a, str>>,
    /// The `data` lines, joined with LF. May be empty.
    pub data: Cow<'a, str>,
    /// The id that came with this very event; empty means that the peer clears the last one.
    /// An id is also remembered: see [`Decoder::last_event_id`](crate::Decoder::last_event_id).
    pub id: Option<Cow<'a, str>>,
    /// The reconnection time that came with this very event.
    pub retry: Option<Duration>,
    /// Whether the blank line that ends the event was seen.
    pub complete: bool,
}

/// A comment line.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Comment<'a> {
    /// What follows the colon, less one space.
    pub text: Cow<'a, str>,
    /// Whether the end of the line was seen.
    pub complete: bool,
}

/// A field line that the event stream algorithm ignores: an unknown name, an `id` with a NUL, or
/// a `retry` that is not a number.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Field<'a> {
    /// What precedes the first colon, or the whole line if there is none.
    pub name: Cow<'a, str>,
    /// What follows it, less one space.
    pub value: Cow<'a, str>,
    /// Whether the end of the line was seen.
    pub complete: bool,
}

/// Bytes as text, with U+FFFD for what is not UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    // The lossy decoder goes byte by byte, so it is asked only when it is needed.
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}
