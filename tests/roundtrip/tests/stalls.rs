//! A client that stops reading: what must go on all the same.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers included"
)]

use std::time::{Duration, Instant};

use apron::openai::{Client as OpenAi, chat};
use apron::{Chat, Failure, Outcome, Stopper};
use axum::Router;
use axum::routing::post;
use roundtrip::{Client, EndlessProvider, Manner, PATIENCE, input, serve, serve_with};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Says more than every buffer between the agent and a client holds, for ever.
async fn talk(run: &apron::Run) -> Result<(), apron::Error> {
    let mut text = run.text();
    let word = "word ".repeat(200);
    loop {
        text.push(word.as_str()).await?;
    }
}

async fn soon<T>(what: &str, receiver: &mut mpsc::UnboundedReceiver<T>) -> T {
    timeout(PATIENCE, receiver.recv())
        .await
        .unwrap_or_else(|_| panic!("{what}"))
        .expect(what)
}

/// Tells when it is dropped.
struct Guard(Option<oneshot::Sender<Instant>>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.take().expect("dropped once").send(Instant::now());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_timeout_inside_the_agent_fires_on_time() {
    let limit = Duration::from_millis(500);
    let (tell, mut told) = mpsc::unbounded_channel();
    let app = Router::new().route(
        "/run",
        post(async move |chat: Chat| {
            chat.serve(move |run| async move {
                let start = Instant::now();
                let talked = timeout(limit, talk(&run)).await;
                assert!(talked.is_err(), "the talk has no end of its own");
                tell.send(start.elapsed()).expect("the test listens");
                Ok(Outcome::success())
            })
        }),
    );
    let addr = serve(app).await.unwrap();
    let mut client = Client::post(addr, &input("go")).await.unwrap();
    // Nothing is read from here on.
    let took = soon("the timeout fires", &mut told).await;
    println!("a timeout of {limit:?} inside the agent fired after {took:?} of a stalled client");
    assert!(took < limit + Duration::from_millis(250), "{took:?}");
    // The run went on to its end, which the client reads when it comes back.
    let events = client.rest().await.unwrap();
    assert_eq!(events.last().unwrap().event_type().as_str(), "RUN_FINISHED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_explicit_stop_releases_the_provider() {
    let mut provider = EndlessProvider::start(Manner::Floods).await.unwrap();
    let openai = OpenAi::new(roundtrip::config(&provider.base_url()));
    let (tell, mut told) = mpsc::unbounded_channel::<Stopper>();
    let app = Router::new().route(
        "/run",
        post(async move |chat: Chat| {
            let request = chat::request(chat.input(), "m");
            chat.serve(move |run| async move {
                tell.send(run.stopper()).expect("the test listens");
                let response = openai.chat(request).await?;
                Ok(run.relay(chat::events(response)).await?)
            })
        }),
    );
    let addr = serve(app).await.unwrap();
    let mut client = Client::post(addr, &input("go")).await.unwrap();
    let stopper = soon("the run starts", &mut told).await;
    // Let the flood fill every buffer on the way, so that the run really stands still.
    while !client
        .next()
        .await
        .unwrap()
        .unwrap()
        .event_type()
        .as_str()
        .ends_with("CONTENT")
    {}
    let start = Instant::now();
    stopper.stop();
    let took = provider.left().await.unwrap() - start;
    println!("an explicit stop released the provider of a stalled client after {took:?}");
    assert!(took < Duration::from_millis(250), "{took:?}");
    let events = client.rest().await.unwrap();
    let last = serde_json::to_value(events.last().unwrap()).unwrap();
    assert_eq!(last["outcome"]["type"], "cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_providers_silence_is_noticed() {
    let mut provider = EndlessProvider::start(Manner::FloodsThenHangs)
        .await
        .unwrap();
    let idle = Duration::from_millis(400);
    let openai = OpenAi::builder(roundtrip::config(&provider.base_url()))
        .idle_timeout(idle)
        .build();
    let app = Router::new().route(
        "/run",
        post(async move |chat: Chat| {
            let request = chat::request(chat.input(), "m");
            chat.serve(move |run| async move {
                let response = openai.chat(request).await?;
                Ok(run.relay(chat::events(response)).await?)
            })
        }),
    );
    let addr = serve(app).await.unwrap();
    let start = Instant::now();
    let mut client = Client::post(addr, &input("go")).await.unwrap();
    let took = provider.left().await.unwrap() - start;
    println!(
        "an idle timeout of {idle:?} released the provider of a stalled client after {took:?}"
    );
    assert!(took < idle + Duration::from_secs(1), "{took:?}");
    let events = client.rest().await.unwrap();
    let last = serde_json::to_value(events.last().unwrap()).unwrap();
    assert_eq!(
        (&last["type"], &last["code"]),
        (&"RUN_ERROR".into(), &"timeout".into())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_runs_deadline_ends_it() {
    let deadline = Duration::from_millis(400);
    let (tell, told) = oneshot::channel();
    let tell = std::sync::Arc::new(std::sync::Mutex::new(Some(tell)));
    let app = Router::new().route(
        "/run",
        post(async move |chat: Chat| {
            let guard = Guard(tell.lock().expect("no panic").take());
            chat.with_deadline(Some(deadline))
                .serve(move |run| async move {
                    let _guard = guard;
                    talk(&run).await?;
                    Ok(Outcome::success())
                })
        }),
    );
    let addr = serve(app).await.unwrap();
    let start = Instant::now();
    let mut client = Client::post(addr, &input("go")).await.unwrap();
    let dropped = timeout(PATIENCE, told)
        .await
        .expect("the agent is dropped")
        .unwrap();
    let took = dropped - start;
    println!("a deadline of {deadline:?} dropped the agent of a stalled client after {took:?}");
    assert!(took < deadline + Duration::from_millis(500), "{took:?}");
    let events = client.rest().await.unwrap();
    let last = serde_json::to_value(events.last().unwrap()).unwrap();
    assert_eq!(last["code"], Failure::DEADLINE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_stalls_too_long_ends_the_connection() {
    let limit = Duration::from_millis(500);
    let (tell, told) = oneshot::channel();
    let tell = std::sync::Arc::new(std::sync::Mutex::new(Some(tell)));
    let app = Router::new().route(
        "/run",
        post(async move |chat: Chat| {
            let guard = Guard(tell.lock().expect("no panic").take());
            chat.serve(move |run| async move {
                let _guard = guard;
                talk(&run).await?;
                Ok(Outcome::success())
            })
        }),
    );
    let addr = serve_with(app, Some(limit)).await.unwrap();
    let start = Instant::now();
    let mut client = Client::post(addr, &input("go")).await.unwrap();
    let dropped = timeout(PATIENCE, told)
        .await
        .expect("the agent is dropped")
        .unwrap();
    let took = dropped - start;
    println!("a write-stall limit of {limit:?} ended the connection after {took:?}");
    assert!(took > limit, "{took:?}");
    assert!(took < limit + Duration::from_secs(1), "{took:?}");
    // What was on its way is still read; then the connection breaks instead of ending.
    assert!(client.rest().await.is_err());
}
