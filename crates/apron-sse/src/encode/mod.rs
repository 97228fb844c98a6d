//! Frames out: each function appends one whole frame to a buffer, or refuses and leaves it alone.
//!
//! Lines end in LF and frames in an empty line, because readers that split on two LFs are common.
//! Text that would break a line is refused, never stripped: a silently changed payload is worse
//! than an error.
//!
//! ```
//! use apron_sse::encode;
//! use bytes::BytesMut;
//!
//! let mut out = BytesMut::new();
//! encode::data_with_id(&mut out, "7", r#"{"ok":true}"#)?;
//! assert_eq!(out, "id: 7\ndata: {\"ok\":true}\n\n");
//!
//! assert!(encode::data(&mut out, "two\nlines").is_err());
//! assert_eq!(out, "id: 7\ndata: {\"ok\":true}\n\n");
//! # Ok::<(), apron_sse::Error>(())
//! ```

use std::time::Duration;

use bytes::BytesMut;
use memchr::memchr3;

use crate::error::Error;

/// A whole comment frame, ready to append: the usual beat on an idle stream.
///
/// It keeps proxies from closing the connection, and every reader skips it. Append it only
/// between frames.
pub const HEARTBEAT: &str = ": heartbeat\n\n";

/// Appends `json` as one event: `data: …`, then an empty line.
///
/// # Errors
///
/// [`Error::Unframeable`] if the text has a CR, LF or NUL.
pub fn data(out: &mut BytesMut, json: &str) -> Result<(), Error> {
    check("data", json.as_bytes())?;
    out.reserve(DATA.len() + json.len() + END.len());
    out.extend_from_slice(DATA);
    out.extend_from_slice(json.as_bytes());
    out.extend_from_slice(END);
    Ok(())
}

/// Appends `json` as one event that carries an id: `id: …`, `data: …`, then an empty line.
///
/// An empty id is legal, and makes the reader forget the last one.
///
/// # Errors
///
/// [`Error::Unframeable`] if the id or the text has a CR, LF or NUL.
pub fn data_with_id(out: &mut BytesMut, id: &str, json: &str) -> Result<(), Error> {
    check("data", json.as_bytes())?;
    let mut frame = DataFrame::open_with_id(out, id)?;
    frame.buffer().extend_from_slice(json.as_bytes());
    frame.close()
}

/// Appends one event whose payload `write` appends straight to the buffer, with no copy.
///
/// If `write` fails or panics, or what it appended has a CR, LF or NUL, the buffer is cut back to
/// what it was. `write` must only append: see [`Error::Overwritten`]. For an id, use
/// [`DataFrame`].
///
/// ```
/// use apron_sse::{Error, encode};
/// use bytes::BytesMut;
///
/// let mut out = BytesMut::new();
/// encode::data_with(&mut out, |out| {
///     out.extend_from_slice(b"{}");
///     Ok::<_, Error>(())
/// })?;
/// assert_eq!(out, "data: {}\n\n");
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// What `write` failed with, else [`Error::Unframeable`] or [`Error::Overwritten`].
pub fn data_with<E, F>(out: &mut BytesMut, write: F) -> Result<(), E>
where
    E: From<Error>,
    F: FnOnce(&mut BytesMut) -> Result<(), E>,
{
    let mut frame = DataFrame::open(out);
    write(frame.buffer())?;
    Ok(frame.close()?)
}

/// Tells the reader how long to wait before it reconnects, in whole milliseconds, rounded down.
///
/// A time over `u64::MAX` milliseconds is written as that.
pub fn retry(out: &mut BytesMut, after: Duration) {
    let millis = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
    out.extend_from_slice(b"retry: ");
    out.extend_from_slice(millis.to_string().as_bytes());
    out.extend_from_slice(END);
}

/// Appends a comment frame, `: …` and an empty line, which every reader skips.
///
/// # Errors
///
/// [`Error::Unframeable`] if the text has a CR, LF or NUL.
pub fn comment(out: &mut BytesMut, text: &str) -> Result<(), Error> {
    check("comment", text.as_bytes())?;
    out.reserve(2 + text.len() + END.len());
    out.extend_from_slice(b": ");
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(END);
    Ok(())
}

/// A `data` frame being written in place, for payloads that are serialized into the buffer.
///
/// Append to [`buffer`](Self::buffer), then [`close`](Self::close). A frame dropped before that,
/// by `?` or by a panic, is taken back out of the buffer.
///
/// ```
/// use std::fmt::Write;
///
/// use apron_sse::encode::DataFrame;
/// use bytes::BytesMut;
///
/// let mut out = BytesMut::new();
/// let mut frame = DataFrame::open_with_id(&mut out, "7")?;
/// write!(frame.buffer(), "[{}]", 1)?;
/// frame.close()?;
/// assert_eq!(out, "id: 7\ndata: [1]\n\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a frame that is not closed is taken back"]
#[derive(Debug)]
pub struct DataFrame<'a> {
    out: &'a mut BytesMut,
    /// What a drop cuts the buffer back to.
    keep: usize,
    /// Where the payload starts.
    payload: usize,
}

impl<'a> DataFrame<'a> {
    /// Starts an event at the end of `out`.
    pub fn open(out: &'a mut BytesMut) -> Self {
        let keep = out.len();
        Self::prefixed(out, keep)
    }

    /// Starts an event that carries an id.
    ///
    /// # Errors
    ///
    /// [`Error::Unframeable`] if the id has a CR, LF or NUL.
    pub fn open_with_id(out: &'a mut BytesMut, id: &str) -> Result<Self, Error> {
        check("id", id.as_bytes())?;
        let keep = out.len();
        out.extend_from_slice(b"id: ");
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(b"\n");
        Ok(Self::prefixed(out, keep))
    }

    /// The caller's buffer, to append the payload to. What is already in it must stay.
    pub fn buffer(&mut self) -> &mut BytesMut {
        self.out
    }

    /// Ends the frame, after a look at what was appended.
    ///
    /// # Errors
    ///
    /// [`Error::Unframeable`] if the payload has a CR, LF or NUL, [`Error::Overwritten`] if the
    /// frame's own start is gone. Either way the frame is taken back.
    pub fn close(self) -> Result<(), Error> {
        let mut frame = self;
        let start = frame.payload - DATA.len();
        if frame.out.get(start..frame.payload) != Some(DATA) {
            return Err(Error::Overwritten);
        }
        check("data", frame.out.get(frame.payload..).unwrap_or_default())?;
        frame.out.extend_from_slice(END);
        frame.keep = frame.out.len();
        Ok(())
    }

    fn prefixed(out: &'a mut BytesMut, keep: usize) -> Self {
        out.extend_from_slice(DATA);
        let payload = out.len();
        Self { out, keep, payload }
    }
}

impl Drop for DataFrame<'_> {
    fn drop(&mut self) {
        self.out.truncate(self.keep);
    }
}

fn check(field: &'static str, text: &[u8]) -> Result<(), Error> {
    match memchr3(b'\r', b'\n', 0, text) {
        None => Ok(()),
        Some(at) => Err(Error::Unframeable { field, at }),
    }
}

const DATA: &[u8] = b"data: ";
const END: &[u8] = b"\n\n";

#[cfg(test)]
mod tests;
