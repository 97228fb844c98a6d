//! The response.

use apron_http::{Config, Dialect, EventBody, headers};
use apron_protocol::Event;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;

use crate::rejection::set_headers;

/// How to answer a [`RunRequest`](crate::RunRequest).
#[derive(Clone, Debug)]
#[must_use = "the client waits for a stream of events"]
pub struct Reply {
    config: Config,
    dialect: Dialect,
}

/// A stream of events as a response: 200, the headers of an event stream, and the events as
/// frames, with heartbeats between them.
///
/// # Cancellation
///
/// A client that goes away drops the stream. So does a client that does not read for too long, if
/// the server listens through a [`Listener`](crate::Listener).
#[derive(Debug)]
#[must_use = "a response does nothing unless it is returned"]
pub struct Sse<S> {
    body: EventBody<S>,
}

impl Reply {
    pub(crate) fn new(config: Config, dialect: Dialect) -> Self {
        Self { config, dialect }
    }

    /// How the client wants events spelled.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Answers with these events, in the client's dialect and with the limits of the route.
    ///
    /// They are polled by the connection, and not before the response is returned.
    pub fn stream<S: Stream<Item = Event>>(self, events: S) -> Sse<S> {
        let body = EventBody::new(events)
            .with_config(&self.config)
            .with_dialect(self.dialect);
        Sse { body }
    }
}

impl<S> From<EventBody<S>> for Sse<S> {
    /// A response without a request, for routes of your own.
    fn from(body: EventBody<S>) -> Self {
        Self { body }
    }
}

impl<S> IntoResponse for Sse<S>
where
    S: Stream<Item = Event> + Send + 'static,
{
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from_stream(self.body));
        set_headers(&mut response, headers());
        response
    }
}
