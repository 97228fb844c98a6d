//! Relays whose reader stands still, or whose source never does.

use std::sync::{Arc, Mutex};
use std::task::Poll;

use apron_emit::{Failure, RunOptions, Source, split, stream_with};
use apron_protocol::{Event, RunError, TextMessageContent};
use futures_util::stream::{self as streams, StreamExt};

use crate::relay::Script;
use crate::script::events as said;
use crate::support::{Tasks, drain, input, next_once, read, tell};

/// A run whose agent relays `source` over a queue that holds one event.
fn narrow<S: Source + 'static>(source: S) -> (Tasks, usize, apron_emit::Events) {
    let mut tasks = Tasks::default();
    let options = RunOptions::new().with_budget(1);
    let (driver, events) = split(input(), options, async |run| Ok(run.relay(source).await?));
    let driver = tasks.spawn(driver);
    tasks.run();
    (tasks, driver, events)
}

#[test]
fn an_error_is_noticed_while_the_reader_stands_still() {
    // The queue is full of the start; the first line waits; the error comes behind it.
    let (source, notes) = Script::new("text m", || {
        Poll::Ready(Some(Err(Failure::new("timeout", "It took too long."))))
    });
    let (_, _, events) = narrow(source);
    assert!(notes.lock().unwrap().dropped, "its connection is released");
    assert_eq!(
        tell(&drain(events)),
        "run; text m; text-end m; error timeout"
    );
}

#[test]
fn a_source_is_heard_by_one_event_ahead_and_no_more() {
    let (source, notes) = Script::new("text m; content m; content m; content m", || {
        Poll::Ready(Some(Err(Failure::new("late", "Late."))))
    });
    let (mut tasks, _, events) = narrow(source);
    assert_eq!(notes.lock().unwrap().polls, 2);
    tasks.run();
    assert_eq!(notes.lock().unwrap().polls, 2);
    assert_eq!(
        tell(&read(&mut tasks, events)),
        "run; text m; content m word; content m word; content m word; text-end m; error late"
    );
}

#[test]
fn an_end_ahead_waits_for_what_comes_before_it() {
    let (source, notes) = Script::new("text m; done", || panic!("polled after its end"));
    let (mut tasks, driver, events) = narrow(source);
    assert!(!tasks.is_done(driver));
    assert_eq!(notes.lock().unwrap().polls, 2);
    assert_eq!(
        tell(&read(&mut tasks, events)),
        "run; text m; text-end m; done"
    );
    assert!(tasks.is_done(driver));
}

#[test]
fn timers_of_a_source_run_while_the_reader_stands_still() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let released = runtime.block_on(async {
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        struct Held(Option<tokio::sync::oneshot::Sender<()>>);
        impl Drop for Held {
            fn drop(&mut self) {
                let _ = self.0.take().unwrap().send(());
            }
        }
        let held = Held(Some(sender));
        let slow = streams::once(async move {
            let _held = held;
            let waits = std::time::Duration::from_secs(60);
            let silent = std::future::pending::<Event>();
            match tokio::time::timeout(waits, silent).await {
                Ok(event) => event,
                Err(_) => RunError::new("timeout", "It took too long.").into(),
            }
        });
        let source = streams::iter(said("text m")).chain(slow);
        let options = RunOptions::new().with_budget(1);
        let (driver, events) = split(input(), options, async |run| {
            Ok(run.relay(Box::pin(source)).await?)
        });
        let driver = tokio::spawn(driver);
        // Nobody reads.
        receiver.await.unwrap();
        driver.await.unwrap();
        tell(&events.collect::<Vec<_>>().await)
    });
    assert_eq!(released, "run; text m; text-end m; error timeout");
}

#[test]
fn a_source_that_is_always_ready_lets_others_run() {
    // Nothing it says takes room, so only the relay itself can stop.
    let empty = || Event::from(TextMessageContent::new("m", ""));
    let endless = streams::iter(said("text m")).chain(streams::repeat_with(empty));
    let stopped = Arc::new(Mutex::new(None));
    let stop = Arc::clone(&stopped);
    let mut events = Box::pin(stream_with(input(), RunOptions::new(), async move |run| {
        *stop.lock().unwrap() = Some(run.stopper());
        Ok(run.relay(endless).await?)
    }));
    let mut read = Vec::new();
    for _ in 0..10 {
        if let Poll::Ready(Some(event)) = next_once(&mut events) {
            read.push(event);
        }
    }
    stopped.lock().unwrap().take().unwrap().stop();
    read.extend(drain(events));
    assert_eq!(tell(&read), "run; text m; text-end m; done cancelled");
}
