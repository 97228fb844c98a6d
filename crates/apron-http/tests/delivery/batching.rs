//! What leaves together, what leaves alone, and when the events are polled.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use apron_http::{Config, EventBody};
use apron_protocol::{Event, MessageId, TextMessageContent};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};

use crate::common::{Polled, Script, Wakes, finished, frame, joined, read, script, started, text};

fn ready(chunk: Poll<Option<Bytes>>) -> String {
    match chunk {
        Poll::Ready(Some(chunk)) => String::from_utf8(chunk.to_vec()).unwrap(),
        other => panic!("no chunk: {other:?}"),
    }
}

fn body(events: Script) -> Polled<Script> {
    Polled::new(EventBody::new(events))
}

#[tokio::test]
async fn ready_events_leave_in_as_few_chunks_as_the_cap_allows_and_the_first_alone() {
    let mut events = vec![started()];
    events.extend((0..1_000).map(|number| text(&format!("word {number} "))));
    events.push(finished());
    let frames: Vec<String> = events.iter().map(frame).collect();
    let mut body = Polled::new(EventBody::new(stream::iter(events)));

    let chunks = body.drain();
    assert_eq!(joined(&chunks), frames.concat());
    assert_eq!(chunks[0], frames[0]);
    let rest: usize = frames[1..].iter().map(String::len).sum();
    let cap = Config::default().chunk_bytes;
    assert!(chunks.len() - 1 <= rest.div_ceil(cap), "{}", chunks.len());
    let longest = frames.iter().map(String::len).max().unwrap();
    for chunk in &chunks {
        assert!(chunk.len() < cap + longest, "{}", chunk.len());
        assert!(chunk.ends_with(b"\n\n"), "a chunk holds whole frames");
    }
}

#[tokio::test]
async fn a_cap_of_zero_makes_every_event_a_chunk() {
    let config = Config::default().with_chunk_bytes(0);
    let events = stream::iter([started(), text("a"), text("b"), finished()]);
    let mut body = Polled::new(EventBody::new(events).with_config(&config));
    assert_eq!(body.drain().len(), 4);
}

#[tokio::test]
async fn what_is_ready_leaves_as_soon_as_the_events_pause() {
    let (sender, events) = script();
    let mut body = body(events);
    sender.send(started());
    assert_eq!(body.drain().len(), 1);

    sender.send(text("a"));
    sender.send(text("b"));
    let both = format!("{}{}", frame(&text("a")), frame(&text("b")));
    assert_eq!(joined(&body.drain()), both);

    sender.send(text("c"));
    drop(sender);
    assert_eq!(ready(body.poll()), frame(&text("c")));
    assert_eq!(body.poll(), Poll::Ready(None));
    assert_eq!(body.poll(), Poll::Ready(None));
}

#[tokio::test]
async fn the_first_event_reaches_the_socket_before_the_events_are_polled_again() {
    let (sender, events) = script();
    sender.send(started());
    sender.send(text("a"));
    let mut body = body(events);

    assert_eq!(ready(body.poll()), frame(&started()));
    assert_eq!(sender.polls(), 1);
    assert_eq!(body.poll(), Poll::Pending, "the server is told to write");
    assert_eq!((sender.polls(), body.wakes()), (1, 1), "and to come back");
    assert_eq!(ready(body.poll()), frame(&text("a")));
}

#[tokio::test]
async fn after_a_pause_the_events_are_polled_only_when_they_ring() {
    let (sender, events) = script();
    sender.send(started());
    let mut body = body(events);
    body.drain();
    sender.send(text("a"));
    assert_eq!(ready(body.poll()), frame(&text("a")));
    let (polls, wakes) = (sender.polls(), body.wakes());

    for _ in 0..5 {
        assert_eq!(body.poll(), Poll::Pending);
    }
    assert_eq!(sender.polls(), polls, "nothing rang");
    assert_eq!(body.wakes(), wakes, "so there is nothing to come back for");

    sender.send(text("b"));
    assert_eq!(body.wakes(), wakes + 1);
    assert_eq!(ready(body.poll()), frame(&text("b")));
}

/// A server whose buffer is full leaves the body alone after a chunk, although its task was woken
/// for it. What rang meanwhile must not be lost.
#[tokio::test]
async fn a_ring_between_a_chunk_and_the_next_poll_is_not_lost() {
    let (sender, events) = script();
    sender.send(started());
    let mut body = body(events);
    body.drain();
    sender.send(text("a"));
    assert_eq!(ready(body.poll()), frame(&text("a")));

    sender.send(text("b"));
    let wakes = body.wakes();
    assert_eq!(body.poll(), Poll::Pending);
    assert_eq!(body.wakes(), wakes + 1, "it asks for another poll");
    assert_eq!(ready(body.poll()), frame(&text("b")));
}

/// Says Pending after every event, and wakes itself, as tasks do that yield.
struct Yielding {
    left: usize,
    pause: bool,
    polls: Arc<AtomicUsize>,
}

impl Stream for Yielding {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.pause = !self.pause;
        if !self.pause {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        match self.left {
            0 => Poll::Ready(None),
            left => {
                self.left = left - 1;
                Poll::Ready(Some(text("a")))
            }
        }
    }
}

#[tokio::test]
async fn a_yield_stays_a_yield_and_its_event_leaves_at_once() {
    let polls = Arc::<AtomicUsize>::default();
    let events = Yielding {
        left: 5,
        pause: false,
        polls: Arc::clone(&polls),
    };
    let mut body = Polled::new(EventBody::new(events));
    let mut chunks = 0;
    loop {
        let (wakes, before) = (body.wakes(), polls.load(Ordering::Relaxed));
        match body.poll() {
            Poll::Ready(Some(chunk)) => {
                assert_eq!(chunk, frame(&text("a")));
                chunks += 1;
            }
            Poll::Ready(None) => break,
            Poll::Pending => assert!(body.wakes() > wakes, "stuck"),
        }
        assert!(polls.load(Ordering::Relaxed) - before <= 2);
    }
    assert_eq!(chunks, 5);
}

#[tokio::test]
async fn a_body_that_moves_to_another_task_wakes_that_one() {
    let (sender, events) = script();
    sender.send(started());
    let mut body = Box::pin(EventBody::new(events));
    let wakers: [Arc<Wakes>; 2] = Default::default();
    for waker in &wakers {
        let waker = Waker::from(Arc::clone(waker));
        while body
            .as_mut()
            .poll_next(&mut Context::from_waker(&waker))
            .is_ready()
        {}
        // The pause after the first event.
        assert!(
            body.as_mut()
                .poll_next(&mut Context::from_waker(&waker))
                .is_pending()
        );
    }
    let before = wakers.each_ref().map(|waker| waker.count());
    sender.send(text("a"));
    let after = wakers.each_ref().map(|waker| waker.count());
    assert_eq!((after[0] - before[0], after[1] - before[1]), (0, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wake_is_lost_between_threads() {
    let (sender, events) = script();
    let total = 20_000;
    let producer = tokio::spawn(async move {
        sender.send(started());
        for number in 0..total {
            sender.send(text("x"));
            if number % 7 == 0 {
                tokio::task::yield_now().await;
            }
        }
        sender.send(finished());
    });
    let mut body = EventBody::new(events);
    let read = tokio::spawn(async move {
        let mut frames = 0;
        while let Some(Ok(chunk)) = body.next().await {
            frames += chunk.windows(2).filter(|pair| *pair == b"\n\n").count();
        }
        frames
    });
    let deadline = std::time::Duration::from_secs(30);
    let frames = tokio::time::timeout(deadline, read).await.unwrap().unwrap();
    assert_eq!(frames, total + 2);
    producer.await.unwrap();
}

#[tokio::test]
async fn dropping_the_body_drops_the_events() {
    let (sender, events) = script();
    sender.send(started());
    let mut body = body(events);
    body.drain();
    assert!(!sender.is_dropped());
    drop(body);
    assert!(sender.is_dropped());
}

/// Events that remember their waker after they are gone, as a shared queue may.
#[tokio::test]
async fn a_body_that_is_gone_keeps_no_task_alive() {
    let kept = Arc::new(std::sync::Mutex::new(None));
    let keep = Arc::clone(&kept);
    let events = stream::poll_fn(move |cx| {
        *keep.lock().unwrap() = Some(cx.waker().clone());
        Poll::<Option<Event>>::Pending
    });
    let wakes = Arc::new(Wakes::default());
    let mut body = Box::pin(EventBody::new(events));
    let waker = Waker::from(Arc::clone(&wakes));
    assert!(
        body.as_mut()
            .poll_next(&mut Context::from_waker(&waker))
            .is_pending()
    );
    drop((body, waker));
    assert!(kept.lock().unwrap().is_some());
    assert_eq!(Arc::strong_count(&wakes), 1);
}

#[tokio::test]
async fn lines_end_in_lf_only_and_every_frame_is_one_line() {
    let odd = "a\r\nb\u{2028}c\u{85}d\0e\u{feff}\n\n";
    let mut body = Polled::new(EventBody::new(stream::iter([
        started(),
        text(odd),
        finished(),
    ])));
    let wire = joined(&body.drain());
    assert!(!wire.contains(['\r', '\0', '\u{2028}', '\u{85}']));
    assert!(!wire.contains("[DONE]"));
    assert_eq!(read(&wire)[1]["delta"], odd);
}

#[tokio::test]
async fn an_event_costs_no_allocation_while_chunks_are_written() {
    let ids = MessageId::from("123e4567-e89b-12d3-a456-426614174000");
    let events = |count: usize| {
        let id = ids.clone();
        let words = (0..count).map(move |_| TextMessageContent::new(&id, "hello world!").into());
        Box::pin(EventBody::new(stream::iter(words)))
    };
    let drained = |count: usize| {
        let mut body = events(count);
        let mut cx = Context::from_waker(Waker::noop());
        let mut chunks = 0;
        let cost = allocation_counter::measure(|| {
            loop {
                match body.as_mut().poll_next(&mut cx) {
                    Poll::Ready(Some(_)) => chunks += 1,
                    Poll::Ready(None) => break,
                    Poll::Pending => {}
                }
            }
        });
        (chunks, cost.count_total)
    };
    let (few, start) = drained(1_000);
    let (many, all) = drained(100_000);
    assert!(few > 10 && many > 1_000);
    assert_eq!(all, start, "the buffer is made once");
}
