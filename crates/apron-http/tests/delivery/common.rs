//! Scripted events, and a body that is polled by hand.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use apron_http::EventBody;
use apron_protocol::{Event, RunFinished, RunStarted, TextMessageContent};
use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Events that a test sends one by one. It counts how often it is polled.
pub(crate) struct Script {
    events: UnboundedReceiver<Event>,
    polls: Arc<AtomicUsize>,
}

/// The test's end of a [`Script`]. Dropping it ends the events.
pub(crate) struct Sender {
    events: UnboundedSender<Event>,
    polls: Arc<AtomicUsize>,
}

pub(crate) fn script() -> (Sender, Script) {
    let (sender, receiver) = unbounded_channel();
    let polls = Arc::<AtomicUsize>::default();
    let sender = Sender {
        events: sender,
        polls: Arc::clone(&polls),
    };
    let script = Script {
        events: receiver,
        polls,
    };
    (sender, script)
}

impl Sender {
    pub(crate) fn send(&self, event: impl Into<Event>) {
        self.events.send(event.into()).unwrap();
    }

    pub(crate) fn polls(&self) -> usize {
        self.polls.load(Ordering::Relaxed)
    }

    pub(crate) fn is_dropped(&self) -> bool {
        self.events.is_closed()
    }
}

impl Stream for Script {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.events.poll_recv(cx)
    }
}

/// A waker that counts.
#[derive(Default)]
pub(crate) struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Wakes {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// A body and the one waker it is polled with.
pub(crate) struct Polled<S> {
    body: Pin<Box<EventBody<S>>>,
    wakes: Arc<Wakes>,
}

impl<S: Stream<Item = Event>> Polled<S> {
    pub(crate) fn new(body: EventBody<S>) -> Self {
        Self {
            body: Box::pin(body),
            wakes: Arc::default(),
        }
    }

    pub(crate) fn poll(&mut self) -> Poll<Option<Bytes>> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        let polled = self
            .body
            .as_mut()
            .poll_next(&mut Context::from_waker(&waker));
        polled.map(|chunk| chunk.map(|Ok(chunk)| chunk))
    }

    /// Polls as a server does: until there is nothing now, and again if woken meanwhile.
    pub(crate) fn drain(&mut self) -> Vec<Bytes> {
        let mut chunks = Vec::new();
        loop {
            let before = self.wakes();
            match self.poll() {
                Poll::Ready(Some(chunk)) => chunks.push(chunk),
                Poll::Ready(None) => return chunks,
                Poll::Pending if self.wakes() > before => {}
                Poll::Pending => return chunks,
            }
        }
    }

    pub(crate) fn wakes(&self) -> usize {
        self.wakes.count()
    }
}

pub(crate) fn started() -> Event {
    RunStarted::new("t", "r").into()
}

pub(crate) fn finished() -> Event {
    RunFinished::new("t", "r").into()
}

pub(crate) fn text(delta: &str) -> Event {
    TextMessageContent::new("m", delta).into()
}

/// The frame that an event becomes.
pub(crate) fn frame(event: &Event) -> String {
    format!("data: {}\n\n", event.to_json())
}

/// Everything as one text.
pub(crate) fn joined(chunks: &[Bytes]) -> String {
    String::from_utf8(chunks.concat()).unwrap()
}

/// The events in a text of frames, read back as JSON.
pub(crate) fn read(wire: &str) -> Vec<serde_json::Value> {
    let frames = wire.strip_suffix("\n\n").unwrap().split("\n\n");
    let json = frames.map(|frame| frame.strip_prefix("data: ").unwrap());
    json.map(|json| serde_json::from_str(json).unwrap())
        .collect()
}
