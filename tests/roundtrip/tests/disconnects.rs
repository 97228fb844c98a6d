//! A client that leaves: the provider must hear of it.

use std::time::{Duration, Instant};

use apron::Chat;
use apron::openai::{Client as OpenAi, chat};
use apron_cli::provider::Provider;
use axum::Router;
use axum::routing::post;
use roundtrip::{Client, EndlessProvider, Manner, input, serve};

/// Reliability goal R1: a close reaches the provider within 250 ms, and mostly within 50.
const BOUND: Duration = Duration::from_millis(250);

fn app(base_url: String) -> Router {
    let openai = OpenAi::new(roundtrip::config(&base_url));
    Router::new().route(
        "/run",
        post(async move |chat: Chat| {
            let request = chat::request(chat.input(), "m");
            chat.serve(move |run| async move {
                let response = openai.chat(request).await?;
                Ok(run.relay(chat::events(response)).await?)
            })
        }),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaving_after_any_event_cancels_a_silent_provider() {
    let mut slowest = Duration::ZERO;
    // RUN_STARTED, TEXT_MESSAGE_START, and the only delta there is.
    for heard in 1..=3 {
        let mut provider = EndlessProvider::start(Manner::Hangs).await.unwrap();
        let addr = serve(app(provider.base_url())).await.unwrap();
        let mut client = Client::post(addr, &input("go")).await.unwrap();
        for _ in 0..heard {
            client.next().await.unwrap().unwrap();
        }
        provider.asked().await.unwrap();
        let start = Instant::now();
        drop(client);
        let took = provider.left().await.unwrap() - start;
        slowest = slowest.max(took);
        assert!(took < BOUND, "{took:?} after event {heard}");
    }
    println!("a close reached a silent provider after {slowest:?} at most");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaving_cancels_a_provider_that_floods() {
    let mut slowest = Duration::ZERO;
    for heard in [1, 2, 3, 50, 500] {
        let mut provider = EndlessProvider::start(Manner::Floods).await.unwrap();
        let addr = serve(app(provider.base_url())).await.unwrap();
        let mut client = Client::post(addr, &input("go")).await.unwrap();
        for _ in 0..heard {
            client.next().await.unwrap().unwrap();
        }
        provider.asked().await.unwrap();
        let start = Instant::now();
        drop(client);
        let took = provider.left().await.unwrap() - start;
        slowest = slowest.max(took);
        assert!(took < BOUND, "{took:?} after event {heard}");
    }
    println!("a close reached a flooding provider after {slowest:?} at most");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaving_the_embedded_provider_is_counted() {
    let provider = Provider::builder().pace(0.0).start().await.unwrap();
    let addr = serve(app(provider.base_url().to_owned())).await.unwrap();
    let hang = apron_cli::scenarios::named("hang").expect("it is a scenario");
    let mut client = Client::post(addr, &input(hang.prompt)).await.unwrap();
    client.next().await.unwrap().unwrap();
    let stats = provider.stats();
    stats
        .wait_for(|counts| counts.open() == 1, BOUND * 20)
        .await
        .unwrap();
    drop(client);
    stats
        .wait_for(|counts| counts.dropped == 1 && counts.open() == 0, BOUND)
        .await
        .unwrap();
}
