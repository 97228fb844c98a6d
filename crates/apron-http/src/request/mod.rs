//! Reading a request.

mod media;

use apron_protocol::{Notes, PROTOCOL_VERSION, RunAgentInput};

use self::media::{admits_event_stream, is_json};
use crate::config::Config;
use crate::dialect::Dialect;
use crate::rejection::Rejection;

/// A request that may be served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// What the client asks for.
    pub input: RunAgentInput,
    /// How the client wants events spelled.
    pub dialect: Dialect,
}

/// Reads a request without doing I/O: the headers, then the body as it comes, then the verdict.
///
/// Nothing is written to the client before all of it was accepted, so a refusal can still be an
/// HTTP status.
///
/// ```
/// use apron_http::{Config, RequestReader};
///
/// let config = Config::default().with_body_bytes(8);
/// let mut reader = RequestReader::open(&[("content-type", "application/json")], &config)?;
/// reader.push(b"[1, 2, ")?;
/// let refused = reader.push(b"3]").unwrap_err();
/// assert_eq!(refused.status(), 413);
/// assert_eq!(
///     refused.to_json(),
///     r#"{"code":"body_too_large","message":"The request body is too large."}"#,
/// );
/// # Ok::<(), apron_http::Rejection>(())
/// ```
///
/// # Cancellation
///
/// Dropping it forgets what was read.
#[derive(Debug)]
#[must_use = "the verdict is with `finish`"]
pub struct RequestReader {
    body: Body,
    limit: usize,
}

/// What was read. Its `Debug` is its length.
struct Body(Vec<u8>);

impl RequestReader {
    /// Looks at the headers. Names are compared without case, a name may come several times, and
    /// headers that do not matter may be left out: only `content-type`, `accept` and
    /// `content-length` do.
    ///
    /// # Errors
    ///
    /// [`Rejection::ContentType`] unless it is `application/json` or `application/*+json`. It is
    /// required, because a page of any origin may post the types that need no permission.
    /// [`Rejection::Accept`] when it is there and refuses `text/event-stream`.
    /// [`Rejection::TooLarge`] when the declared length is over
    /// [`body_bytes`](Config::body_bytes).
    pub fn open(headers: &[(&str, &str)], config: &Config) -> Result<Self, Rejection> {
        let values = |wanted: &'static str| {
            let named = move |(name, _): &&(&str, &str)| name.eq_ignore_ascii_case(wanted);
            headers.iter().filter(named).map(|(_, value)| *value)
        };
        if values("content-type").next().is_none() || !values("content-type").all(is_json) {
            return Err(Rejection::ContentType);
        }
        if !admits_event_stream(values("accept")) {
            return Err(Rejection::Accept);
        }
        let limit = config.body_bytes;
        let length = values("content-length").find_map(|length| length.trim().parse().ok());
        let length = length.unwrap_or(0_u64);
        match usize::try_from(length) {
            Ok(length) if length <= limit => Ok(Self {
                // The length is a claim: what it reserves before anything was sent has a bound.
                body: Body(Vec::with_capacity(length.min(RESERVED))),
                limit,
            }),
            _ => Err(Rejection::TooLarge { limit }),
        }
    }

    /// Takes the next bytes of the body.
    ///
    /// # Errors
    ///
    /// [`Rejection::TooLarge`] when the body is over the limit. Stop reading then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Rejection> {
        let limit = self.limit;
        let Body(body) = &mut self.body;
        if bytes.len() > limit.saturating_sub(body.len()) {
            return Err(Rejection::TooLarge { limit });
        }
        body.extend_from_slice(bytes);
        Ok(())
    }

    /// Reads the body as a run input.
    ///
    /// Leniently, as AG-UI asks: what a 1.0 server does not know is left out, and said to
    /// `tracing`.
    ///
    /// # Errors
    ///
    /// [`Rejection::Input`] when the body is no JSON, nested deeper than 128, or lacks or garbles
    /// a known member. [`Rejection::Version`] when the client speaks a newer major version; a
    /// newer minor one is served.
    pub fn finish(self) -> Result<Request, Rejection> {
        let Body(body) = self.body;
        let (input, notes) = RunAgentInput::from_slice(&body).map_err(Rejection::Input)?;
        if let Some(version) = input.version()
            && version.major > MAJOR
        {
            return Err(Rejection::Version(version));
        }
        log_version(&input);
        log_notes(&notes);
        let dialect = Dialect::for_input(&input);
        Ok(Request { input, dialect })
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

fn log_version(input: &RunAgentInput) {
    let newer = match (&input.protocol_version, input.version()) {
        (None, _) => false,
        (Some(_), Some(version)) => version.major == MAJOR && version.minor > MINOR,
        (Some(_), None) => true,
    };
    if newer {
        tracing::warn!("the client declares a newer protocol version than {PROTOCOL_VERSION}");
    }
}

fn log_notes(notes: &Notes) {
    if notes.is_empty() {
        return;
    }
    let total = notes.total();
    tracing::warn!(total, "parts of the input were left out or changed");
    for note in notes.first() {
        tracing::debug!(%note, "part of the input");
    }
}

/// The protocol version that is implemented, as numbers.
const MAJOR: u32 = 1;
const MINOR: u32 = 0;
/// Bytes that a declared length may reserve.
const RESERVED: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_protocol_crate() {
        assert_eq!(PROTOCOL_VERSION, format!("{MAJOR}.{MINOR}"));
    }
}
