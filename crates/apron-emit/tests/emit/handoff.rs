//! The hand-off: bounded, in admission order, and nobody is left waiting.

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use apron_emit::{Error, Events, Outcome, Run, RunOptions, split, stream, stream_with};
use apron_protocol::Event;
use futures_util::Stream;

use crate::support::{Spawner, Tasks, drain, input, next_once, poll_once, read, tell, yield_now};

/// A run whose agent gives its handle away and waits for ever.
pub(crate) fn open_run(budget: usize) -> (Tasks, Run, Events) {
    let given = Arc::new(Mutex::new(None));
    let gift = Arc::clone(&given);
    let options = RunOptions::new().with_budget(budget);
    let (driver, events) = split(input(), options, async move |run| {
        *gift.lock().unwrap() = Some(run);
        std::future::pending::<()>().await;
        Ok(Outcome::success())
    });
    let mut tasks = Tasks::default();
    tasks.spawn(driver);
    tasks.run();
    let run = given.lock().unwrap().take().unwrap();
    (tasks, run, events)
}

/// Says `words` words, then sets the flag.
async fn speak(run: Run, words: usize, said: Arc<AtomicUsize>) {
    let mut text = run.text();
    for _ in 0..words {
        if text.push("word").await.is_err() {
            return;
        }
        said.fetch_add(1, Ordering::SeqCst);
    }
}

/// What can be read without anybody else taking a step.
fn batch(events: &mut Events) -> Vec<Event> {
    let mut batch = Vec::new();
    while let Poll::Ready(Some(event)) = next_once(events) {
        batch.push(event);
    }
    batch
}

#[test]
fn what_is_queued_is_bounded_by_the_budget_and_what_waits() {
    for speakers in [1, 5] {
        let budget = 2_000;
        let (mut tasks, run, mut events) = open_run(budget);
        let said = Arc::new(AtomicUsize::new(0));
        for _ in 0..speakers {
            tasks.spawn(speak(run.clone(), usize::MAX, Arc::clone(&said)));
        }
        for _ in 0..50 {
            tasks.run();
            let before = said.load(Ordering::SeqCst);
            tasks.run();
            assert_eq!(
                said.load(Ordering::SeqCst),
                before,
                "they wait for the reader"
            );
            let batch = batch(&mut events);
            let heaviest = batch.iter().map(Event::weight).max().unwrap();
            let queued: usize = batch.iter().map(Event::weight).sum();
            // Each speaker that waited is admitted once, with its start or one word.
            assert!(queued < budget + heaviest * (1 + 2 * speakers), "{queued}");
            assert!(queued >= budget, "{queued}: it is made use of");
        }
    }
}

#[test]
fn a_budget_of_nothing_lets_one_event_through_at_a_time() {
    let options = RunOptions::new().with_budget(0);
    let events = drain(stream_with(input(), options, async |run| {
        let mut text = run.text();
        text.push("a").await?;
        text.push("b").await?;
        Ok(Outcome::success())
    }));
    assert_eq!(
        tell(&events),
        "run; text r:a1; content r:a1 a; content r:a1 b; text-end r:a1; done"
    );
}

#[test]
fn an_event_larger_than_the_budget_passes_alone() {
    let options = RunOptions::new().with_budget(500);
    let events = drain(stream_with(input(), options, async |run| {
        let mut text = run.text();
        text.push("x".repeat(10_000)).await?;
        text.push("y".repeat(10_000)).await?;
        Ok(Outcome::success())
    }));
    assert_eq!(events.len(), 6);
}

#[test]
fn ends_and_the_terminal_event_do_not_wait() {
    let (mut tasks, run, events) = open_run(1);
    let mut events = events;
    assert_eq!(tell(&batch(&mut events)), "run");
    let mut text = run.text();
    assert!(poll_once(pin!(text.push("a"))).is_ready());
    assert!(poll_once(pin!(text.push("b"))).is_pending());
    assert!(poll_once(pin!(text.end())).is_ready());
    run.stopper().stop();
    tasks.run();
    assert_eq!(
        tell(&batch(&mut events)),
        "text r:a1; content r:a1 a; text-end r:a1; done cancelled"
    );
}

#[test]
fn a_push_that_is_set_aside_blocks_nobody() {
    let options = RunOptions::new().with_budget(1);
    let events = drain(stream_with(input(), options, async |run| {
        let (mut aside, mut other) = (run.text(), run.text());
        other.push("1").await?;
        let mut set_aside = pin!(aside.push("aside"));
        assert!(futures_util::poll!(&mut set_aside).is_pending());
        // The task goes on with something else; a permit handed out in order would be held.
        for word in ["2", "3", "4"] {
            other.push(word).await?;
        }
        set_aside.await?;
        Ok(Outcome::success())
    }));
    assert_eq!(
        tell(&events),
        "run; text r:a1; content r:a1 1; content r:a1 2; content r:a1 3; content r:a1 4; \
         text r:a2; content r:a2 aside; text-end r:a1; text-end r:a2; done"
    );
}

#[test]
fn a_push_that_is_dropped_while_it_waits_sends_nothing() {
    let options = RunOptions::new().with_budget(1);
    let events = drain(stream_with(input(), options, async |run| {
        let mut text = run.text();
        text.push("1").await?;
        for _ in 0..3 {
            let mut dropped = Box::pin(text.push("never"));
            assert!(futures_util::poll!(&mut dropped).is_pending());
            drop(dropped);
            let mut dropped = Box::pin(run.tool_call("never"));
            assert!(futures_util::poll!(&mut dropped).is_pending());
            drop(dropped);
        }
        text.push("2").await?;
        Ok(Outcome::success())
    }));
    assert_eq!(
        tell(&events),
        "run; text r:a1; content r:a1 1; content r:a1 2; text-end r:a1; done"
    );
}

#[test]
fn everybody_gets_through_to_a_slow_reader() {
    let (mut tasks, run, mut events) = open_run(1_000);
    let said: Vec<Arc<AtomicUsize>> = (0..9).map(|_| Arc::default()).collect();
    for counter in &said {
        tasks.spawn(speak(run.clone(), usize::MAX, Arc::clone(counter)));
    }
    // One event at a time, and everybody runs as far as they can in between.
    for _ in 0..20_000 {
        tasks.run();
        assert!(next_once(&mut events).is_ready());
    }
    for counter in &said {
        let count = counter.load(Ordering::SeqCst);
        assert!(count > 200, "{said:?}");
    }
}

/// Speaks whenever it may, for ever.
fn greedy(spawner: &Spawner, run: Run) {
    spawner.spawn(speak(run, usize::MAX, Arc::default()));
}

#[test]
fn an_agent_inside_the_stream_is_not_starved_by_a_greedy_task() {
    let mut tasks = Tasks::default();
    let spawner = tasks.spawner();
    let options = RunOptions::new().with_budget(4 * 1024);
    let mut events = Box::pin(stream_with(input(), options, move |run| async move {
        greedy(&spawner, run.clone());
        for _ in 0..100 {
            yield_now().await;
            run.custom("mine", 1).await?;
        }
        Ok(Outcome::success())
    }));
    let mut read = Vec::new();
    let ended = loop {
        tasks.run();
        match next_once(&mut events) {
            Poll::Ready(Some(event)) => read.push(event),
            Poll::Ready(None) => break true,
            Poll::Pending => {}
        }
        if read.len() > 100_000 {
            break false;
        }
    };
    assert!(ended, "the agent had its turns");
    assert!(read.last().unwrap().is_terminal());
    let mine = |event: &&Event| matches!(event, Event::Custom(_));
    assert_eq!(read.iter().filter(mine).count(), 100);
}

#[test]
fn the_start_leaves_before_the_agent_takes_its_first_step() {
    let called = Arc::new(AtomicBool::new(false));
    let call = Arc::clone(&called);
    let mut events = Box::pin(stream(input(), move |_| {
        call.store(true, Ordering::SeqCst);
        async { Ok(Outcome::success()) }
    }));
    let Poll::Ready(Some(Event::RunStarted(_))) = next_once(&mut events) else {
        panic!("the start comes first");
    };
    // A body that flushes when nothing is ready sends it off now.
    assert_eq!(next_once(&mut events), Poll::Pending);
    assert!(!called.load(Ordering::SeqCst));
    assert!(matches!(
        next_once(&mut events),
        Poll::Ready(Some(Event::RunFinished(_)))
    ));
    assert!(called.load(Ordering::SeqCst));
}

#[test]
fn an_agent_that_yields_lets_others_run() {
    for speaks in [false, true] {
        let mut events = Box::pin(stream(input(), move |run| async move {
            for _ in 0..20 {
                if speaks {
                    run.custom("mine", 1).await?;
                }
                yield_now().await;
            }
            Ok(Outcome::success())
        }));
        let mut pauses = 0;
        loop {
            match next_once(&mut events) {
                Poll::Ready(None) => break,
                Poll::Ready(Some(_)) => {}
                Poll::Pending => pauses += 1,
            }
        }
        // One for each yield, and one for the start.
        assert_eq!(pauses, 21);
    }
}

#[test]
fn a_push_of_another_task_does_not_poll_the_agent() {
    let polls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&polls);
    let given = Arc::new(Mutex::new(None));
    let gift = Arc::clone(&given);
    let mut events = Box::pin(stream(input(), move |run| {
        *gift.lock().unwrap() = Some(run);
        std::future::poll_fn(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            Poll::Pending
        })
    }));
    while given.lock().unwrap().is_none() {
        let _ = next_once(&mut events);
    }
    let run: Run = given.lock().unwrap().take().unwrap();
    for _ in 0..10 {
        assert!(poll_once(pin!(run.custom("theirs", 1))).is_ready());
        assert!(matches!(
            next_once(&mut events),
            Poll::Ready(Some(Event::Custom(_)))
        ));
        assert_eq!(next_once(&mut events), Poll::Pending);
    }
    assert_eq!(polls.load(Ordering::SeqCst), 1);
}

#[test]
fn ten_thousand_waiting_tasks_cost_no_search() {
    let (mut tasks, run, events) = open_run(1);
    let said = Arc::new(AtomicUsize::new(0));
    for _ in 0..10_000 {
        tasks.spawn(speak(run.clone(), 3, Arc::clone(&said)));
    }
    let stop = run;
    let counter = Arc::clone(&said);
    tasks.spawn(async move {
        while counter.load(Ordering::SeqCst) < 30_000 {
            // Waits its turn like the rest.
            if stop.custom("tick", 1).await.is_err() {
                return;
            }
        }
        stop.stopper().stop();
    });
    let events = read(&mut tasks, events);
    let words = |event: &&Event| matches!(event, Event::TextMessageContent(_));
    assert_eq!(events.iter().filter(words).count(), 30_000);
}

#[test]
fn who_waits_is_told_when_the_reader_leaves_or_the_run_ends() {
    for leaves in [true, false] {
        let (mut tasks, run, events) = open_run(1);
        let told = Arc::new(Mutex::new(Vec::new()));
        for _ in 0..3 {
            let (run, told) = (run.clone(), Arc::clone(&told));
            tasks.spawn(async move {
                let answer = run.custom("waits", 1).await;
                told.lock().unwrap().push(answer);
            });
        }
        tasks.run();
        assert!(told.lock().unwrap().is_empty());
        if leaves {
            drop(events);
        } else {
            run.stopper().stop();
        }
        tasks.run();
        let told = told.lock().unwrap();
        assert_eq!(told.len(), 3);
        for answer in told.iter() {
            match answer {
                Err(Error::Disconnected) => assert!(leaves),
                Err(Error::Ended) => assert!(!leaves),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn wire_order_is_admission_order() {
    let (mut tasks, run, events) = open_run(600);
    let order = Arc::new(Mutex::new(Vec::new()));
    for speaker in 0..7_u32 {
        let (run, order) = (run.clone(), Arc::clone(&order));
        tasks.spawn(async move {
            for word in 0..100_u32 {
                let name = format!("{speaker}.{word}");
                let mut sent = run.custom(name.clone(), 1);
                // Noted in the poll that admits it.
                std::future::poll_fn(|context: &mut Context<'_>| {
                    let polled = Pin::new(&mut sent).poll(context);
                    if polled.is_ready() {
                        order.lock().unwrap().push(name.clone());
                    }
                    polled
                })
                .await
                .unwrap();
                if word % 5 == speaker % 5 {
                    yield_now().await;
                }
            }
        });
    }
    let mut events = Box::pin(events);
    let mut heard = Vec::new();
    while heard.len() < 700 {
        tasks.run();
        if let Poll::Ready(Some(Event::Custom(event))) = events
            .as_mut()
            .poll_next(&mut Context::from_waker(std::task::Waker::noop()))
        {
            heard.push(event.name.clone());
        }
    }
    assert_eq!(heard, *order.lock().unwrap());
}
