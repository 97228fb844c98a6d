//! A provider that follows a script, byte by byte, and tells what it saw.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use apron_emit::{CountingIds, Failure, Source, SourceStart};
use apron_openai::chat::{self, ChatRequest};
use apron_openai::{ChatResponse, Client, ClientBuilder};
use apron_protocol::{Event, Message, RunAgentInput};
use async_openai::config::OpenAIConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};

/// What the provider does on one connection, once it has read a request.
#[derive(Clone)]
pub(crate) enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends the bytes again and again, this far apart, until the client closes.
    Repeat(Vec<u8>, Duration),
    /// Sends as much as the client takes, until it takes nothing for a while.
    Flood,
    /// Waits until the client closes.
    Hold,
}

/// What the provider saw.
#[derive(Debug)]
pub(crate) enum Seen {
    /// A request: its head, and its body.
    Request(String, String),
    /// The client closed a connection that was being held.
    Closed,
    /// The client took no more; this many bytes in all.
    Full(usize),
}

pub(crate) struct Provider {
    pub(crate) base: String,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl Provider {
    /// A provider that plays one script a connection, the last one for ever.
    pub(crate) async fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let (tell, seen) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            for at in 0.. {
                let (socket, _) = listener.accept().await.unwrap();
                let script = scripts[usize::min(at, scripts.len() - 1)].clone();
                tokio::spawn(play(socket, script, tell.clone()));
            }
        });
        Self { base, seen }
    }

    /// A client of this provider that does not wait between attempts.
    pub(crate) fn client(&self) -> Client {
        self.builder().build()
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        let config = OpenAIConfig::new()
            .with_api_base(&self.base)
            .with_api_key("key");
        Client::builder(config).retry_backoff(Duration::from_millis(1))
    }

    /// The next thing that the provider saw, or is about to see.
    pub(crate) async fn saw(&mut self) -> Seen {
        let seen = timeout(PATIENCE, self.seen.recv()).await;
        seen.expect("the provider should have seen something")
            .unwrap()
    }

    #[track_caller]
    pub(crate) fn request(seen: Seen) -> (String, String) {
        match seen {
            Seen::Request(head, body) => (head, body),
            other => panic!("no request, but {other:?}"),
        }
    }

    /// Waits until the client has closed the connection that is being held, which must be soon.
    pub(crate) async fn saw_close(&mut self) {
        let close = async { while !matches!(self.saw().await, Seen::Closed) {} };
        let closed = timeout(SOON, close).await;
        closed.expect("the connection should have been closed");
    }

    /// The next thing that the provider saw, if it is there already.
    pub(crate) fn try_saw(&mut self) -> Option<Seen> {
        self.seen.try_recv().ok()
    }

    /// How many requests came so far. What was seen is forgotten.
    pub(crate) fn count(&mut self) -> usize {
        let seen = std::iter::from_fn(|| self.seen.try_recv().ok());
        seen.filter(|seen| matches!(seen, Seen::Request(..)))
            .count()
    }
}

/// The bound on a cancelled call, from dropping it to the provider seeing the end.
const SOON: Duration = Duration::from_millis(250);
/// How long a busy machine may take over anything else.
const PATIENCE: Duration = Duration::from_secs(10);

async fn play(mut socket: TcpStream, script: Vec<Step>, tell: mpsc::UnboundedSender<Seen>) {
    let Some((head, body)) = read_request(&mut socket).await else {
        let _ = tell.send(Seen::Closed);
        return;
    };
    let _ = tell.send(Seen::Request(head, body));
    for step in script {
        match step {
            Step::Send(bytes) => {
                if socket.write_all(&bytes).await.is_err() {
                    let _ = tell.send(Seen::Closed);
                    return;
                }
            }
            Step::Repeat(bytes, apart) => {
                let mut pace = interval(apart);
                let (mut read, mut write) = socket.split();
                tokio::select! {
                    () = closed(&mut read) => {}
                    () = async {
                        loop {
                            pace.tick().await;
                            if write.write_all(&bytes).await.is_err() {
                                break;
                            }
                        }
                    } => {}
                }
                let _ = tell.send(Seen::Closed);
                return;
            }
            Step::Flood => {
                let bytes = b": no news\n\n".repeat(1000);
                let mut total = 0;
                while let Ok(written) = timeout(SOON, socket.write(&bytes)).await {
                    total += written.unwrap();
                }
                let _ = tell.send(Seen::Full(total));
            }
            Step::Hold => {
                closed(&mut socket).await;
                let _ = tell.send(Seen::Closed);
                return;
            }
        }
    }
}

async fn closed(socket: &mut (impl AsyncReadExt + Unpin)) {
    let mut byte = [0];
    while matches!(socket.read(&mut byte).await, Ok(1)) {}
}

/// Reads a head and as much of a body as it announces. `None` when the client leaves before that.
async fn read_request(socket: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = header(head, "content-length").map_or(0, |it| it.parse().unwrap());
            if body.len() >= length {
                return Some((head.to_owned(), body.to_owned()));
            }
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// The value of a header in a request's head.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (other, value) = line.split_once(':')?;
        other.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// A whole answer, after which the connection is closed.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    vec![Step::Send((head + body).into_bytes())]
}

/// An error answer with a body of JSON.
pub(crate) fn error(status: u16, body: &str) -> Vec<Step> {
    answer(status, "content-type: application/json\r\n", body)
}

/// The head of a stream, and the first of it. The connection ends with the script.
pub(crate) fn stream(start: &str) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req_1\r\ntransfer-encoding: chunked\r\n\r\n";
    vec![Step::Send(head.as_bytes().to_vec()), chunk(start)]
}

/// A piece of a stream's body.
pub(crate) fn chunk(text: &str) -> Step {
    Step::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

/// The regular end of a stream.
pub(crate) fn end() -> Step {
    Step::Send(b"0\r\n\r\n".to_vec())
}

/// A frame that says `text`.
pub(crate) fn says(text: &str) -> String {
    let chunk = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    format!("data: {chunk}\n\n")
}

/// The frames of a finished answer that says `text`.
pub(crate) fn finished(text: &str) -> String {
    let stop = serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    format!("{}data: {stop}\n\ndata: [DONE]\n\n", says(text))
}

pub(crate) fn input() -> RunAgentInput {
    RunAgentInput::new("thread", "run").with_message(Message::user("1", "Hi"))
}

pub(crate) fn request() -> ChatRequest {
    chat::request(&input(), "m")
}

/// Reads an answer to its end: its events, and its failure if it has one.
pub(crate) async fn play_events(
    input: &RunAgentInput,
    response: ChatResponse,
) -> (Vec<Event>, Option<Failure>) {
    let mut source = pin!(chat::events(response));
    let ids = Box::new(CountingIds::new("run"));
    source.as_mut().begin(SourceStart::new(ids, input));
    let mut events = Vec::new();
    while let Some(event) = poll_fn(|context| source.as_mut().poll_event(context)).await {
        match event {
            Ok(event) => events.push(event),
            Err(failure) => return (events, Some(failure)),
        }
    }
    (events, None)
}

/// What an answer says, as text.
pub(crate) fn text(events: &[Event]) -> String {
    let delta = |event: &Event| match event {
        Event::TextMessageContent(content) => Some(content.delta.to_string()),
        _ => None,
    };
    events.iter().filter_map(delta).collect()
}
