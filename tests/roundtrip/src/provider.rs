//! A provider that never comes to an end, in several manners.

use std::net::SocketAddr;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::PATIENCE;

/// What the provider does once it was asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "tests name every manner")]
pub enum Manner {
    /// One delta, then silence.
    Hangs,
    /// Deltas as fast as they are taken.
    Floods,
    /// A thousand deltas at once, then silence.
    FloodsThenHangs,
}

/// An OpenAI-compatible provider on a loopback port that notices when it is left.
#[derive(Debug)]
pub struct EndlessProvider {
    addr: SocketAddr,
    asked: watch::Receiver<bool>,
    left: watch::Receiver<Option<Instant>>,
}

impl EndlessProvider {
    /// Starts it; it answers one request.
    ///
    /// # Errors
    ///
    /// When no port is to be had.
    pub async fn start(manner: Manner) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let addr = listener.local_addr()?;
        let (hear, asked) = watch::channel(false);
        let (tell, left) = watch::channel(None);
        tokio::spawn(async move {
            if let Ok((stream, _)) = listener.accept().await {
                answer(stream, manner, &hear).await;
                tell.send_replace(Some(Instant::now()));
            }
        });
        Ok(Self { addr, asked, left })
    }

    /// Its base URL, for a client.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.addr)
    }

    /// Waits until it was asked: a run that is left before that never asks.
    ///
    /// # Errors
    ///
    /// When it is not in time.
    pub async fn asked(&mut self) -> std::io::Result<()> {
        let late =
            || std::io::Error::new(std::io::ErrorKind::TimedOut, "the provider was not asked");
        let asked = timeout(PATIENCE, self.asked.wait_for(|asked| *asked)).await;
        asked.map_err(|_| late())?.map_err(|_| late())?;
        Ok(())
    }

    /// When the client of its answer went away.
    ///
    /// # Errors
    ///
    /// When it does not in time.
    pub async fn left(&mut self) -> std::io::Result<Instant> {
        let late =
            || std::io::Error::new(std::io::ErrorKind::TimedOut, "the provider was not left");
        let gone = self.left.wait_for(Option::is_some);
        let gone = timeout(PATIENCE, gone).await.map_err(|_| late())?;
        gone.ok().and_then(|at| *at).ok_or_else(late)
    }
}

/// Reads the request, answers in its manner, and returns when the connection is gone.
async fn answer(mut stream: TcpStream, manner: Manner, hear: &watch::Sender<bool>) {
    let mut request: Vec<u8> = Vec::new();
    let mut bytes = [0; 4096];
    // The body's end is not looked for: a request of these tests comes in one piece.
    while !request.windows(4).any(|four| four == b"\r\n\r\n") {
        match stream.read(&mut bytes).await {
            Ok(count) if count > 0 => request.extend(bytes.iter().take(count)),
            _ => return,
        }
    }
    hear.send_replace(true);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let delta = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
                 \"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"finish_reason\":null}]}\n\n";
    if stream.write_all(head.as_bytes()).await.is_err() {
        return;
    }
    let (mut reader, mut writer) = stream.split();
    let speak = async {
        let count = match manner {
            Manner::Hangs => 1,
            Manner::FloodsThenHangs => 1000,
            Manner::Floods => usize::MAX,
        };
        for _ in 0..count {
            if writer.write_all(delta.as_bytes()).await.is_err() {
                return;
            }
        }
        std::future::pending::<()>().await;
    };
    let listen = async {
        let mut rest = [0; 4096];
        while !matches!(reader.read(&mut rest).await, Ok(0) | Err(_)) {}
    };
    tokio::select! {
        () = speak => {}
        () = listen => {}
    }
}
