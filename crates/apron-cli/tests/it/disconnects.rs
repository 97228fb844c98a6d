//! What the provider notices of its clients, and its clients of it.

use apron_cli::provider::{Counts, Provider};
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::http::{DEADLINE, authority, request, until};

#[tokio::test]
async fn a_client_that_hangs_up_is_counted_while_the_answer_is_silent() {
    let provider = start().await;
    let socket = ask(&provider, "hang").await;
    assert_eq!(seen(&provider), (1, 0, 0));
    drop(socket);
    let counts = provider
        .stats()
        .wait_for(|counts| counts.dropped == 1, DEADLINE)
        .await;
    assert_eq!(counts.map(|counts| counts.open()), Ok(0));
    assert_eq!(seen(&provider), (1, 0, 1));
}

#[tokio::test]
async fn answers_read_to_their_end_are_finished_not_dropped() {
    let provider = start().await;
    for words in ["text", "error", "cut", "refuse"] {
        let at = authority(provider.base_url());
        request(at, "POST", "/v1/chat/completions", &body(words)).await;
    }
    let counts = provider
        .stats()
        .wait_for(|counts| counts.finished == 4, DEADLINE)
        .await;
    assert!(counts.is_ok(), "{counts:?}");
    assert_eq!(seen(&provider), (4, 4, 0));
}

#[tokio::test]
async fn one_client_that_leaves_does_not_disturb_another() {
    let provider = start().await;
    let (first, mut second) = (ask(&provider, "hang").await, ask(&provider, "hang").await);
    drop(first);
    let counts = provider
        .stats()
        .wait_for(|counts| counts.dropped == 1, DEADLINE)
        .await;
    assert_eq!(counts.map(|counts| counts.open()), Ok(1));
    drop(provider);
    read_to_end(&mut second).await;
}

#[tokio::test]
async fn waiting_in_vain_reports_what_there_was() {
    let provider = start().await;
    let _socket = ask(&provider, "hang").await;
    let waited = provider
        .stats()
        .wait_for(|counts| counts.dropped == 1, Default::default())
        .await;
    assert_eq!(waited.map_err(|counts| counts.open()), Err(1));
}

#[tokio::test]
async fn a_dropped_provider_closes_its_port_and_breaks_off_its_answers() {
    let provider = start().await;
    let stats = provider.stats();
    let mut socket = ask(&provider, "hang").await;
    let at = authority(provider.base_url()).to_owned();
    drop(provider);
    let rest = read_to_end(&mut socket).await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "no proper end");
    let counts = stats.wait_for(|counts| counts.open() == 0, DEADLINE).await;
    assert_eq!(counts.map(|counts| counts.dropped), Ok(1));
    let refused = async { while TcpStream::connect(&at).await.is_ok() {} };
    timeout(DEADLINE, refused).await.expect("a closed port");
}

async fn start() -> Provider {
    Provider::builder().pace(0.0).start().await.unwrap()
}

fn body(words: &str) -> String {
    json!({"stream": true, "messages": [{"role": "user", "content": words}]}).to_string()
}

/// Asks for an answer that hangs and waits for its one delta.
async fn ask(provider: &Provider, words: &str) -> TcpStream {
    let at = authority(provider.base_url());
    until(
        at,
        "/v1/chat/completions",
        &body(words),
        r#""content":"Well""#,
    )
    .await
}

async fn read_to_end(socket: &mut TcpStream) -> Vec<u8> {
    let mut rest = Vec::new();
    let read = timeout(DEADLINE, socket.read_to_end(&mut rest)).await;
    let _ = read.expect("a closed connection");
    rest
}

fn seen(provider: &Provider) -> (u64, u64, u64) {
    let Counts {
        started,
        finished,
        dropped,
        ..
    } = provider.stats().counts();
    (started, finished, dropped)
}
