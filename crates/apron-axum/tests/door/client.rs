//! A server on a loopback port, and a client without manners.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

pub(crate) const INPUT: &str =
    r#"{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[]}"#;

/// Serves until the test's runtime ends.
pub(crate) async fn serve(app: Router) -> SocketAddr {
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = tcp.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(apron_axum::Listener::new(tcp), app).await });
    addr
}

/// Fails a test that hangs.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    timeout(Duration::from_secs(20), future)
        .await
        .expect("in time")
}

/// A connection, and what was read from it and not looked at yet.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    read: Vec<u8>,
}

/// A response, with its body as it was on the wire.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Client {
    pub(crate) async fn connect(addr: SocketAddr) -> Self {
        let stream = TcpStream::connect(addr).await.unwrap();
        let read = Vec::new();
        Self { stream, read }
    }

    /// Sends a POST with `body` and its true length.
    pub(crate) async fn post(addr: SocketAddr, headers: &str, body: &str) -> Self {
        let length = format!("{headers}content-length: {}\r\n", body.len());
        let mut client = Self::connect(addr).await;
        client.send(&head(&length)).await;
        client.send(body).await;
        client
    }

    /// Posts a run input.
    pub(crate) async fn run(addr: SocketAddr, body: &str) -> Self {
        Self::post(addr, "content-type: application/json\r\n", body).await
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads until `end` came, and gives everything up to and including it.
    pub(crate) async fn until(&mut self, end: &str) -> String {
        soon(async {
            loop {
                let end = end.as_bytes();
                let found = self
                    .read
                    .windows(end.len())
                    .position(|window| window == end);
                if let Some(at) = found {
                    let rest = self.read.split_off(at + end.len());
                    let text = std::mem::replace(&mut self.read, rest);
                    return String::from_utf8(text).unwrap();
                }
                let read = self.stream.read_buf(&mut self.read).await.unwrap();
                assert_ne!(
                    read,
                    0,
                    "closed early: {:?}",
                    String::from_utf8_lossy(&self.read)
                );
            }
        })
        .await
    }

    /// Reads the head of the response.
    pub(crate) async fn head(&mut self) -> Response {
        let head = self.until("\r\n\r\n").await;
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        Response {
            status: status.parse().unwrap(),
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect(),
            body: String::new(),
        }
    }

    /// Reads the whole response, by its length or its chunks.
    pub(crate) async fn response(&mut self) -> Response {
        let mut response = self.head().await;
        match response.header("content-length") {
            Some(length) => {
                let length: usize = length.parse().unwrap();
                while self.read.len() < length {
                    let read = soon(self.stream.read_buf(&mut self.read)).await.unwrap();
                    assert_ne!(read, 0, "closed early");
                }
                response.body = String::from_utf8(self.read.drain(..length).collect()).unwrap();
            }
            None => while self.chunk(&mut response.body).await {},
        }
        response
    }

    /// Reads one chunk of a chunked body; false for the last.
    pub(crate) async fn chunk(&mut self, body: &mut String) -> bool {
        let size = self.until("\r\n").await;
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
        let mut chunk = String::new();
        while chunk.len() < size + 2 {
            chunk.push_str(&self.until("\r\n").await);
        }
        assert_eq!(chunk.len(), size + 2);
        body.push_str(&chunk[..size]);
        size > 0
    }
}

impl Response {
    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(name, _)| name == wanted);
        header.map(|(_, value)| value.as_str())
    }
}

/// The head of a POST.
pub(crate) fn head(headers: &str) -> String {
    format!("POST /run HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n")
}
