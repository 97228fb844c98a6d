//! A bare socket that speaks just enough HTTP.

use std::net::SocketAddr;

use apron::protocol::{Decoded, Event};
use apron::sse::{Decoder, Frame};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::PATIENCE;
use crate::body::Dechunk;

/// A client: one request, and the answer as it comes.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    dechunk: Dechunk,
    decoder: Decoder,
    head: String,
    raw: Vec<u8>,
}

impl Client {
    /// Posts `body` to `/run` and reads the head of the answer.
    ///
    /// # Errors
    ///
    /// When the server is not there or says nothing in time.
    pub async fn post(addr: SocketAddr, body: &str) -> std::io::Result<Self> {
        let mut stream = TcpStream::connect(addr).await?;
        let request = format!(
            "POST /run HTTP/1.1\r\nhost: {addr}\r\naccept: text/event-stream\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = timeout(PATIENCE, stream.read_u8())
                .await
                .map_err(|_| late("a head"))??;
            head.push(byte);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let dechunk = Dechunk::default();
        Ok(Self {
            stream,
            dechunk,
            decoder: Decoder::new(),
            head,
            raw: Vec::new(),
        })
    }

    /// The head of the answer: status line and headers.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Every byte of the body so far, without the chunks' framing.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The next event; `None` when the body ends as it should.
    ///
    /// # Errors
    ///
    /// When the connection breaks, when nothing comes in time, or when a frame is no event.
    pub async fn next(&mut self) -> std::io::Result<Option<Event>> {
        loop {
            if let Some(event) = self.buffered()? {
                return Ok(Some(event));
            }
            if self.dechunk.is_done() {
                return Ok(None);
            }
            let mut bytes = vec![0; 16 * 1024];
            let read = self.stream.read(&mut bytes);
            let count = timeout(PATIENCE, read)
                .await
                .map_err(|_| late("an event"))??;
            if count == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            bytes.truncate(count);
            let body = self.dechunk.feed(&bytes);
            self.raw.extend_from_slice(&body);
            self.decoder.feed(&body);
        }
    }

    /// Every event until the body ends.
    ///
    /// # Errors
    ///
    /// As [`Client::next`].
    pub async fn rest(&mut self) -> std::io::Result<Vec<Event>> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await? {
            events.push(event);
        }
        Ok(events)
    }

    fn buffered(&mut self) -> std::io::Result<Option<Event>> {
        while let Some(frame) = self.decoder.next_frame() {
            let frame = frame.map_err(std::io::Error::other)?;
            let Frame::Event(frame) = frame else { continue };
            return match Decoded::from_slice(frame.data.as_bytes()) {
                Decoded::Event(event) => Ok(Some(event)),
                other => Err(std::io::Error::other(format!("no event: {other:?}"))),
            };
        }
        Ok(None)
    }
}

fn late(what: &str) -> std::io::Error {
    std::io::Error::new(
        std::io::ErrorKind::TimedOut,
        format!("{what} did not come in time"),
    )
}
