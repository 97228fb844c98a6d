//! Runs that are ended from outside: by a stop, a deadline, or a side that is dropped.

use std::future::{Future, pending};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use apron_emit::{Ending, Failure, Outcome, RunOptions, Stopper, split, stream, stream_with};
use apron_protocol::Event;

use crate::support::{Answer, Flag, Tasks, both, drain, input, next_once, noting, poll_once, tell};

#[test]
fn a_deadline_drops_the_agent_and_says_so() {
    let (send, receive) = futures_util::future::abortable(pending::<()>());
    let options = RunOptions::new().with_deadline(async {
        let _ = send.await;
    });
    let (options, noted) = {
        let (hooked, noted) = noting();
        drop(hooked);
        let notes = Arc::clone(&noted);
        let options = options.on_end(move |ending| {
            let Ending::Failed(failure) = ending else {
                return;
            };
            notes.lock().unwrap().push(failure.code().to_owned());
        });
        (options, noted)
    };
    let mut tasks = Tasks::default();
    let (driver, events) = split(input(), options, async |run| {
        let mut text = run.text();
        text.push("one").await?;
        pending::<()>().await;
        Ok(Outcome::success())
    });
    let driver = tasks.spawn(driver);
    tasks.run();
    assert!(!tasks.is_done(driver));
    receive.abort();
    tasks.run();
    assert!(tasks.is_done(driver));
    assert_eq!(
        tell(&drain(events)),
        "run; text r:a1; content r:a1 one; text-end r:a1; error run_deadline_exceeded"
    );
    assert_eq!(*noted.lock().unwrap(), [Failure::DEADLINE]);
}

/// An agent that opens a text, gives its stopper away and waits for ever.
fn stoppable() -> (
    impl FnOnce(apron_emit::Run) -> Wait + Send + 'static,
    Arc<Mutex<Option<Stopper>>>,
) {
    let given = Arc::new(Mutex::new(None));
    let gift = Arc::clone(&given);
    let agent = move |run: apron_emit::Run| -> Wait {
        Box::pin(async move {
            *gift.lock().unwrap() = Some(run.stopper());
            let mut text = run.text();
            text.push("one").await?;
            pending::<()>().await;
            Ok(Outcome::success())
        })
    };
    (agent, given)
}

type Wait = std::pin::Pin<Box<dyn Future<Output = Answer> + Send>>;

#[test]
fn a_stop_from_elsewhere_closes_and_cancels() {
    let cut = "run; text r:a1; content r:a1 one; text-end r:a1; done cancelled";

    let (agent, given) = stoppable();
    let (options, noted) = noting();
    let mut tasks = Tasks::default();
    let (driver, events) = split(input(), options, agent);
    let driver = tasks.spawn(driver);
    tasks.run();
    let stopper = given.lock().unwrap().take().unwrap();
    // Nobody reads meanwhile.
    stopper.stop();
    stopper.stop();
    tasks.run();
    assert!(tasks.is_done(driver));
    assert_eq!(*noted.lock().unwrap(), ["cancelled"]);
    assert_eq!(tell(&drain(events)), cut);
    stopper.stop();

    // Inside the stream, it takes effect with the reader's next poll, for which it asks.
    let (agent, given) = stoppable();
    let mut events = pin!(stream(input(), agent));
    let flag = Arc::new(Flag::default());
    let waker = Arc::clone(&flag).into();
    let mut context = Context::from_waker(&waker);
    let mut read = Vec::new();
    loop {
        match futures_util::Stream::poll_next(events.as_mut(), &mut context) {
            Poll::Ready(Some(event)) => read.push(event),
            Poll::Ready(None) => break,
            Poll::Pending if flag.take() => {}
            Poll::Pending => {
                given.lock().unwrap().take().expect("one wait").stop();
                assert!(flag.take());
            }
        }
    }
    assert_eq!(tell(&read), cut);
}

#[test]
fn a_stop_wins_over_the_error_that_it_causes() {
    for error in [true, false] {
        let events = both(move |run| async move {
            let mut text = run.text();
            text.push("one").await?;
            run.stopper().stop();
            if error {
                return Err("connection reset".into());
            }
            Ok(Outcome::success())
        });
        assert!(tell(&events).ends_with("text-end r:a1; done cancelled"));
    }
}

#[test]
fn a_driver_that_is_dropped_before_its_first_poll_never_calls_the_agent() {
    let (driver, events) = split(input(), RunOptions::new(), async |_| panic!("never"));
    drop(driver);
    assert_eq!(tell(&drain(events)), "run; error internal_error");
}

#[test]
fn a_driver_that_is_dropped_does_not_leave_the_reader_waiting() {
    for stopped in [false, true] {
        let (agent, given) = stoppable();
        let (options, noted) = noting();
        let mut tasks = Tasks::default();
        let (driver, events) = split(input(), options, agent);
        let driver = tasks.spawn(driver);
        tasks.run();
        if stopped {
            given.lock().unwrap().take().unwrap().stop();
        }
        tasks.abort(driver);
        let end = if stopped {
            "done cancelled"
        } else {
            "error internal_error"
        };
        assert_eq!(
            tell(&drain(events)),
            format!("run; text r:a1; content r:a1 one; text-end r:a1; {end}")
        );
        let ending = if stopped {
            "cancelled"
        } else {
            "failed internal_error"
        };
        assert_eq!(*noted.lock().unwrap(), [ending]);
    }
}

#[test]
fn events_that_are_dropped_drop_the_agent_and_the_hook_hears_once() {
    struct Held(Arc<Mutex<bool>>);
    impl Drop for Held {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = true;
        }
    }
    let dropped = Arc::new(Mutex::new(false));

    // As a task of its own.
    let (options, noted) = noting();
    let held = Held(Arc::clone(&dropped));
    let mut tasks = Tasks::default();
    let (driver, events) = split(input(), options, move |run| async move {
        let _held = held;
        let mut text = run.text();
        text.push("one").await?;
        pending::<()>().await;
        Ok(Outcome::success())
    });
    let driver = tasks.spawn(driver);
    tasks.run();
    drop(events);
    tasks.run();
    assert!(tasks.is_done(driver));
    assert!(*dropped.lock().unwrap());
    assert_eq!(*noted.lock().unwrap(), ["disconnected"]);

    // Inside the stream; the handle's end has nobody to go to.
    let (options, noted) = noting();
    *dropped.lock().unwrap() = false;
    let held = Held(Arc::clone(&dropped));
    let mut events = Box::pin(stream_with(input(), options, move |run| async move {
        let _held = held;
        let mut text = run.text();
        text.push("one").await?;
        pending::<()>().await;
        Ok(Outcome::success())
    }));
    while !matches!(
        next_once(&mut events),
        Poll::Ready(Some(Event::TextMessageContent(_)))
    ) {}
    drop(events);
    assert!(*dropped.lock().unwrap());
    assert_eq!(*noted.lock().unwrap(), ["disconnected"]);
}

#[test]
fn a_driver_whose_reader_left_before_the_first_poll_never_calls_the_agent() {
    let (options, noted) = noting();
    let (driver, events) = split(input(), options, async |_| panic!("never"));
    drop(events);
    assert_eq!(poll_once(pin!(driver)), Poll::Ready(()));
    assert_eq!(*noted.lock().unwrap(), ["disconnected"]);
}

#[test]
fn a_reader_that_leaves_after_the_end_was_not_early() {
    let (options, noted) = noting();
    let (driver, events) = split(input(), options, async |_| Ok(Outcome::success()));
    assert_eq!(poll_once(pin!(driver)), Poll::Ready(()));
    drop(events);
    assert_eq!(*noted.lock().unwrap(), ["finished"]);
}
