//! Answers that are errors: status, body and code.

use std::time::{Duration, Instant};

use apron_emit::Failure;
use apron_openai::{FailureCode, HttpError};
use serde_json::{Value, json};

use crate::support::{Provider, Step, answer, error, request};

/// The failure of a call that is answered with `script`, over the wire and not repeated.
async fn failure(script: Vec<Step>) -> Failure {
    let provider = Provider::start(vec![script]).await;
    let client = provider.builder().retries(0).build();
    client.chat(request()).await.unwrap_err()
}

fn cause(failure: &Failure) -> &HttpError {
    failure
        .cause()
        .unwrap()
        .downcast_ref()
        .expect("the cause is the answer")
}

#[tokio::test]
async fn every_odd_body_has_a_code_a_sentence_and_keeps_its_status() {
    let says = |code: Value, kind: Value, message: &str| {
        json!({"error": {"code": code, "type": kind, "message": message}}).to_string()
    };
    let table: &[(u16, String, FailureCode)] = &[
        (
            400,
            says(Value::Null, json!("invalid_request_error"), "bad"),
            FailureCode::InvalidRequest,
        ),
        (
            400,
            says(json!("context_length_exceeded"), Value::Null, "x"),
            FailureCode::ContextLengthExceeded,
        ),
        (
            400,
            says(json!("tool_use_failed"), Value::Null, "x"),
            FailureCode::ToolCallInvalid,
        ),
        (
            400,
            says(json!("content_filter"), Value::Null, "x"),
            FailureCode::ContentFilter,
        ),
        (
            400,
            says(json!("model_not_found"), Value::Null, "x"),
            FailureCode::ModelNotFound,
        ),
        // A number for a code.
        (
            400,
            says(json!(400), Value::Null, "bad"),
            FailureCode::InvalidRequest,
        ),
        (
            401,
            says(json!(401), json!("authentication_error"), "x"),
            FailureCode::AuthenticationError,
        ),
        // A type that says less than the status.
        (
            401,
            says(json!("invalid_request_error"), Value::Null, "x"),
            FailureCode::AuthenticationError,
        ),
        (
            403,
            says(json!("forbidden"), json!("invalid_request_error"), "x"),
            FailureCode::AuthenticationError,
        ),
        (
            429,
            says(json!("rate_limit_exceeded"), json!("requests"), "x"),
            FailureCode::RateLimitExceeded,
        ),
        (
            429,
            says(Value::Null, json!("insufficient_quota"), "x"),
            FailureCode::InsufficientQuota,
        ),
        (
            402,
            says(Value::Null, Value::Null, "Insufficient Balance"),
            FailureCode::InsufficientQuota,
        ),
        (
            500,
            says(json!(500), json!("server_error"), "x"),
            FailureCode::ProviderError,
        ),
        // An error that is a string, alone and beside a code.
        (
            404,
            json!({"error": "no model of that name"}).to_string(),
            FailureCode::ModelNotFound,
        ),
        (
            400,
            json!({"code": "invalid-argument", "error": "Incorrect API key given"}).to_string(),
            FailureCode::AuthenticationError,
        ),
        (
            400,
            json!({"code": "invalid-argument", "error": "Model not found: x"}).to_string(),
            FailureCode::ModelNotFound,
        ),
        // FastAPI's details, as text and as a list.
        (
            401,
            json!({"detail": "no"}).to_string(),
            FailureCode::AuthenticationError,
        ),
        (
            422,
            json!({"detail": [{"loc": ["body"], "msg": "field required"}]}).to_string(),
            FailureCode::InvalidRequest,
        ),
        // A flat object, an array, and members beside the error.
        (
            400,
            json!({"object": "error", "code": "3051", "type": "invalid", "message": "x"})
                .to_string(),
            FailureCode::InvalidRequest,
        ),
        (
            429,
            json!([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}]).to_string(),
            FailureCode::RateLimitExceeded,
        ),
        (
            400,
            json!({"error": {"message": "x is not a valid model ID", "code": 400}, "user_id": "u"})
                .to_string(),
            FailureCode::ModelNotFound,
        ),
        // No JSON, or none worth the name.
        (429, "slow down".to_owned(), FailureCode::RateLimitExceeded),
        (
            502,
            "<html>Bad Gateway</html>".to_owned(),
            FailureCode::ProviderError,
        ),
        (503, String::new(), FailureCode::ProviderOverloaded),
        (529, "{}".to_owned(), FailureCode::ProviderOverloaded),
        (500, "null".to_owned(), FailureCode::ProviderError),
        (500, "{\"error\":".to_owned(), FailureCode::ProviderError),
        (418, "[]".to_owned(), FailureCode::InvalidRequest),
        (408, "\u{feff}\u{0}".to_owned(), FailureCode::Timeout),
    ];
    for (status, body, code) in table {
        let failure = failure(error(*status, body)).await;
        assert_eq!(failure.code(), code.as_str(), "{status} {body}");
        assert_eq!(failure.message(), code.message());
        assert_eq!(cause(&failure).status, *status);
        assert_eq!(cause(&failure).body, *body);
    }
}

#[tokio::test]
async fn an_answer_that_is_no_text_is_still_an_error() {
    let head = b"HTTP/1.1 500 X\r\ncontent-length: 4\r\nconnection: close\r\n\r\n\xff\xfe\xfd\x00";
    let failure = failure(vec![Step::Send(head.to_vec())]).await;
    assert_eq!(failure.code(), "provider_error");
    assert_eq!(cause(&failure).body, "\u{fffd}\u{fffd}\u{fffd}\0");
}

#[tokio::test]
async fn the_id_of_the_request_and_the_wait_are_kept() {
    for (headers, id) in [
        ("x-request-id: req_1\r\nretry-after: 7\r\n", "req_1"),
        (
            "mistral-correlation-id: cor_1\r\nretry-after-ms: 7000\r\n",
            "cor_1",
        ),
    ] {
        let failure = failure(answer(429, headers, "")).await;
        assert_eq!(cause(&failure).request_id.as_deref(), Some(id));
        assert_eq!(failure.retry_after().unwrap().as_secs(), 7);
    }
}

#[tokio::test]
async fn a_web_page_under_a_good_status_is_no_answer() {
    let mut provider = Provider::start(vec![answer(
        200,
        "content-type: Text/HTML; charset=x\r\n",
        "<p>Log in",
    )])
    .await;
    let failure = provider.client().chat(request()).await.unwrap_err();
    assert_eq!(failure.code(), "provider_error");
    assert_eq!(
        (cause(&failure).status, cause(&failure).body.as_str()),
        (200, "<p>Log in")
    );
    assert_eq!(provider.count(), 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut provider = Provider::start(vec![answer(307, "location: /elsewhere\r\n", "")]).await;
    let failure = provider.client().chat(request()).await.unwrap_err();
    assert_eq!(failure.code(), "provider_error");
    assert_eq!(cause(&failure).status, 307);
    assert_eq!(provider.count(), 1);
}

#[tokio::test]
async fn of_a_huge_error_the_beginning_is_kept_and_the_rest_not_read() {
    let head = b"HTTP/1.1 400 X\r\ncontent-length: 100000000\r\n\r\n".to_vec();
    let body = "x".repeat(1_000_000).into_bytes();
    let script = vec![Step::Send(head), Step::Send(body), Step::Hold];
    let mut provider = Provider::start(vec![script]).await;
    let start = Instant::now();
    let failure = provider.client().chat(request()).await.unwrap_err();
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "it waited for more"
    );
    assert_eq!(failure.code(), "invalid_request");
    assert_eq!(cause(&failure).body.len(), 64 * 1024);
    assert!(cause(&failure).provider.message.as_ref().unwrap().len() <= 2048);
    provider.saw_close().await;
}

#[tokio::test]
async fn an_error_whose_body_breaks_off_is_known_by_its_status() {
    let head = b"HTTP/1.1 401 X\r\ncontent-length: 100\r\n\r\n{\"error\":".to_vec();
    let failure = failure(vec![Step::Send(head)]).await;
    assert_eq!(failure.code(), "authentication_error");
    assert_eq!(cause(&failure).body, "{\"error\":");
}

#[tokio::test]
async fn an_error_whose_body_stalls_is_known_by_its_status() {
    let head = b"HTTP/1.1 401 X\r\ncontent-length: 100\r\n\r\n".to_vec();
    let mut provider = Provider::start(vec![vec![Step::Send(head), Step::Hold]]).await;
    let call = tokio::spawn(provider.client().chat(request()));
    Provider::request(provider.saw().await);
    // From here on nothing moves but the clock.
    tokio::time::pause();
    let failure = call.await.unwrap().unwrap_err();
    assert!(
        matches!(failure.code(), "authentication_error" | "timeout"),
        "{failure:?}"
    );
}

/// Every recorded error body has a code that fits its status.
#[test]
fn recorded_errors_have_stable_codes() {
    let Some(corpus) = std::env::var_os("APRON_CORPUS") else {
        println!("skipped: recorded_errors_have_stable_codes (APRON_CORPUS is not set)");
        return;
    };
    let folder = std::path::Path::new(&corpus).join("streams/http-errors");
    let mut files = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let recorded: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let status = u16::try_from(recorded["status"].as_u64().unwrap()).unwrap();
        let body = recorded["body"].as_str().unwrap();
        let error = HttpError::new(status, body);
        let code = error.failure_code();
        let expected = match status {
            401 | 403 => &[FailureCode::AuthenticationError][..],
            404 => &[FailureCode::ModelNotFound],
            429 => &[
                FailureCode::RateLimitExceeded,
                FailureCode::InsufficientQuota,
            ],
            503 | 529 => &[FailureCode::ProviderOverloaded],
            500.. => &[FailureCode::ProviderError],
            _ if body.contains("API key") => &[FailureCode::AuthenticationError],
            _ if body.contains("nonexistent") => &[FailureCode::ModelNotFound],
            _ => &[
                FailureCode::InvalidRequest,
                FailureCode::ContextLengthExceeded,
                FailureCode::ToolCallInvalid,
            ],
        };
        assert!(expected.contains(&code), "{name}: {code}");
        assert!(
            error.provider.message.is_some(),
            "{name}: what it says is known"
        );
        let failure = error.into_failure();
        assert_eq!(failure.message(), code.message(), "{name}");
        assert_eq!(cause(&failure).status, status, "{name}");
        files += 1;
    }
    println!("{files} recorded errors");
    assert!(files > 0);
}
