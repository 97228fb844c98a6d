//! What becomes of wakers: none is kept for nothing, and none is dropped under the lock.

use std::future::{Future, pending};
use std::pin::{Pin, pin};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use apron_emit::{Outcome, Run, RunOptions, TextMessage, split, stream};
use futures_util::{FutureExt, Stream};

use crate::handoff::open_run;
use crate::support::{Flag, input, next_once, poll_once, yield_now};

/// A waker and how many hold it.
struct Held(Arc<Flag>);

impl Held {
    fn new() -> Self {
        Self(Arc::new(Flag::default()))
    }

    fn waker(&self) -> Waker {
        Waker::from(Arc::clone(&self.0))
    }

    fn holders(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}

fn poll_with<F: Future + Unpin>(future: &mut F, held: &Held) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(&held.waker()))
}

fn next_with<S: Stream + Unpin>(stream: &mut S, held: &Held) -> Poll<Option<S::Item>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(&held.waker()))
}

#[test]
fn who_stops_waiting_takes_the_waker_along() {
    let (_tasks, run, _events) = open_run(1);
    let held = Held::new();
    let (mut text, mut thought) = (run.text(), run.reasoning());
    {
        let mut push = text.push("a");
        let mut attach = thought.encrypted("b");
        let mut open = run.tool_call("f");
        let mut emit = run.custom("c", 1);
        let mut cancelled = run.cancelled();
        let source = futures_util::stream::iter([crate::words::custom()]);
        let mut relay = Box::pin(run.relay(source));
        // Polled twice, each holds it once.
        for _ in 0..2 {
            assert!(poll_with(&mut push, &held).is_pending());
            assert!(poll_with(&mut attach, &held).is_pending());
            assert!(poll_with(&mut open, &held).is_pending());
            assert!(poll_with(&mut emit, &held).is_pending());
            assert!(poll_with(&mut cancelled, &held).is_pending());
            assert!(poll_with(&mut relay, &held).is_pending());
            assert_eq!(held.holders(), 6);
        }
        // Polled by another task, the first one is let go.
        let other = Held::new();
        assert!(poll_with(&mut push, &other).is_pending());
        assert!(poll_with(&mut cancelled, &other).is_pending());
        assert_eq!((held.holders(), other.holders()), (4, 2));
    }
    assert_eq!(held.holders(), 0);

    // However often somebody comes and goes while the reader stands still.
    for _ in 0..100 {
        assert!(poll_with(&mut text.push("a"), &held).is_pending());
        assert!(poll_with(&mut run.cancelled(), &held).is_pending());
    }
    assert_eq!(held.holders(), 0);
}

#[test]
fn a_run_that_outlives_its_sides_holds_none_of_their_tasks() {
    // The reader leaves: while parked, and after the end.
    for ends in [false, true] {
        let (mut tasks, run, mut events) = open_run(1_000);
        let reader = Held::new();
        while next_with(&mut events, &reader).is_ready() {}
        assert_eq!(reader.holders(), 1);
        if ends {
            run.stopper().stop();
            tasks.run();
            assert_eq!(reader.holders(), 0);
            assert_eq!(reader.0.wakes(), 1);
        }
        drop(events);
        assert_eq!(reader.holders(), 0);
        assert!(run.is_cancelled());
    }

    // The driver: while it waits, when it is done, and when it is told that the reader has left.
    for disconnect in [false, true] {
        let given = Arc::new(Mutex::new(None));
        let gift = Arc::clone(&given);
        let (mut driver, events) = split(input(), RunOptions::new(), async move |run| {
            *gift.lock().unwrap() = Some(run);
            pending::<()>().await;
            Ok(Outcome::success())
        });
        let held = Held::new();
        assert!(poll_with(&mut driver, &held).is_pending());
        assert_eq!(held.holders(), 1);
        let run: Run = given.lock().unwrap().take().unwrap();
        if disconnect {
            drop(events);
        } else {
            run.stopper().stop();
        }
        assert_eq!((held.holders(), held.0.wakes()), (0, 1));
        assert!(poll_with(&mut driver, &held).is_ready());
        assert_eq!(held.holders(), 0);
        assert!(run.is_cancelled());
    }

    // The driver of an agent that comes to its end by itself, and that of one that was told late.
    for disconnect in [false, true] {
        let given = Arc::new(Mutex::new(None));
        let gift = Arc::clone(&given);
        let (mut driver, events) = split(input(), RunOptions::new(), async move |run| {
            *gift.lock().unwrap() = Some(run);
            yield_now().await;
            Ok(Outcome::success())
        });
        let held = Held::new();
        assert!(poll_with(&mut driver, &held).is_pending());
        if disconnect {
            drop(events);
        }
        assert!(poll_with(&mut driver, &held).is_ready());
        assert_eq!(held.holders(), 0);
        let run: Run = given.lock().unwrap().take().unwrap();
        assert!(run.is_cancelled());
    }

    // Both in one.
    let given = Arc::new(Mutex::new(None));
    let gift = Arc::clone(&given);
    let mut events = Box::pin(stream(input(), async move |run| {
        *gift.lock().unwrap() = Some(run);
        pending::<()>().await;
        Ok(Outcome::success())
    }));
    let reader = Held::new();
    while given.lock().unwrap().is_none() {
        let _ = next_with(&mut events, &reader);
    }
    assert!(next_with(&mut events, &reader).is_pending());
    assert_eq!(reader.holders(), 1);
    drop(events);
    assert_eq!(reader.holders(), 0);
    let run: Run = given.lock().unwrap().take().unwrap();
    assert!(run.is_cancelled());
}

#[test]
fn nothing_is_left_of_a_run_when_all_have_left() {
    // The stream's own waker must not keep the run alive in a ring.
    let alive = Arc::new(());
    for polls in 0..5 {
        let held = Arc::clone(&alive);
        let options = RunOptions::new().on_end(move |_| drop(held));
        let mut events = Box::pin(apron_emit::stream_with(input(), options, async |run| {
            run.custom("c", 1).await?;
            pending::<()>().await;
            Ok(Outcome::success())
        }));
        for _ in 0..polls {
            let _ = next_once(&mut events);
        }
        drop(events);
        assert_eq!(Arc::strong_count(&alive), 1, "after {polls} polls");
    }
}

/// A task that is dropped with its last waker, and with it the handle that it holds.
struct LastBreath(#[expect(dead_code, reason = "held to be dropped")] Mutex<Option<TextMessage>>);

impl Wake for LastBreath {
    fn wake(self: Arc<Self>) {}
}

/// Runs `steps` with a limit, so that a deadlock is a failure and not a silence.
fn without_deadlock(steps: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        steps();
        done.send(()).unwrap();
    });
    let waited = wait.recv_timeout(Duration::from_secs(30));
    assert_eq!(waited, Ok(()), "a waker was dropped under the lock");
}

/// A waker that takes an open message with it.
fn last_waker(run: &Run) -> Waker {
    let mut text = run.text();
    assert!(poll_once(pin!(text.push("a"))).is_ready());
    Waker::from(Arc::new(LastBreath(Mutex::new(Some(text)))))
}

#[test]
fn wakers_are_dropped_outside_the_lock() {
    let quiet = Waker::noop;
    // The reader's, replaced and thrown away.
    for replaced in [true, false] {
        without_deadlock(move || {
            let (_tasks, run, mut events) = open_run(1_000_000);
            let waker = last_waker(&run);
            let mut context = Context::from_waker(&waker);
            while Pin::new(&mut events).poll_next(&mut context).is_ready() {}
            drop(waker);
            if replaced {
                let mut context = Context::from_waker(quiet());
                assert!(Pin::new(&mut events).poll_next(&mut context).is_pending());
                // The message has ended, which wakes the one who has just parked.
                assert!(next_once(&mut events).is_ready());
            }
            drop(events);
        });
    }
    // The driver's.
    without_deadlock(move || {
        let given = Arc::new(Mutex::new(None));
        let gift = Arc::clone(&given);
        let (mut driver, _events) = split(input(), RunOptions::new(), async move |run| {
            *gift.lock().unwrap() = Some(run);
            pending::<()>().await;
            Ok(Outcome::success())
        });
        assert!(poll_once(pin!(&mut driver)).is_pending());
        let run: Run = given.lock().unwrap().take().unwrap();
        let waker = last_waker(&run);
        assert!(
            driver
                .poll_unpin(&mut Context::from_waker(&waker))
                .is_pending()
        );
        drop(waker);
        assert!(poll_once(pin!(&mut driver)).is_pending());
        let waker = last_waker(&run);
        assert!(
            driver
                .poll_unpin(&mut Context::from_waker(&waker))
                .is_pending()
        );
        drop(waker);
        drop(driver);
    });
    // A push's and a listener's: replaced, thrown away, and let go with the round.
    without_deadlock(move || {
        let (_tasks, run, mut events) = open_run(1_000);
        for polls in [1, 2] {
            assert!(next_once(&mut events).is_ready());
            while next_once(&mut events).is_ready() {}
            let wakers = [last_waker(&run), last_waker(&run), last_waker(&run)];
            let [first, second, third] = wakers;
            let (mut a, mut b) = (run.custom("a", 1), run.custom("b", 1));
            assert!(poll_once(pin!(run.custom("fills", "x".repeat(1_000)))).is_ready());
            let mut cancelled = run.cancelled();
            assert!(a.poll_unpin(&mut Context::from_waker(&first)).is_pending());
            assert!(b.poll_unpin(&mut Context::from_waker(&second)).is_pending());
            assert!(
                cancelled
                    .poll_unpin(&mut Context::from_waker(&third))
                    .is_pending()
            );
            drop((first, second, third));
            if polls == 2 {
                assert!(poll_once(pin!(&mut a)).is_pending());
                assert!(poll_once(pin!(&mut cancelled)).is_pending());
            }
            drop((a, cancelled));
            while next_once(&mut events).is_ready() {}
            drop(b);
            assert!(poll_once(pin!(run.custom("next", 1))).is_ready());
        }
    });
}
