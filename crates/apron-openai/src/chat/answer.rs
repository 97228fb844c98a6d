//! What [`events`](super::events) takes: bare bytes, or an answer that knows more about itself.

use apron_emit::BoxError;
use futures_core::Stream;

use super::events::Events;

/// Something whose bytes are a chat answer.
///
/// Every stream of bytes is one. A `ChatResponse` is one too, and brings along under which names its
/// tools were offered, and how long it may be silent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no chat answer",
    label = "neither a `ChatResponse` nor a stream of `Result<bytes, error>`"
)]
pub trait Answer {
    /// The stream of bytes inside.
    type Bytes;

    /// The events of the answer.
    fn into_events(self) -> Events<Self::Bytes>;
}

impl<S, B, E> Answer for S
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
    E: Into<BoxError>,
{
    type Bytes = S;

    fn into_events(self) -> Events<S> {
        Events::of_bytes(self)
    }
}

#[cfg(feature = "client")]
impl Answer for crate::client::ChatResponse {
    type Bytes = crate::client::ResponseBytes;

    fn into_events(self) -> Events<Self::Bytes> {
        Events::of_bytes(self.bytes)
            .with_offered_tools(self.names.offered())
            .with_silence(self.watchdog.into())
    }
}
