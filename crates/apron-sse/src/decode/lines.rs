//! Bytes to lines: CRLF, CR and LF, in any mix, cut anywhere, in time linear in the input.

use std::ops::Range;

use memchr::memchr2;

/// Input that has not been dropped yet, and how far into it we are.
///
/// `next <= scanned <= buffer.len()`. Lines before `next` have been given out, and
/// `buffer[next..scanned]` is known to have no line end, so no byte is looked at twice.
pub(super) struct Lines {
    buffer: Vec<u8>,
    next: usize,
    scanned: usize,
    /// Nothing has been read, so a BOM may still come.
    at_start: bool,
    /// The last line ended in CR. An LF right after belongs to it, even in a later chunk.
    after_cr: bool,
    /// Bytes looked at for line ends or moved, which the tests hold to be linear.
    #[cfg(test)]
    pub(super) work: usize,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self {
            buffer: Vec::new(),
            next: 0,
            scanned: 0,
            at_start: true,
            after_cr: false,
            #[cfg(test)]
            work: 0,
        }
    }

    /// Appends input, first dropping lines given out: places given out before mean nothing after.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        #[cfg(test)]
        let capacity = self.buffer.capacity();
        self.buffer.extend_from_slice(bytes);
        #[cfg(test)]
        if self.buffer.capacity() != capacity {
            self.work += self.buffer.len();
        }
    }

    /// The next line that has ended, without its line end.
    #[inline]
    pub(super) fn next_line(&mut self) -> Option<Range<usize>> {
        if (self.at_start || self.after_cr) && !self.skip_joint() {
            return None;
        }
        let rest = self.buffer.get(self.scanned..).unwrap_or_default();
        let found = memchr2(b'\n', b'\r', rest);
        #[cfg(test)]
        {
            self.work += found.map_or(rest.len(), |at| at + 1);
        }
        let Some(at) = found else {
            self.scanned = self.buffer.len();
            return None;
        };
        let line = self.next..self.scanned + at;
        self.after_cr = rest.get(at) == Some(&b'\r');
        self.next = line.end + 1;
        self.scanned = self.next;
        Some(line)
    }

    /// The value of a frame that is one `data: ` line of at most `limit` bytes and a blank line,
    /// with LF ends and all here. That is nearly every frame there is, and it takes one scan.
    ///
    /// `None` says nothing about what is there instead; the scan is kept.
    #[inline]
    pub(super) fn next_plain_data(&mut self, limit: usize) -> Option<Range<usize>> {
        if self.at_start || self.after_cr || self.scanned != self.next {
            return None;
        }
        let rest = self.buffer.get(self.next..)?;
        if !rest.starts_with(DATA) {
            return None;
        }
        let found = memchr2(b'\n', b'\r', rest);
        let end = found.unwrap_or(rest.len());
        self.scanned += end;
        #[cfg(test)]
        {
            self.work += end;
        }
        if end > limit || rest.get(end..end + 2) != Some(b"\n\n") {
            return None;
        }
        let value = self.next + DATA.len()..self.scanned;
        self.next = self.scanned + 2;
        self.scanned = self.next;
        Some(value)
    }

    /// How much there is of the line that has not ended. A BOM that is not all here does not count.
    pub(super) fn tail_len(&self) -> usize {
        if self.at_start {
            0
        } else {
            self.buffer.len() - self.next
        }
    }

    pub(super) fn drop_tail(&mut self) {
        self.next = self.buffer.len();
        self.scanned = self.next;
    }

    /// The line that has not ended, taken as one that has; for when no more input will come.
    pub(super) fn take_tail(&mut self) -> Option<Range<usize>> {
        let line = self.next..self.buffer.len();
        self.drop_tail();
        self.at_start = false;
        (!line.is_empty()).then_some(line)
    }

    pub(super) fn buffer(&self) -> &[u8] {
        &self.buffer
    }

    #[inline]
    pub(super) fn get(&self, range: &Range<usize>) -> &[u8] {
        self.buffer.get(range.clone()).unwrap_or_default()
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Skips what is not part of any line: a BOM, the LF of a CRLF. False if it takes more input
    /// to know.
    fn skip_joint(&mut self) -> bool {
        let rest = self.buffer.get(self.next..).unwrap_or_default();
        let skip = if self.at_start {
            match rest.strip_prefix(BOM) {
                Some(_) => BOM.len(),
                None if BOM.starts_with(rest) => return false,
                None => 0,
            }
        } else {
            match rest.first() {
                Some(b'\n') => 1,
                Some(_) => 0,
                None => return false,
            }
        };
        self.at_start = false;
        self.after_cr = false;
        self.next += skip;
        self.scanned = self.next;
        true
    }

    /// Drops lines given out once they are most of the buffer, so each move is paid for by as many
    /// bytes read, and frees what only a large event needed.
    fn make_room(&mut self, incoming: usize) {
        if self.next < self.buffer.len().div_ceil(2) {
            return;
        }
        let left = self.buffer.len() - self.next;
        #[cfg(test)]
        {
            self.work += left;
        }
        self.buffer.drain(..self.next);
        self.scanned -= self.next;
        self.next = 0;
        if left.saturating_add(incoming) <= KEEP {
            self.buffer.shrink_to(KEEP);
        }
    }
}

const DATA: &[u8] = b"data: ";

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Room that is kept for the next event, in bytes; what a large event needed beyond it is freed.
pub(super) const KEEP: usize = 64 * 1024;
