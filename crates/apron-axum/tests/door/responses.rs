//! What a stream of events looks like on the wire, and when it goes.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use apron_axum::{Config, Heartbeat, Listener, RunRequest, Sse};
use apron_protocol::{Event, RunFinished, RunStarted, TextMessageContent};
use axum::extract::ConnectInfo;
use axum::routing::post;
use axum::serve::ListenerExt;
use axum::{Extension, Router};
use futures_util::{Stream, stream};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tower_http::compression::CompressionLayer;

use crate::client::{Client, INPUT, head, serve, soon};

/// Events that the test sends. Dropping them tells the test.
struct Script {
    events: UnboundedReceiver<Event>,
    _dropped: oneshot::Sender<()>,
}

impl Stream for Script {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.events.poll_recv(cx)
    }
}

/// A route that answers its one request with the script.
fn scripted() -> (UnboundedSender<Event>, oneshot::Receiver<()>, Router) {
    let (sender, events) = unbounded_channel();
    let (dropping, dropped) = oneshot::channel();
    let script = Script {
        events,
        _dropped: dropping,
    };
    let script = Arc::new(Mutex::new(Some(script)));
    let run = post(move |request: RunRequest| async move {
        let script = script.lock().unwrap().take().unwrap();
        request.reply.stream(script)
    });
    (sender, dropped, Router::new().route("/run", run))
}

fn started() -> Event {
    RunStarted::new("t", "r").into()
}

fn text(delta: &str) -> Event {
    TextMessageContent::new("m", delta).into()
}

fn finished() -> Event {
    RunFinished::new("t", "r").into()
}

fn frame(event: &Event) -> String {
    format!("data: {}\n\n", event.to_json())
}

#[tokio::test]
async fn the_head_and_the_bytes_are_these() {
    let (sender, _dropped, app) = scripted();
    let events = [started(), text("Hi"), finished()];
    events
        .iter()
        .for_each(|event| sender.send(event.clone()).unwrap());
    drop(sender);

    let answer = Client::run(serve(app).await, INPUT).await.response().await;
    assert_eq!(answer.status, 200);
    let mut headers = answer.headers;
    headers.retain(|(name, _)| name != "date");
    let expected = [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache, no-store, no-transform"),
        ("x-accel-buffering", "no"),
        ("x-content-type-options", "nosniff"),
        ("vary", "accept"),
        ("transfer-encoding", "chunked"),
    ];
    assert_eq!(
        headers,
        expected.map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    assert_eq!(answer.body, events.iter().map(frame).collect::<String>());
}

#[tokio::test]
async fn each_event_arrives_when_it_is_sent() {
    let (sender, _dropped, app) = scripted();
    let mut client = Client::run(serve(app).await, INPUT).await;
    for event in [started(), text("a"), text("b"), finished()] {
        sender.send(event.clone()).unwrap();
        client.until(&frame(&event)).await;
    }
}

/// However the client leaves: the events must go within 250 ms, also while they are silent.
async fn leave_and_expect_drop(leave: impl FnOnce(Client)) {
    let (sender, dropped, app) = scripted();
    sender.send(started()).unwrap();
    let mut client = Client::run(serve(app).await, INPUT).await;
    client.until(&frame(&started())).await;

    let left = Instant::now();
    leave(client);
    // The sender went with the script.
    let _ = soon(dropped).await;
    assert!(
        left.elapsed() < Duration::from_millis(250),
        "{:?}",
        left.elapsed()
    );
    assert!(sender.is_closed());
}

#[tokio::test]
async fn a_client_that_closes_drops_the_events() {
    leave_and_expect_drop(drop).await;
}

#[tokio::test]
async fn a_client_that_resets_drops_the_events() {
    leave_and_expect_drop(|client| {
        client.stream.set_zero_linger().unwrap();
        drop(client);
    })
    .await;
}

#[tokio::test]
async fn a_silent_stream_has_heartbeats_on_the_wire() {
    let (sender, _dropped, app) = scripted();
    let beat = Heartbeat::every(Duration::from_millis(100)).unwrap();
    let app = app.layer(Extension(Config::default().with_heartbeat(beat)));
    let mut client = Client::run(serve(app).await, INPUT).await;
    client.head().await;
    // Also before the first event.
    let mut body = String::new();
    client.chunk(&mut body).await;
    client.chunk(&mut body).await;
    assert_eq!(body, ": heartbeat\n\n: heartbeat\n\n");
    sender.send(started()).unwrap();
    client.until(&frame(&started())).await;
}

#[tokio::test]
async fn compression_holds_no_frame_back() {
    let (sender, _dropped, app) = scripted();
    sender.send(started()).unwrap();
    let addr = serve(app.layer(CompressionLayer::new())).await;
    let headers = format!(
        "content-type: application/json\r\naccept-encoding: gzip\r\ncontent-length: {}\r\n",
        INPUT.len(),
    );
    let mut client = Client::connect(addr).await;
    client.send(&head(&headers)).await;
    client.send(INPUT).await;
    let answer = client.head().await;
    assert_eq!(answer.header("content-encoding"), None);
    // The second is sent only after the first arrived.
    client.until(&frame(&started())).await;
    sender.send(text("a")).unwrap();
    client.until(&frame(&text("a"))).await;
}

#[tokio::test]
async fn a_tapped_listener_tells_handlers_who_is_there() {
    async fn run(
        ConnectInfo(peer): ConnectInfo<SocketAddr>,
        RunRequest { reply, .. }: RunRequest,
    ) -> Sse<impl Stream<Item = Event>> {
        reply.stream(stream::iter([text(&peer.to_string())]))
    }
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = tcp.local_addr().unwrap();
    let app = Router::new().route("/run", post(run));
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let listener = Listener::new(tcp).tap_io(|_| {});
    tokio::spawn(async move { axum::serve(listener, service).await });

    let mut client = Client::run(addr, INPUT).await;
    let me = client.stream.local_addr().unwrap();
    assert_eq!(client.response().await.body, frame(&text(&me.to_string())));
}
