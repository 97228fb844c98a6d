//! Requests that are turned away.

use std::error::Error;
use std::fmt;

use apron_http::Rejection;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

/// Why a [`RunRequest`](crate::RunRequest) is not served, as an HTTP response: a status, and a
/// JSON body with a stable code and a fixed sentence. Nothing of the request is echoed.
///
/// It is logged when it is made, at the level `debug` and without the request's body.
#[derive(Debug)]
pub struct RunRejection(Rejection);

impl RunRejection {
    /// The reason, with its status and its code.
    #[must_use]
    pub fn reason(&self) -> &Rejection {
        &self.0
    }
}

impl From<Rejection> for RunRejection {
    fn from(reason: Rejection) -> Self {
        tracing::debug!(?reason, "a run request is turned away");
        Self(reason)
    }
}

impl IntoResponse for RunRejection {
    fn into_response(self) -> Response {
        let Self(reason) = self;
        let mut response = Response::new(Body::from(reason.to_json()));
        *response.status_mut() =
            StatusCode::from_u16(reason.status()).unwrap_or(StatusCode::BAD_REQUEST);
        set_headers(&mut response, reason.headers());
        response
    }
}

impl fmt::Display for RunRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Error for RunRejection {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

pub(crate) fn set_headers(response: &mut Response, headers: &[(&'static str, &'static str)]) {
    let headers = headers.iter().map(|(name, value)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    });
    response.headers_mut().extend(headers);
}
