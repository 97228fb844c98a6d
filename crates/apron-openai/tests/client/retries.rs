//! When a call is repeated, and when it is not.

use std::time::{Duration, Instant};

use crate::support::{
    Provider, Step, answer, end, error, finished, input, play_events, request, says, stream, text,
};

fn good() -> Vec<Step> {
    let mut script = stream(&finished("Hello"));
    script.push(end());
    script
}

/// The code that a call ends with, `""` for an answer, and how many requests it took.
async fn outcome(scripts: Vec<Vec<Step>>) -> (String, usize) {
    let mut provider = Provider::start(scripts).await;
    let outcome = provider.client().chat(request()).await;
    let code = outcome.map_or_else(|failure| failure.code().to_owned(), |_| String::new());
    (code, provider.count())
}

#[tokio::test]
async fn what_may_pass_is_tried_three_times() {
    for status in [408, 409, 429, 500, 502, 503, 504, 529] {
        let twice = vec![error(status, ""), error(status, ""), good()];
        assert_eq!(outcome(twice).await, (String::new(), 3), "{status}");
    }
    let codes = [
        (429, "rate_limit_exceeded"),
        (500, "provider_error"),
        (503, "provider_overloaded"),
    ];
    for (status, code) in codes {
        assert_eq!(outcome(vec![error(status, "")]).await, (code.to_owned(), 3));
    }
}

#[tokio::test]
async fn what_will_not_pass_is_tried_once() {
    for status in [400, 401, 403, 404, 413, 422] {
        assert_eq!(
            outcome(vec![error(status, ""), good()]).await.1,
            1,
            "{status}"
        );
    }
    let quota = r#"{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}"#;
    let once = ("insufficient_quota".to_owned(), 1);
    assert_eq!(outcome(vec![error(429, quota), good()]).await, once);
    let overruled = vec![answer(500, "x-should-retry: false\r\n", ""), good()];
    assert_eq!(outcome(overruled).await.1, 1);
}

#[tokio::test]
async fn a_connection_that_breaks_before_the_answer_is_tried_again() {
    assert_eq!(outcome(vec![vec![], good()]).await, (String::new(), 2));
    assert_eq!(
        outcome(vec![vec![]]).await,
        ("connect_failed".to_owned(), 3)
    );
    let half = vec![Step::Send(b"HTTP/1.1 200 OK\r\ncontent-".to_vec())];
    assert_eq!(outcome(vec![half, good()]).await, (String::new(), 2));
}

#[tokio::test]
async fn nobody_listening_is_a_failure_to_connect() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let config = async_openai::config::OpenAIConfig::new()
        .with_api_base(base)
        .with_api_key("k");
    let client = apron_openai::Client::builder(config).retry_backoff(Duration::from_millis(1));
    let failure = client.build().chat(request()).await.unwrap_err();
    assert_eq!(failure.code(), "connect_failed");
}

#[tokio::test]
async fn an_answer_that_has_begun_is_never_asked_for_again() {
    let mut cut = stream(&says("Hel"));
    cut.push(Step::Send(b"ffff\r\ndata: ".to_vec()));
    let mut provider = Provider::start(vec![cut, good()]).await;
    let response = provider.client().chat(request()).await.unwrap();
    let (events, failure) = play_events(&input(), response).await;
    assert_eq!(text(&events), "Hel");
    let failure = failure.unwrap();
    assert_eq!(failure.code(), "stream_interrupted");
    assert!(failure.cause().is_some());
    assert_eq!(provider.count(), 1);
}

#[tokio::test]
async fn retries_can_be_forbidden() {
    let mut provider = Provider::start(vec![error(500, ""), good()]).await;
    let client = provider.builder().retries(0).build();
    assert!(client.chat(request()).await.is_err());
    assert_eq!(provider.count(), 1);
}

#[tokio::test]
async fn the_providers_wish_is_obeyed() {
    for wish in ["retry-after-ms: 120\r\n", "retry-after: 0.12\r\n"] {
        let mut provider = Provider::start(vec![answer(429, wish, ""), good()]).await;
        let start = Instant::now();
        let _ = provider.client().chat(request()).await.unwrap();
        assert!(start.elapsed() >= Duration::from_millis(120), "{wish}");
        assert_eq!(provider.count(), 2);
    }
}

#[tokio::test]
async fn a_wish_for_too_long_a_wait_fails_at_once_and_is_told() {
    for (wish, seconds) in [
        ("retry-after: 3600\r\n", 3600),
        ("retry-after: 21\r\n", 21),
        (
            "date: Sun, 06 Nov 1994 08:00:00 GMT\r\nretry-after: Sun, 06 Nov 1994 09:00:00 GMT\r\n",
            3600,
        ),
    ] {
        let mut provider = Provider::start(vec![answer(429, wish, ""), good()]).await;
        let start = Instant::now();
        let failure = provider.client().chat(request()).await.unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(5));
        assert_eq!(failure.code(), "rate_limit_exceeded");
        assert_eq!(failure.retry_after(), Some(Duration::from_secs(seconds)));
        assert_eq!(provider.count(), 1);
    }
}

#[tokio::test]
async fn dropping_a_call_that_waits_to_try_again_ends_it() {
    let script = answer(429, "retry-after: 10\r\n", "");
    let mut provider = Provider::start(vec![script, good()]).await;
    let call = tokio::spawn(provider.client().chat(request()));
    Provider::request(provider.saw().await);
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!(provider.count(), 0);
}
