//! Limits on time and memory, and what is left behind.

use std::time::{Duration, Instant};

use apron_openai::{Client, OpenAIConfig};
use futures_util::StreamExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{
    Provider, Seen, Step, chunk, end, finished, input, play_events, request, says, stream, text,
};

const LIMIT: Duration = Duration::from_millis(100);
/// What a limit may be late by on a busy machine.
const LATE: Duration = Duration::from_secs(1);

fn held(start: &str) -> Vec<Step> {
    let mut script = stream(start);
    script.push(Step::Hold);
    script
}

#[tokio::test]
async fn a_provider_that_never_answers_is_given_up() {
    let mut provider = Provider::start(vec![vec![Step::Hold]]).await;
    let client = provider.builder().response_timeout(LIMIT).build();
    let start = Instant::now();
    let failure = client.chat(request()).await.unwrap_err();
    assert_eq!(failure.code(), "timeout");
    assert!((LIMIT..LIMIT + LATE).contains(&start.elapsed()));
    provider.saw_close().await;
    assert_eq!(
        provider.count(),
        0,
        "what may be paid for twice is not asked for twice"
    );
}

#[tokio::test]
async fn the_limit_for_the_first_event_covers_the_head_of_the_answer_too() {
    let mut provider = Provider::start(vec![vec![Step::Hold]]).await;
    let client = provider.builder().first_event_timeout(LIMIT).build();
    let failure = client.chat(request()).await.unwrap_err();
    assert_eq!(failure.code(), "timeout");
    provider.saw_close().await;
}

/// A port that has no room for another connection, as a machine that is down looks from outside.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_provider_that_does_not_connect_is_given_up() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(connected) = timeout(LIMIT, TcpStream::connect(address)).await {
        waiting.push(connected.unwrap());
        assert!(waiting.len() < 100, "the port takes everything");
    }
    let config = OpenAIConfig::new().with_api_base(format!("http://{address}"));
    let client = Client::builder(config)
        .connect_timeout(LIMIT)
        .retries(0)
        .build();
    let start = Instant::now();
    let failure = client.chat(request()).await.unwrap_err();
    assert_eq!(failure.code(), "timeout");
    assert!((LIMIT..LIMIT + LATE).contains(&start.elapsed()));
}

/// Plays a script against limits; gives the text that came through, and how the answer ended.
async fn limited(script: Vec<Step>, first_event: Duration, idle: Duration) -> (String, String) {
    let mut provider = Provider::start(vec![script]).await;
    let builder = provider.builder().first_event_timeout(first_event);
    let client = builder.idle_timeout(idle).build();
    let response = client.chat(request()).await.unwrap();
    let start = Instant::now();
    let (events, failure) = play_events(&input(), response).await;
    let Some(failure) = failure else {
        return (text(&events), "success".to_owned());
    };
    assert!(start.elapsed() < LIMIT + LATE);
    provider.saw_close().await;
    (text(&events), failure.code().to_owned())
}

#[tokio::test]
async fn an_answer_without_a_first_event_is_given_up() {
    let outcome = limited(held(": thinking\n\n"), LIMIT, Duration::MAX).await;
    assert_eq!(outcome, (String::new(), "timeout".to_owned()));
}

#[tokio::test]
async fn an_answer_that_falls_silent_is_given_up() {
    let outcome = limited(held(&says("Hel")), Duration::MAX, LIMIT).await;
    assert_eq!(outcome, ("Hel".to_owned(), "timeout".to_owned()));
}

#[tokio::test]
async fn comments_and_keepalives_are_silence() {
    for nothing in [
        ": thinking\n\n",
        "event: keepalive\ndata: {}\n\n",
        "event: ping\ndata:\n\n",
    ] {
        let Step::Send(bytes) = chunk(nothing) else {
            unreachable!()
        };
        let apart = Duration::from_millis(5);
        let mut script = stream(&says("Hel"));
        script.push(Step::Repeat(bytes.clone(), apart));
        let outcome = limited(script, Duration::MAX, LIMIT).await;
        assert_eq!(
            outcome,
            ("Hel".to_owned(), "timeout".to_owned()),
            "{nothing}"
        );
        let mut script = stream(nothing);
        script.push(Step::Repeat(bytes, apart));
        let outcome = limited(script, LIMIT, Duration::MAX).await;
        assert_eq!(outcome, (String::new(), "timeout".to_owned()), "{nothing}");
    }
}

#[tokio::test]
async fn an_answer_in_time_is_left_alone() {
    let mut script = stream(&says("Hel"));
    script.extend([chunk(&finished("lo")), end()]);
    let outcome = limited(script, LATE, LATE).await;
    assert_eq!(outcome, ("Hello".to_owned(), "success".to_owned()));
}

#[tokio::test]
async fn dropping_a_call_before_its_answer_closes_the_connection() {
    let mut provider = Provider::start(vec![vec![Step::Hold]]).await;
    let call = tokio::spawn(provider.client().chat(request()));
    Provider::request(provider.saw().await);
    call.abort();
    provider.saw_close().await;
}

#[tokio::test]
async fn dropping_an_answer_closes_the_connection() {
    let mut provider = Provider::start(vec![held(&says("Hel"))]).await;
    let response = provider.client().chat(request()).await.unwrap();
    Provider::request(provider.saw().await);
    drop(response);
    provider.saw_close().await;
}

#[tokio::test]
async fn dropping_an_answer_that_is_being_read_closes_the_connection() {
    let mut provider = Provider::start(vec![held(&says("Hel"))]).await;
    let response = provider.client().chat(request()).await.unwrap();
    Provider::request(provider.saw().await);
    let mut bytes = response.into_bytes();
    assert_eq!(bytes.next().await.unwrap().unwrap(), says("Hel").as_bytes());
    let reader = tokio::spawn(async move { bytes.next().await.is_some() });
    tokio::task::yield_now().await;
    reader.abort();
    provider.saw_close().await;
}

#[tokio::test]
async fn the_bytes_end_after_their_failure() {
    let mut script = stream(&says("Hel"));
    script.push(Step::Send(b"ffff\r\ndata".to_vec()));
    let provider = Provider::start(vec![script]).await;
    let mut bytes = provider
        .client()
        .chat(request())
        .await
        .unwrap()
        .into_bytes();
    let mut failures = 0;
    while let Some(next) = bytes.next().await {
        failures += usize::from(next.is_err_and(|it| it.code() == "stream_interrupted"));
    }
    assert_eq!(failures, 1);
    assert!(bytes.next().await.is_none());
}

#[tokio::test]
async fn a_reader_that_does_not_read_stops_the_provider_and_not_the_memory() {
    let mut script = stream(&says("Hel"));
    // One endless chunk.
    script.extend([
        Step::Send(b"fffffff0\r\n".to_vec()),
        Step::Flood,
        Step::Hold,
    ]);
    let mut provider = Provider::start(vec![script]).await;
    let response = provider.client().chat(request()).await.unwrap();
    Provider::request(provider.saw().await);
    let total = loop {
        // Flooding the buffers takes longer than anything else here.
        tokio::task::yield_now().await;
        match provider.try_saw() {
            Some(Seen::Full(total)) => break total,
            Some(other) => panic!("{other:?}"),
            None => {}
        }
    };
    // All of it is in the kernel's buffers, but for one buffer of the HTTP library.
    assert!(total < 32 * 1024 * 1024, "{total}");
    drop(response);
    provider.saw_close().await;
}
