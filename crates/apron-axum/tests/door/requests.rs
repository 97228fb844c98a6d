//! What is served, and what is turned away.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use apron_axum::{Config, RunRejection, RunRequest};
use apron_protocol::{Event, RunFinished, RunOutcome, RunStarted};
use axum::response::{IntoResponse, Response as AxumResponse};
use axum::routing::post;
use axum::{Extension, Router};
use futures_util::stream;
use serde_json::Value;
use tokio::io::AsyncWriteExt;

use crate::client::{Client, INPUT, Response, head, serve, soon};

async fn run(RunRequest { input, reply }: RunRequest) -> AxumResponse {
    let (thread, run) = (input.thread_id, input.run_id);
    let finished = RunFinished::new(thread.clone(), run.clone());
    reply
        .stream(stream::iter([
            Event::from(RunStarted::new(thread, run)),
            Event::from(finished.with_outcome(RunOutcome::success())),
        ]))
        .into_response()
}

async fn door() -> SocketAddr {
    serve(Router::new().route("/run", post(run))).await
}

#[track_caller]
fn refused(response: &Response, status: u16, code: &str) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let json: Value = serde_json::from_str(&response.body).unwrap();
    assert_eq!(json["code"], code);
    assert!(json["message"].is_string());
}

async fn answer(headers: &str, body: &str) -> Response {
    Client::post(door().await, headers, body)
        .await
        .response()
        .await
}

async fn answer_json(body: &str) -> Response {
    answer("content-type: application/json\r\n", body).await
}

#[tokio::test]
async fn json_alone_is_accepted() {
    refused(&answer("", INPUT).await, 415, "unsupported_media_type");
    let plain = "content-type: text/plain\r\n";
    refused(&answer(plain, INPUT).await, 415, "unsupported_media_type");
    let garbled = "content-type: application/json\u{e9}\r\n";
    refused(&answer(garbled, INPUT).await, 415, "unsupported_media_type");
    let suffixed = "content-type: application/vnd.x+json; charset=utf-8\r\n";
    assert_eq!(answer(suffixed, INPUT).await.status, 200);
}

#[tokio::test]
async fn a_client_that_wants_something_else_is_told() {
    let json = "content-type: application/json\r\n";
    let protobuf = format!("{json}accept: application/vnd.ag-ui.event+proto\r\n");
    refused(&answer(&protobuf, INPUT).await, 406, "not_acceptable");
    let stream = format!("{json}accept: text/event-stream\r\n");
    assert_eq!(answer(&stream, INPUT).await.status, 200);
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_refused_before_the_body_comes() {
    let mut client = Client::connect(door().await).await;
    let length = 10 * 1024 * 1024;
    let headers = format!("content-type: application/json\r\ncontent-length: {length}\r\n");
    client.send(&head(&headers)).await;
    refused(&client.response().await, 413, "body_too_large");
}

#[tokio::test]
async fn a_chunked_body_over_the_limit_is_refused_while_it_is_read() {
    let client = Client::connect(door().await).await;
    let (read, mut write) = client.stream.into_split();
    let sent = tokio::spawn(async move {
        let headers = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
        write.write_all(head(headers).as_bytes()).await?;
        let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
        let mut sent = 0;
        // The server stops reading long before 10 MiB, so this write fails or waits at some
        // point. The end of the body is never sent.
        while sent < 160 {
            write.write_all(chunk.as_bytes()).await?;
            sent += 1;
        }
        std::future::pending::<io::Result<()>>().await
    });
    let mut answer = Vec::new();
    while !answer.ends_with(b"}") {
        soon(read.readable()).await.unwrap();
        match read.try_read_buf(&mut answer) {
            Ok(read) => assert_ne!(read, 0, "closed without an answer"),
            Err(err) => assert_eq!(err.kind(), io::ErrorKind::WouldBlock),
        }
    }
    sent.abort();
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains(r#""code":"body_too_large""#), "{answer}");
}

#[tokio::test]
async fn a_length_that_lies_gets_no_run() {
    // Too short: the rest of the input is not part of the body.
    let mut client = Client::connect(door().await).await;
    let headers = "content-type: application/json\r\ncontent-length: 20\r\nconnection: close\r\n";
    client.send(&head(headers)).await;
    client.send(INPUT).await;
    refused(&client.response().await, 400, "invalid_input");

    // Too long, and then silence for ever after.
    let mut client = Client::connect(door().await).await;
    let headers = "content-type: application/json\r\ncontent-length: 2000\r\n";
    client.send(&head(headers)).await;
    client.send(INPUT).await;
    client.stream.shutdown().await.unwrap();
    refused(&client.response().await, 400, "body_unreadable");
}

#[tokio::test]
async fn bad_json_is_refused_without_an_echo() {
    let canary = "canary-51c2";
    let deep = format!("{}1{}", "[".repeat(2_000), "]".repeat(2_000));
    for body in [
        format!("{{\"threadId\":\"{canary}"),
        format!(r#"{{"threadId":"t","runId":"r","messages":"{canary}"}}"#),
        format!(r#"{{"threadId":"t","runId":"r","messages":[],"state":{deep},"x":"{canary}"}}"#),
    ] {
        let answer = answer_json(&body).await;
        refused(&answer, 400, "invalid_input");
        assert!(!format!("{answer:?}").contains(canary));
    }
    let newer = INPUT.replace("1.0", "2.0");
    refused(
        &answer_json(&newer).await,
        400,
        "unsupported_protocol_version",
    );
}

#[tokio::test]
async fn nulls_and_unknown_roles_are_accepted() {
    let body = r#"{"threadId":"t","runId":"r","protocolVersion":"1.0","parentRunId":null,
        "state":null,"tools":null,"context":null,"forwardedProps":null,"resume":null,
        "surprise":[1],"messages":[
            {"id":"1","role":"user","content":"Hi","name":null},
            {"id":"2","role":"assistant","content":null,"toolCalls":null},
            {"id":"3","role":"narrator","content":"Meanwhile"},
            {"id":"4","role":"activity","activityType":"plan","content":{"steps":[]}}]}"#;
    let answer = answer_json(body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains(r#""outcome":{"type":"success"}"#));
}

#[tokio::test]
async fn a_client_of_the_0_x_line_gets_an_end_it_can_read() {
    let body = r#"{"threadId":"t","runId":"r","state":{},"messages":[
        {"id":"1","role":"user","content":"Hi"}],"tools":[],"context":[],"forwardedProps":{}}"#;
    let answer = answer_json(body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let end = r#"data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#;
    assert!(answer.body.contains(&format!("{end}\n\n")), "{answer:?}");
}

#[tokio::test]
async fn a_layer_sets_the_limits() {
    let config = Config::default().with_body_bytes(INPUT.len() - 1);
    let app = Router::new().route("/run", post(run));
    let addr = serve(app.layer(Extension(config))).await;
    let answer = Client::run(addr, INPUT).await.response().await;
    refused(&answer, 413, "body_too_large");
}

/// A handler may take the rejection in hand.
#[tokio::test]
async fn a_handler_sees_the_reason() {
    async fn picky(request: Result<RunRequest, RunRejection>) -> String {
        request.map_or_else(
            |refused| refused.reason().code().to_owned(),
            |_| String::new(),
        )
    }
    let addr = serve(Router::new().route("/run", post(picky))).await;
    let answer = Client::run(addr, "{}").await.response().await;
    assert_eq!(answer.body, "invalid_input");
}

/// Collects what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_has_the_reason_and_the_notes_but_no_body() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let canary = "canary-99e0";
    let bad = format!(r#"{{"threadId":"t","runId":"r","messages":"{canary}"}}"#);
    assert_eq!(answer_json(&bad).await.status, 400);
    let odd = format!(
        r#"{{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[
            {{"id":"1","role":"narrator","content":"{canary}"}}]}}"#
    );
    assert_eq!(answer_json(&odd).await.status, 200);

    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for expected in ["DEBUG", "invalid_input", "WARN", "narrator"] {
        assert!(logged.contains(expected), "{expected} is not in {logged}");
    }
    assert!(!logged.contains(canary), "{logged}");
}
