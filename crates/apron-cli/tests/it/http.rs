//! A raw HTTP/1.1 client: small enough to see exactly what came over the socket, and where it
//! ended.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// For anything that should happen at once; reached only when a test fails.
pub(crate) const DEADLINE: Duration = Duration::from_secs(10);

/// A response, read to the end of its connection.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Whether the body came to its announced end.
    pub(crate) complete: bool,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|err| panic!("{err}: {}", self.body))
    }
}

/// Sends a request and reads until the server closes.
pub(crate) async fn request(authority: &str, method: &str, path: &str, body: &str) -> Response {
    let mut socket = send(authority, method, path, body).await;
    let mut bytes = Vec::new();
    // A reset is an end too: what came before it is what the client has.
    let _ = timeout(DEADLINE, socket.read_to_end(&mut bytes))
        .await
        .expect("an end in time");
    parse(&bytes)
}

/// Sends a request and reads until the answer contains `text`; the connection stays open.
pub(crate) async fn until(authority: &str, path: &str, body: &str, text: &str) -> TcpStream {
    let mut socket = send(authority, "POST", path, body).await;
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains(text) {
        let count = timeout(DEADLINE, socket.read(&mut part))
            .await
            .expect("an answer in time");
        let count = count.expect("a readable socket");
        assert_ne!(
            count,
            0,
            "closed before {text}: {}",
            String::from_utf8_lossy(&seen)
        );
        seen.extend_from_slice(&part[..count]);
    }
    socket
}

/// The host and port of an `http` URL.
pub(crate) fn authority(url: &str) -> &str {
    let rest = url.strip_prefix("http://").expect("an http URL");
    rest.split('/').next().unwrap_or(rest)
}

async fn send(authority: &str, method: &str, path: &str, body: &str) -> TcpStream {
    let mut socket = TcpStream::connect(authority)
        .await
        .expect("a listening server");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket
        .write_all((head + body).as_bytes())
        .await
        .expect("a writable socket");
    socket
}

fn parse(bytes: &[u8]) -> Response {
    let text = String::from_utf8_lossy(bytes);
    let (head, _) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no head: {text}"));
    let body = &bytes[head.len() + 4..];
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .expect("a status line");
    let headers: Vec<_> = lines
        .map(|line| line.split_once(": ").expect("a header"))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut response = Response {
        status: status.parse().expect("a status"),
        headers,
        body: String::new(),
        complete: false,
    };
    let (body, complete) = match response.header("content-length") {
        Some(length) => (body.to_vec(), length.parse() == Ok(body.len())),
        None => dechunk(body),
    };
    response.body = String::from_utf8(body).expect("a UTF-8 body");
    response.complete = complete;
    response
}

/// The content of a chunked body, and whether its last chunk is there.
fn dechunk(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut content = Vec::new();
    while let Some(at) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let size = std::str::from_utf8(&rest[..at]).expect("a chunk size");
        let size = usize::from_str_radix(size, 16).expect("a chunk size");
        if size == 0 {
            return (content, true);
        }
        let data = &rest[at + 2..];
        content.extend_from_slice(&data[..size.min(data.len())]);
        rest = data.get(size + 2..).unwrap_or_default();
    }
    (content, false)
}
