//! Answers that go wrong.

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::json;

use super::BRISK;
use crate::provider::{Answer, Ask, Refusal, SECRETS, Script};

/// Text, then an error object in the stream, which ends there.
pub(super) fn error(_: &Ask<'_>) -> Answer {
    let [key, organization, address, path] = SECRETS;
    let message = format!("worker {address} lost {path} while serving {key} of {organization}");
    let error = json!({
        "message": message, "type": "server_error", "param": null, "code": "internal_error",
    });
    let script = Script::new()
        .every(BRISK)
        .text("The first keeper lit the lamp, and then")
        .object(json!({"error": error}));
    Answer::Stream(script)
}

/// Text, then the connection breaks.
pub(super) fn cut(_: &Ask<'_>) -> Answer {
    Answer::Stream(
        Script::new()
            .every(BRISK)
            .text("And the name of the lighthouse is")
            .abort(),
    )
}

/// HTTP 429.
pub(super) fn refused(_: &Ask<'_>) -> Answer {
    let [key, organization, ..] = SECRETS;
    let message = format!("Rate limit reached for {organization}, key {key}. Try again in 1s.");
    let error = json!({
        "message": message, "type": "requests", "param": null, "code": "rate_limit_exceeded",
    });
    Answer::Refuse(Refusal {
        status: StatusCode::TOO_MANY_REQUESTS,
        retry_after: Some(Duration::from_secs(1)),
        body: json!({"error": error}),
    })
}

/// One delta, then silence.
pub(super) fn hang(_: &Ask<'_>) -> Answer {
    Answer::Stream(Script::new().delta("Well").silence())
}
