//! The provider's one route: read the request, choose the answer, send it.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Body as ResponseBody;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use serde_json::{Value, json};

use super::ask::Ask;
use super::body::Body;
use super::script::Script;
use super::server::{Shared, gone};
use super::stats::InFlight;
use super::wire::Wire;
use crate::scenarios;

/// Words in this provider's error messages that look like secrets and must never reach a browser:
/// a key, an organisation, an address and a path inside the provider.
pub const SECRETS: [&str; 4] = [
    "sk-canary-5f0e7d1c9b3a",
    "org-canary-42",
    "http://10.11.12.13:8080/internal",
    "/srv/models/canary.gguf",
];

/// What a scenario answers.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// 200, and a stream.
    Stream(Script),
    /// Another status, before any stream.
    Refuse(Refusal),
}

/// An HTTP error.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// How long the client is asked to wait, at a pace of 1; sent in whole seconds.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Value,
}

/// `POST /v1/chat/completions`.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(complete))
        .fallback(|| async {
            invalid(
                StatusCode::NOT_FOUND,
                "this provider only has POST /v1/chat/completions",
            )
        })
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
        .with_state(shared)
}

async fn complete(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return invalid(StatusCode::BAD_REQUEST, "the body is not JSON");
    };
    let request = Arc::new(request);
    *shared
        .last_request
        .lock()
        .unwrap_or_else(PoisonError::into_inner) = Some(request.clone());
    let mut in_flight = shared.stats.begin();
    let ask = Ask::new(&request);
    if !ask.stream() {
        in_flight.finish();
        return invalid(
            StatusCode::BAD_REQUEST,
            "this provider only streams: set stream to true",
        );
    }
    match scenarios::answer(&ask) {
        Answer::Stream(script) => stream(&shared, &ask, script, in_flight),
        Answer::Refuse(refusal) => {
            in_flight.finish();
            refuse(refusal, shared.pace)
        }
    }
}

fn stream(shared: &Shared, ask: &Ask<'_>, script: Script, in_flight: InFlight) -> Response {
    // A clock before 1970 is no reason to fail a demonstration.
    let created = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let wire = Wire::new(ask, shared.next_id(), created);
    let body = Body::new(
        script,
        wire,
        shared.pace,
        gone(shared.closing.clone()),
        in_flight,
    );
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, ResponseBody::from_stream(body)).into_response()
}

fn refuse(refusal: Refusal, pace: f32) -> Response {
    let wait = refusal
        .retry_after
        .map(|wait| (wait.as_secs_f32() * pace).ceil());
    let wait = wait.map(|seconds| [(header::RETRY_AFTER, seconds.to_string())]);
    (refusal.status, wait, axum::Json(refusal.body)).into_response()
}

fn invalid(status: StatusCode, message: &str) -> Response {
    let error = json!({
        "message": message, "type": "invalid_request_error", "param": null, "code": null,
    });
    (status, axum::Json(json!({"error": error}))).into_response()
}

/// In bytes. Long conversations with pictures in them are large, and this is a loopback port.
const LARGEST_REQUEST: usize = 64 * 1024 * 1024;
