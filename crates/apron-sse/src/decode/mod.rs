//! Frames in: [`Decoder`] is the policy, [`lines`] cuts the bytes, [`block`] holds the event
//! being read.

mod block;
mod field;
mod frame;
mod lines;

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use memchr::memchr;

pub use self::frame::{Comment, Event, Field, Frame};

use self::block::Block;
use self::field::{FieldName, RawField};
use self::lines::Lines;
use crate::error::Error;

/// The most bytes one event may have unless you say otherwise: 10 MiB, as AG-UI clients allow.
pub const DEFAULT_LIMIT: usize = 10 * 1024 * 1024;

/// Turns bytes, cut anywhere, into [`Frame`]s.
///
/// [`feed`](Self::feed) a chunk, take frames with [`next_frame`](Self::next_frame) until it gives
/// `None`, and after the last chunk take what is left with [`finish`](Self::finish). Frames borrow
/// from the decoder, so an event in one piece is not copied.
///
/// It follows the WHATWG algorithm for event streams: CRLF, CR or LF ends a line, a BOM may come
/// first, invalid UTF-8 becomes U+FFFD. It differs in three ways: comments and ignored fields are
/// shown, events have a size limit, and an event that the input broke off is given rather than
/// lost, marked as not [`complete`](Frame::complete).
///
/// Memory is bounded by a small multiple of the limit plus the largest chunk, given that frames
/// are taken between feeds; what a large event needed is handed back while feeding on.
pub struct Decoder {
    limit: usize,
    lines: Lines,
    block: Block,
    /// The block was lent out as a frame, and is forgotten when the next one is asked for.
    lent: bool,
    resync: Resync,
    last_event_id: String,
    retry: Option<Duration>,
    ignored_fields: u64,
}

impl Decoder {
    /// A decoder that allows [`DEFAULT_LIMIT`] bytes an event.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }

    /// A decoder that allows `max_bytes` an event.
    ///
    /// Counted are the event's `data`, `event` and `id` lines, field names included and line ends
    /// not, plus whichever line is being read.
    #[must_use]
    pub fn with_limit(max_bytes: usize) -> Self {
        Self {
            limit: max_bytes,
            lines: Lines::new(),
            block: Block::default(),
            lent: false,
            resync: Resync::Off,
            last_event_id: String::new(),
            retry: None,
            ignored_fields: 0,
        }
    }

    /// Takes in the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.forget_lent();
        // Making room moves the buffer under what the open event still has in it.
        self.block.copy_out(self.lines.buffer());
        self.lines.push(bytes);
    }

    /// The next frame that is wholly here, or `None` until more is fed.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] once for an event or line over the limit. Carry on calling: the next
    /// frame is the first one after the next blank line.
    pub fn next_frame(&mut self) -> Option<Result<Frame<'_>, Error>> {
        let step = self.step()?;
        Some(self.lend(step))
    }

    /// The next frame now that the input has ended, `None` when there are no more.
    ///
    /// After what [`next_frame`](Self::next_frame) would give, this gives what the end cut off: a
    /// last line without its line end, and an event without its blank line. Those are not
    /// [`complete`](Frame::complete), and an incomplete event's `id` does not become the
    /// [`last_event_id`](Self::last_event_id).
    ///
    /// After `None` the decoder is ready for a new connection's bytes. The last event id, the
    /// retry time and the count of ignored fields stay.
    ///
    /// # Errors
    ///
    /// As for [`next_frame`](Self::next_frame).
    pub fn finish(&mut self) -> Option<Result<Frame<'_>, Error>> {
        let step = self.step().or_else(|| self.step_at_end())?;
        Some(self.lend(step))
    }

    /// The id to resume after: the last one a blank line confirmed, up to the frame given last.
    ///
    /// `None` if there was none, or if an empty `id` cleared it.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&str> {
        Some(self.last_event_id.as_str()).filter(|id| !id.is_empty())
    }

    /// The reconnection time the peer asked for last, if it did.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// How many [`Frame::Ignored`] there were. Many of them and no events mean that this was not
    /// an event stream.
    #[must_use]
    pub fn ignored_fields(&self) -> u64 {
        self.ignored_fields
    }

    /// Reads lines up to one that makes a frame.
    fn step(&mut self) -> Option<Step> {
        self.forget_lent();
        if self.resync == Resync::Off
            && self.block.is_empty()
            && let Some(data) = self.lines.next_plain_data(self.limit)
        {
            return Some(Step::Data(data));
        }
        while let Some(line) = self.lines.next_line() {
            let step = self.take_line(line, true);
            if step.is_some() {
                return step;
            }
        }
        self.check_tail()
    }

    fn step_at_end(&mut self) -> Option<Step> {
        if self.resync == Resync::Off {
            if let Some(line) = self.lines.take_tail()
                && let Some(step) = self.take_line(line, false)
            {
                return Some(step);
            }
            if self.block.has_data() {
                self.lent = true;
                return Some(Step::Event { complete: false });
            }
        }
        self.block.clear();
        self.lines = Lines::new();
        self.resync = Resync::Off;
        None
    }

    fn take_line(&mut self, line: Range<usize>, ended: bool) -> Option<Step> {
        if self.resync != Resync::Off {
            let blank = line.is_empty() && self.resync == Resync::LineStart;
            self.resync = if blank {
                Resync::Off
            } else {
                Resync::LineStart
            };
            return None;
        }
        if line.is_empty() {
            return self.end_block();
        }
        if self.block.size().saturating_add(line.len()) > self.limit {
            return Some(self.give_up(Resync::LineStart));
        }

        let field = RawField::parse(self.lines.get(&line));
        let value = line.start + field.value_at..line.end;
        let used = match field.name {
            FieldName::Data => {
                self.block
                    .push_data(self.lines.buffer(), value.clone(), line.len());
                true
            }
            FieldName::Event => {
                self.block.set_event(value.clone(), line.len());
                true
            }
            FieldName::Id => self.take_id(&value, line.len()),
            FieldName::Retry => self.take_retry(&value, ended),
            FieldName::Comment => {
                return Some(Step::Comment {
                    text: value,
                    complete: ended,
                });
            }
            FieldName::Other => false,
        };
        if used {
            return None;
        }
        self.ignored_fields += 1;
        Some(Step::Ignored {
            name: line.start..line.start + field.name_len,
            value,
            complete: ended,
        })
    }

    fn take_id(&mut self, value: &Range<usize>, line: usize) -> bool {
        if memchr(0, self.lines.get(value)).is_some() {
            return false;
        }
        self.block.set_id(value.clone(), line);
        true
    }

    fn take_retry(&mut self, value: &Range<usize>, ended: bool) -> bool {
        let Some(retry) = field::parse_retry(self.lines.get(value)) else {
            return false;
        };
        self.block.set_retry(retry);
        // Half a number is a number too, so one that was cut off must not stay.
        if ended {
            self.retry = Some(retry);
        }
        true
    }

    /// A blank line: the id counts from now on, and the event goes out if it has data.
    fn end_block(&mut self) -> Option<Step> {
        if let Some(id) = self.block.id(self.lines.buffer()) {
            self.last_event_id.clear();
            self.last_event_id.push_str(&frame::decode(id));
        }
        if !self.block.has_data() {
            self.block.clear();
            return None;
        }
        self.lent = true;
        Some(Step::Event { complete: true })
    }

    /// Looks at the line that has not ended yet, which must not grow without bound.
    fn check_tail(&mut self) -> Option<Step> {
        let tail = self.lines.tail_len();
        if self.resync != Resync::Off {
            if tail > 0 {
                self.resync = Resync::MidLine;
                self.lines.drop_tail();
            }
            return None;
        }
        if self.block.size().saturating_add(tail) > self.limit {
            self.lines.drop_tail();
            return Some(self.give_up(Resync::MidLine));
        }
        None
    }

    fn give_up(&mut self, resync: Resync) -> Step {
        self.block.clear();
        self.resync = resync;
        Step::TooLarge
    }

    fn forget_lent(&mut self) {
        if self.lent {
            self.lent = false;
            self.block.clear();
        }
    }

    fn lend(&self, step: Step) -> Result<Frame<'_>, Error> {
        let text = |range: &Range<usize>| frame::decode(self.lines.get(range));
        match step {
            Step::Data(data) => Ok(Frame::Event(Event {
                event: None,
                data: text(&data),
                id: None,
                retry: None,
                complete: true,
            })),
            Step::Event { complete } => {
                Ok(Frame::Event(self.block.lend(self.lines.buffer(), complete)))
            }
            Step::Comment {
                text: range,
                complete,
            } => Ok(Frame::Comment(Comment {
                text: text(&range),
                complete,
            })),
            Step::Ignored {
                name,
                value,
                complete,
            } => Ok(Frame::Ignored(Field {
                name: text(&name),
                value: text(&value),
                complete,
            })),
            Step::TooLarge => Err(Error::TooLarge { limit: self.limit }),
        }
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

/// Sizes only, since the stream may be private.
impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder")
            .field("limit", &self.limit)
            .field("event_bytes", &self.block.size())
            .field("line_bytes", &self.lines.tail_len())
            .field("resync", &self.resync)
            .field("ignored_fields", &self.ignored_fields)
            .finish_non_exhaustive()
    }
}

/// What reading came to, as places in the buffer. Frames borrow, and a borrow cannot be returned
/// from the middle of a loop that goes on to change the buffer.
enum Step {
    /// A whole event that is nothing but this data.
    Data(Range<usize>),
    /// The event in the block.
    Event {
        complete: bool,
    },
    Comment {
        text: Range<usize>,
        complete: bool,
    },
    Ignored {
        name: Range<usize>,
        value: Range<usize>,
        complete: bool,
    },
    TooLarge,
}

/// Whether an oversize event is being skipped, and where in it we are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Resync {
    Off,
    /// Part of the current line was dropped, so what is left of it cannot be a blank line.
    MidLine,
    LineStart,
}

#[cfg(test)]
mod tests;
