//! What can go wrong, and whose doing it is.

/// Why a frame could not be written or read.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The caller's text holds a CR, LF or NUL, so it would end its line early or be dropped by
    /// the reader. Nothing was written. JSON escapes all three inside strings; for other text,
    /// encode it first.
    #[error("{field} text has a line break or NUL at byte {at}")]
    Unframeable {
        /// Which part of the frame: `data`, `id` or `comment`.
        field: &'static str,
        /// Where the first such byte is, counted from the start of the text.
        at: usize,
    },
    /// The caller was lent the buffer to append to, and removed or changed what was there before.
    /// What is left of the frame was taken back; bytes before it may have been lost.
    #[error("the start of the frame was overwritten by what should have been appended")]
    Overwritten,
    /// The peer sent an event, or a line, over the decoder's limit. Everything up to the next
    /// blank line is skipped, and decoding goes on with the event after it.
    #[error("event over the limit of {limit} bytes")]
    TooLarge {
        /// The limit in force, in bytes.
        limit: usize,
    },
}
