//! Comments on a silent stream. Time is advanced, never waited for.

use std::future::poll_fn;
use std::mem;
use std::task::Poll;
use std::time::Duration;

use apron_http::{Config, EventBody, Heartbeat};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use tokio::task::coop::poll_proceed;
use tokio::time::{Instant, advance, timeout};

use crate::common::{Polled, finished, frame, script, started, text};

const BEAT: &[u8] = b": heartbeat\n\n";

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What arrives within `span`, with the seconds after which it did.
async fn watch<S>(body: &mut S, span: Duration) -> Vec<(u64, Bytes)>
where
    S: Stream<Item = Result<Bytes, std::convert::Infallible>> + Unpin,
{
    let start = Instant::now();
    let mut seen = Vec::new();
    while let Ok(Some(Ok(chunk))) = timeout(span.saturating_sub(start.elapsed()), body.next()).await
    {
        seen.push((start.elapsed().as_secs(), chunk));
    }
    seen
}

#[tokio::test(start_paused = true)]
async fn forty_silent_seconds_have_two_comments_from_the_very_start() {
    let (_sender, events) = script();
    let mut body = Box::pin(EventBody::new(events));
    let seen = watch(&mut body, seconds(40)).await;
    assert_eq!(seen, [(15, Bytes::from(BEAT)), (30, Bytes::from(BEAT))]);
}

#[tokio::test(start_paused = true)]
async fn silence_counts_from_the_last_bytes() {
    let (sender, events) = script();
    let mut body = Box::pin(EventBody::new(events));
    sender.send(started());
    assert_eq!(watch(&mut body, seconds(10)).await.len(), 1);
    sender.send(text("a"));
    let seen = watch(&mut body, seconds(31)).await;
    let times: Vec<u64> = seen.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [0, 15, 30]);
    assert_eq!(seen[0].1, frame(&text("a")));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_speaks_every_second_has_none() {
    let (sender, events) = script();
    let mut body = Box::pin(EventBody::new(events));
    let speaker = tokio::spawn(async move {
        sender.send(started());
        for _ in 0..60 {
            tokio::time::sleep(seconds(1)).await;
            sender.send(text("tick"));
        }
        sender.send(finished());
    });
    let seen = watch(&mut body, seconds(120)).await;
    speaker.await.unwrap();
    assert_eq!(seen.len(), 61, "the last leaves with the end");
    assert!(seen.iter().all(|(_, chunk)| chunk != BEAT));
}

#[tokio::test(start_paused = true)]
async fn a_comment_comes_between_frames_only() {
    let (sender, events) = script();
    let mut body = Box::pin(EventBody::new(events));
    let speaker = tokio::spawn(async move {
        for _ in 0..20 {
            sender.send(started());
            sender.send(text("one"));
            tokio::time::sleep(Duration::from_millis(15_000)).await;
            sender.send(text("two"));
            tokio::time::sleep(Duration::from_millis(7_900)).await;
        }
    });
    let wire: Vec<u8> = watch(&mut body, seconds(1_000))
        .await
        .into_iter()
        .flat_map(|(_, chunk)| chunk)
        .collect();
    speaker.await.unwrap();
    let wire = String::from_utf8(wire).unwrap();
    let mut beats = 0;
    for one in wire.strip_suffix("\n\n").unwrap().split("\n\n") {
        if one == ": heartbeat" {
            beats += 1;
        } else {
            let json = one.strip_prefix("data: ").unwrap();
            serde_json::from_str::<serde_json::Value>(json).unwrap();
        }
    }
    assert!(beats >= 20, "{beats}");
}

/// A source that wakes itself for ever without an event is silent all the same.
#[tokio::test(start_paused = true)]
async fn a_busy_source_that_says_nothing_does_not_hold_the_comment_back() {
    let events = stream::poll_fn(|cx| {
        cx.waker().wake_by_ref();
        Poll::<Option<apron_protocol::Event>>::Pending
    });
    let mut body = Polled::new(EventBody::new(events));
    assert_eq!(body.poll(), Poll::Pending);
    advance(seconds(15)).await;
    assert_eq!(body.poll(), Poll::Ready(Some(Bytes::from(BEAT))));
    assert_eq!(body.poll(), Poll::Pending);
}

/// tokio turns a task's polls away when it had its share, also those of a timer. A timer that
/// was turned away knows no waker.
#[tokio::test(start_paused = true)]
async fn a_spent_budget_does_not_silence_the_comment() {
    let (_sender, events) = script();
    let mut body = Box::pin(EventBody::new(events));
    let mut spent = false;
    let first = poll_fn(|cx| {
        if !mem::replace(&mut spent, true) {
            while let Poll::Ready(share) = poll_proceed(cx) {
                share.made_progress();
            }
        }
        body.as_mut().poll_next(cx)
    });
    let chunk = timeout(seconds(20), first).await.unwrap();
    assert_eq!(chunk, Some(Ok(Bytes::from(BEAT))));
}

#[tokio::test(start_paused = true)]
async fn it_can_be_set_and_switched_off() {
    let (_sender, events) = script();
    let config = Config::default().with_heartbeat(Heartbeat::every(seconds(3)).unwrap());
    let mut body = Box::pin(EventBody::new(events).with_config(&config));
    assert_eq!(watch(&mut body, seconds(10)).await.len(), 3);

    let (_sender, events) = script();
    let config = Config::default().with_heartbeat(Heartbeat::OFF);
    let mut body = Box::pin(EventBody::new(events).with_config(&config));
    assert_eq!(watch(&mut body, seconds(1_000)).await, []);
}

#[test]
fn without_a_runtime_there_is_a_body_but_no_heartbeat() {
    let (sender, events) = script();
    let mut body = Polled::new(EventBody::new(events));
    assert_eq!(body.poll(), Poll::Pending);
    sender.send(started());
    assert_eq!(body.drain().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_comment_asks_nothing_of_the_source() {
    let (sender, events) = script();
    let mut body = Box::pin(EventBody::new(events));
    assert_eq!(watch(&mut body, seconds(151)).await.len(), 10);
    assert_eq!(sender.polls(), 1);
}
