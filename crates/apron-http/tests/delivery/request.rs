//! What is served, and how the rest is turned away.

use std::error::Error;

use apron_http::{Config, Dialect, Rejection, Request, RequestReader, headers};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const INPUT: &str = r#"{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[]}"#;

fn open(headers: &[(&str, &str)]) -> Result<RequestReader, Rejection> {
    RequestReader::open(headers, &Config::default())
}

fn decode(body: &str) -> Result<Request, Rejection> {
    let mut reader = open(&[JSON])?;
    // In pieces, as a socket would have it.
    for piece in body.as_bytes().chunks(7) {
        reader.push(piece)?;
    }
    reader.finish()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Rejection>, status: u16, code: &str) -> Rejection {
    let rejection = result.expect_err("it was served");
    assert_eq!((rejection.status(), rejection.code()), (status, code));
    let json: serde_json::Value = serde_json::from_str(&rejection.to_json()).unwrap();
    assert_eq!(json["code"], code);
    assert_eq!(json["message"], rejection.message());
    assert_eq!(json.as_object().unwrap().len(), 2);
    rejection
}

#[test]
fn a_client_of_1_0_is_served() {
    let request = decode(INPUT).unwrap();
    assert_eq!(request.input.thread_id, "t");
    assert_eq!(request.dialect, Dialect::V1);
}

#[test]
fn a_client_of_the_0_x_line_is_served_in_its_dialect() {
    let body = r#"{"threadId":"t","runId":"r","state":{},"messages":[
        {"id":"1","role":"user","content":"Hi","name":null}],
        "tools":[],"context":[],"forwardedProps":null,"parentRunId":null}"#;
    let request = decode(body).unwrap();
    assert_eq!(request.input.messages.len(), 1);
    assert_eq!(request.dialect, Dialect::V0);
}

#[test]
fn the_content_type_must_be_json() {
    refused(open(&[]), 415, "unsupported_media_type");
    refused(
        open(&[("content-type", "text/plain")]),
        415,
        "unsupported_media_type",
    );
    refused(
        open(&[JSON, ("content-type", "text/plain")]),
        415,
        "unsupported_media_type",
    );
    assert!(open(&[("CONTENT-TYPE", "application/json; charset=utf-8")]).is_ok());
}

#[test]
fn accept_must_admit_an_event_stream_if_it_is_there() {
    assert!(open(&[JSON, ("accept", "text/event-stream")]).is_ok());
    assert!(open(&[JSON, ("accept", "application/json"), ("Accept", "text/*")]).is_ok());
    refused(
        open(&[JSON, ("accept", "application/json")]),
        406,
        "not_acceptable",
    );
}

#[test]
fn a_body_over_the_limit_is_refused_as_soon_as_that_is_known() {
    let config = Config::default().with_body_bytes(10);
    let declared = RequestReader::open(&[JSON, ("content-length", "11")], &config);
    refused(declared, 413, "body_too_large");
    let absurd = ("content-length", "18446744073709551615");
    refused(
        RequestReader::open(&[JSON, absurd], &config),
        413,
        "body_too_large",
    );

    // A length that lies helps nobody.
    let mut reader = RequestReader::open(&[JSON, ("content-length", "2")], &config).unwrap();
    reader.push(b"12345").unwrap();
    reader.push(b"67890").unwrap();
    reader.push(b"").unwrap();
    refused(reader.push(b"1"), 413, "body_too_large");
}

#[test]
fn the_default_limit_is_4_mib() {
    let mut reader = open(&[JSON]).unwrap();
    let chunk = vec![b' '; 64 * 1024];
    for _ in 0..64 {
        reader.push(&chunk).unwrap();
    }
    refused(reader.push(b" "), 413, "body_too_large");
}

#[test]
fn a_body_that_is_no_input_is_refused_without_an_echo() {
    let canary = "canary-7f3a";
    let bodies = [
        String::new(),
        "{".to_owned(),
        format!("\"{canary}\""),
        format!("{{\"threadId\":\"{canary}\",\"runId\":5,\"messages\":[]}}"),
        format!("{{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":\"{canary}\"}}"),
        format!(
            "{{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[{{\"role\":\"user\",\"id\":\"{canary}\",\"content\":7}}]}}"
        ),
        format!(
            "{{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[{{\"role\":\"user\",\"id\":\"1\",\"content\":{{\"{canary}\":1}}}}]}}"
        ),
        format!("{INPUT} {canary}"),
        format!("\u{feff}{INPUT}"),
    ];
    for body in bodies {
        let rejection = refused(decode(&body), 400, "invalid_input");
        let said = format!("{} {rejection} {rejection:?}", rejection.to_json());
        assert!(!said.contains(canary), "{said}");
        assert!(
            rejection.source().is_some(),
            "the cause is there for those who ask"
        );
    }
}

#[test]
fn json_that_is_nested_2000_deep_is_refused() {
    let deep = format!("{}1{}", "[".repeat(2_000), "]".repeat(2_000));
    let body = format!(r#"{{"threadId":"t","runId":"r","messages":[],"state":{deep}}}"#);
    refused(decode(&body), 400, "invalid_input");
}

#[test]
fn only_another_major_version_is_refused() {
    let versioned = |version: &str| decode(&INPUT.replace("1.0", version));
    for served in ["1.0", "1.9", "0.5", "1.0.0", "next"] {
        versioned(served).unwrap();
    }
    refused(versioned("2.0"), 400, "unsupported_protocol_version");
}

#[test]
fn debug_shows_no_body() {
    let mut reader = open(&[JSON]).unwrap();
    reader.push(b"canary").unwrap();
    let debug = format!("{reader:?}");
    assert!(
        debug.contains("6 bytes") && !debug.contains("canary"),
        "{debug}"
    );
}

#[test]
fn the_headers_of_a_stream_are_these() {
    assert_eq!(
        headers(),
        [
            ("content-type", "text/event-stream"),
            ("cache-control", "no-cache, no-store, no-transform"),
            ("x-accel-buffering", "no"),
            ("x-content-type-options", "nosniff"),
            ("vary", "accept"),
        ],
    );
}
