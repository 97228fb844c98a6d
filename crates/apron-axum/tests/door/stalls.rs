//! Clients that stop reading.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use apron_axum::{Connection, Listener, RunRequest};
use apron_protocol::{Event, TextMessageContent};
use axum::Router;
use axum::routing::post;
use axum::serve::Listener as _;
use futures_util::Stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{advance, timeout};

use crate::client::{Client, INPUT, soon};

const LIMIT: Duration = Duration::from_secs(30);
const SECOND: Duration = Duration::from_secs(1);

/// Listens for a single connection, over a pipe that holds 16 bytes.
struct Pipe(Option<DuplexStream>);

impl axum::serve::Listener for Pipe {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.take() {
            Some(io) => (io, ()),
            None => pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<()> {
        Ok(())
    }
}

async fn pipe() -> (Connection<DuplexStream>, DuplexStream) {
    let (server, client) = duplex(16);
    let mut listener = Listener::new(Pipe(Some(server)));
    (listener.accept().await.0, client)
}

/// Polls once.
async fn now<F: Future + Unpin>(mut future: F) -> Poll<F::Output> {
    poll_fn(|cx| Poll::Ready(Pin::new(&mut future).poll(cx))).await
}

#[tokio::test(start_paused = true)]
async fn a_write_that_stalls_for_30_seconds_fails() {
    let (mut io, _client) = pipe().await;
    io.write_all(&[0; 16]).await.unwrap();
    let start = tokio::time::Instant::now();
    let err = io.write_all(b"more").await.unwrap_err();
    assert_eq!(err.kind(), io::ErrorKind::TimedOut);
    let stalled = start.elapsed();
    assert!(stalled >= LIMIT && stalled < LIMIT + SECOND, "{stalled:?}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_no_stalled_one() {
    let (mut io, mut client) = pipe().await;
    let reader = tokio::spawn(async move {
        let mut byte = [0];
        for _ in 0..20 {
            tokio::time::sleep(LIMIT - SECOND).await;
            client.read_exact(&mut byte).await.unwrap();
        }
        client
    });
    io.write_all(&[0; 16 + 20]).await.unwrap();
    reader.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_never_times_out() {
    let (mut io, mut client) = pipe().await;
    io.write_all(b"first").await.unwrap();
    advance(1_000 * LIMIT).await;
    io.write_all(b"second").await.unwrap();
    let mut read = [0; 11];
    client.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"firstsecond");
}

#[tokio::test(start_paused = true)]
async fn progress_starts_the_clock_anew_and_a_flush_is_no_progress() {
    let (mut io, mut client) = pipe().await;
    io.write_all(&[0; 16]).await.unwrap();
    assert!(now(Box::pin(io.write_all(b"x"))).await.is_pending());
    advance(LIMIT - SECOND).await;
    client.read_exact(&mut [0; 1]).await.unwrap();
    io.write_all(b"x").await.unwrap();

    assert!(now(Box::pin(io.write_all(b"y"))).await.is_pending());
    advance(LIMIT - SECOND).await;
    // Nothing to flush, in this pipe; that says nothing about the write.
    io.flush().await.unwrap();
    assert!(now(Box::pin(io.write_all(b"y"))).await.is_pending());
    advance(SECOND).await;
    let late = now(Box::pin(io.write_all(b"y"))).await;
    assert!(matches!(late, Poll::Ready(Err(err)) if err.kind() == io::ErrorKind::TimedOut));
}

/// Speaks as fast as it is asked. Dropping it tells the test how long it was not asked.
struct Endless {
    asked: Instant,
    dropped: UnboundedSender<Duration>,
}

impl Endless {
    fn new(dropped: UnboundedSender<Duration>) -> Self {
        let asked = Instant::now();
        Self { asked, dropped }
    }
}

impl Stream for Endless {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.asked = Instant::now();
        Poll::Ready(Some(TextMessageContent::new("m", "word ").into()))
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        let _ = self.dropped.send(self.asked.elapsed());
    }
}

fn endless(dropped: UnboundedSender<Duration>) -> Router {
    let run = async move |request: RunRequest| request.reply.stream(Endless::new(dropped));
    Router::new().route("/run", post(run))
}

#[tokio::test]
async fn a_client_that_never_reads_is_cut_off_at_the_limit() {
    let limit = Duration::from_millis(500);
    let (dropped, mut drops) = unbounded_channel();
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = tcp.local_addr().unwrap();
    let listener = Listener::new(tcp).with_stall_limit(limit);
    tokio::spawn(async move { axum::serve(listener, endless(dropped)).await });

    let client = Client::run(addr, INPUT).await;
    // hyper fills its buffer while the write already stalls, so the last question comes a little
    // after the clock has started.
    let stalled = soon(drops.recv()).await.unwrap();
    assert!(
        stalled > limit / 2 && stalled < limit + SECOND,
        "{stalled:?}"
    );
    drop(client);
}

/// The same client without the limit is what the limit is for.
#[tokio::test]
async fn without_the_listener_it_is_not_cut_off() {
    let (dropped, mut drops) = unbounded_channel();
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = tcp.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(tcp, endless(dropped)).await });
    let client = Client::run(addr, INPUT).await;
    let cut = timeout(Duration::from_millis(1_500), drops.recv()).await;
    assert!(cut.is_err(), "a limit nobody asked for");
    drop(client);
    soon(drops.recv()).await.unwrap();
}
