//! The body of an answer as frames: server-sent events, or JSON where a server does not stream.

use std::borrow::Cow;

use apron_sse::{DEFAULT_LIMIT, Decoder, Frame};
use serde::de::IgnoredAny;

use super::documents::{Documents, TooLarge};
use crate::error::Error;

/// Bytes in, frames out. What the body is shows in its first byte, whatever its content type says.
pub(super) enum Body {
    /// Nothing but white space came so far.
    Unknown(Vec<u8>),
    Events(Box<Decoder>),
    Json(Documents),
}

/// What a frame means to a translator.
pub(super) enum Piece<'a> {
    Data {
        name: Option<Cow<'a, str>>,
        data: Cow<'a, str>,
    },
    /// An SSE field named `error`.
    ErrorField(Cow<'a, str>),
    /// Nothing, but the peer is alive.
    Nothing,
}

impl Body {
    pub(super) fn new() -> Self {
        Self::Unknown(Vec::new())
    }

    /// A body that is known to be JSON documents.
    pub(super) fn json() -> Self {
        Self::Json(Documents::new(DEFAULT_LIMIT))
    }

    /// Takes in the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        match self {
            Self::Events(decoder) => decoder.feed(bytes),
            Self::Json(documents) => documents.feed(bytes),
            Self::Unknown(before) => {
                before.extend_from_slice(bytes);
                let before = std::mem::take(before);
                *self = Self::sniff(before);
            }
        }
    }

    /// The next frame that is wholly here.
    pub(super) fn next(&mut self) -> Option<Result<Piece<'_>, Error>> {
        match self {
            Self::Unknown(_) => None,
            Self::Events(decoder) => Some(decoder.next_frame()?.map(piece).map_err(Error::from)),
            Self::Json(documents) => Some(match documents.next()? {
                Ok(document) => Ok(document_piece(document)),
                Err(TooLarge) => Err(Error::TooLarge {
                    limit: DEFAULT_LIMIT,
                }),
            }),
        }
    }

    /// The next frame now that the input has ended. One that was cut off counts if it is whole
    /// enough to be read.
    pub(super) fn finish(&mut self) -> Option<Result<Piece<'_>, Error>> {
        match self {
            Self::Unknown(_) => None,
            Self::Events(decoder) => Some(decoder.finish()?.map(last_piece).map_err(Error::from)),
            Self::Json(documents) => documents.finish().map(document_piece).map(Ok),
        }
    }

    fn sniff(before: Vec<u8>) -> Self {
        let text = before.strip_prefix(BOM).unwrap_or(&before);
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            Some(b'{' | b'[') => {
                let mut documents = Documents::new(DEFAULT_LIMIT);
                documents.feed(text);
                Self::Json(documents)
            }
            None if before.len() <= SNIFF_LIMIT => Self::Unknown(before),
            Some(_) if BOM.starts_with(&before) => Self::Unknown(before),
            _ => {
                let mut decoder = Decoder::new();
                decoder.feed(&before);
                Self::Events(Box::new(decoder))
            }
        }
    }
}

fn piece(frame: Frame<'_>) -> Piece<'_> {
    match frame {
        Frame::Event(event) => Piece::Data {
            name: event.event,
            data: event.data,
        },
        Frame::Ignored(field) if field.name == "error" => Piece::ErrorField(field.value),
        _ => Piece::Nothing,
    }
}

fn last_piece(frame: Frame<'_>) -> Piece<'_> {
    let complete = frame.complete();
    match piece(frame) {
        Piece::Data { data, .. } if !complete && !is_whole(&data) => Piece::Nothing,
        piece => piece,
    }
}

fn document_piece(document: &[u8]) -> Piece<'_> {
    Piece::Data {
        name: None,
        data: String::from_utf8_lossy(document),
    }
}

fn is_whole(data: &str) -> bool {
    data.trim() == "[DONE]" || serde_json::from_str::<IgnoredAny>(data).is_ok()
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// White space that may come before the first byte that says something.
const SNIFF_LIMIT: usize = 4 * 1024;
