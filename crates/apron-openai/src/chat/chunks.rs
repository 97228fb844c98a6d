//! Chunks that something else parsed, back as text.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use apron_emit::BoxError;
use futures_core::Stream;
use pin_project_lite::pin_project;
use serde::Serialize;

use crate::error::Error;

pin_project! {
    /// A stream of chunks as JSON lines.
    ///
    /// The one parser reads both bytes and these, so that both are translated alike; writing a
    /// chunk out costs less than a second way of reading would.
    pub struct Chunks<S> {
        #[pin]
        stream: S,
    }
}

impl<S> Chunks<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream }
    }
}

impl<S, T, E> Stream for Chunks<S>
where
    S: Stream<Item = Result<T, E>>,
    T: Serialize,
    E: Into<BoxError>,
{
    type Item = Result<Vec<u8>, BoxError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.project().stream.poll_next(context));
        Poll::Ready(next.map(|chunk| {
            let chunk = chunk.map_err(Into::into)?;
            let mut line = serde_json::to_vec(&chunk).map_err(Error::Unserializable)?;
            line.push(b'\n');
            Ok(line)
        }))
    }
}

impl<S> fmt::Debug for Chunks<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").finish_non_exhaustive()
    }
}
