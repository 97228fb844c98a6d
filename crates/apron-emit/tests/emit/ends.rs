//! How runs end: by what the agent returns, by a stop, a deadline, a drop or a panic.

use std::fmt;
use std::future::{Future, pending};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use apron_emit::{
    BoxError, Ending, Error, Failure, Outcome, Rule, RunOptions, Stopper, split, stream,
    stream_with,
};
use apron_protocol::{Event, Interrupt, TokenUsage};

use crate::support::{Answer, Flag, Tasks, both, drain, input, next_once, poll_once, read, tell};
use crate::words;

fn used(model: &str, tokens: u64) -> TokenUsage {
    let mut usage = TokenUsage::new("provider", model);
    usage.input_tokens = Some(tokens);
    usage
}

/// Options with a hook that notes how the run ended.
fn noting() -> (RunOptions, Arc<Mutex<Vec<String>>>) {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&noted);
    let options = RunOptions::new().on_end(move |ending| {
        notes.lock().unwrap().push(match ending {
            Ending::Finished(_) => "finished".to_owned(),
            Ending::Failed(failure) => format!("failed {}", failure.code()),
            Ending::Cancelled => "cancelled".to_owned(),
            Ending::Disconnected => "disconnected".to_owned(),
            other => format!("{other:?}"),
        });
    });
    (options, noted)
}

#[test]
fn a_success_closes_what_is_open_and_names_the_pending_calls() {
    let events = both(async |run| {
        let mut text = run.text();
        text.push("Let me look.").await?;
        let mut look = run.tool_call_with("look", "look", None).await?;
        look.push("{\"at\":").await?;
        let ask = run.tool_call_with("ask", "ask", None).await?;
        look.push("1}").await?;
        look.result("seen").await?;
        ask.end().await?;
        // Forgotten on purpose: the run knows what is open.
        std::mem::forget(text);
        std::mem::forget(run.step("plan").await?);
        Ok(Outcome::success())
    });
    assert_eq!(
        tell(&events),
        "run; text r:a1; content r:a1 Let me look.; call look under r:a1; args look {\"at\":; \
         call ask under r:a1; args look 1}; call-end look; result look:result for look seen; \
         args ask {}; call-end ask; step plan; step-end plan; text-end r:a1; done pending ask"
    );
}

#[test]
fn an_interrupt_waits_for_its_answers() {
    let events = both(async |run| {
        let mut text = run.text();
        text.push("May I?").await?;
        let interrupts = vec![
            Interrupt::new("i", "approval"),
            Interrupt::new("j", "approval"),
        ];
        Ok(Outcome::interrupt(interrupts))
    });
    assert_eq!(
        tell(&events),
        "run; text r:a1; content r:a1 May I?; text-end r:a1; done interrupt i j"
    );
}

#[test]
fn an_outcome_that_the_ledger_refuses_is_a_failure() {
    let twice = || {
        vec![
            Interrupt::new("i", "approval"),
            Interrupt::new("i", "approval"),
        ]
    };
    for interrupts in [Vec::new(), twice()] {
        let (options, noted) = noting();
        let events = drain(stream_with(input(), options, move |_| async move {
            Ok(Outcome::interrupt(interrupts).with_usage(used("m", 1)))
        }));
        assert_eq!(tell(&events), "run; error internal_error");
        assert_eq!(*noted.lock().unwrap(), ["failed internal_error"]);
        let Some(Event::RunError(error)) = events.last() else {
            panic!("{events:?}");
        };
        assert_eq!(error.usage, [used("m", 1)]);
    }
}

/// Wraps an error and shows it as its source.
#[derive(Debug, thiserror::Error)]
#[error("outer")]
struct Outer(#[source] BoxError);

/// Wraps an error and hides it, as `anyhow` does without a context.
struct Hiding(BoxError);

impl fmt::Debug for Hiding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Display for Hiding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for Hiding {}

#[derive(Debug, thiserror::Error)]
enum Mine {
    #[error("emitting")]
    Emit(#[from] Error),
    #[error(transparent)]
    Transparent(Failure),
}

fn quota() -> Failure {
    Failure::new("quota", "You are out of quota.").with_usage(vec![used("m", 7)])
}

/// The code, message and tokens of the `RUN_ERROR` that `error` ends a run with.
fn error_of(
    fail: impl Fn(&apron_emit::Run) -> BoxError + Clone + Send + 'static,
) -> (String, String, Vec<TokenUsage>) {
    let events = both(move |run| {
        let error = fail(&run);
        async move { Err(error) }
    });
    let [Event::RunStarted(_), Event::RunError(error)] = events.as_slice() else {
        panic!("{events:?}");
    };
    (
        error.code.clone().unwrap(),
        error.message.clone(),
        error.usage.clone(),
    )
}

#[test]
fn a_failure_is_found_however_deep_it_lies() {
    let expected = (
        "quota".to_owned(),
        "You are out of quota.".to_owned(),
        vec![used("m", 7)],
    );
    assert_eq!(error_of(|_| quota().into()), expected);
    assert_eq!(error_of(|_| Error::from(quota()).into()), expected);
    assert_eq!(
        error_of(|_| Mine::from(Error::from(quota())).into()),
        expected
    );
    let outer = |_: &_| Outer(Outer(Outer(quota().into()).into()).into()).into();
    assert_eq!(error_of(outer), expected);
}

#[test]
fn a_failure_that_is_hidden_is_the_one_that_the_run_noted() {
    let hidden = error_of(|run| Hiding(run.fail("quota", "You are out.").into()).into());
    assert_eq!(
        hidden,
        ("quota".to_owned(), "You are out.".to_owned(), vec![])
    );
    let hidden = error_of(|run| Mine::Transparent(run.fail("quota", "You are out.")).into());
    assert_eq!(hidden.0, "quota");

    // One that the run did not note is gone, and nothing of it reaches the client.
    let hidden = error_of(|_| Hiding(quota().into()).into());
    let internal = (
        "internal_error".to_owned(),
        "The run failed.".to_owned(),
        vec![],
    );
    assert_eq!(hidden, internal);
    assert_eq!(error_of(|_| "secret".into()), internal);
    assert_eq!(error_of(|_| Outer("secret".into()).into()), internal);
}

#[test]
fn an_error_of_the_run_itself_is_not_mistaken_for_the_failure_noted_before() {
    let events = both(async |run| {
        // Made and not returned.
        drop(run.fail("quota", "You are out."));
        run.emit(words::done()).await?;
        Ok(Outcome::success())
    });
    assert_eq!(tell(&events), "run; error internal_error");
}

#[test]
fn the_cause_of_a_failure_is_for_the_hook_and_not_for_the_wire() {
    let causes = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&causes);
    let options = RunOptions::new().on_end(move |ending| {
        let Ending::Failed(failure) = ending else {
            return;
        };
        let cause = failure.cause().unwrap();
        notes
            .lock()
            .unwrap()
            .push((cause.to_string(), cause.source().unwrap().to_string()));
    });
    let events = drain(stream_with(input(), options, async |_| {
        Err(Outer(quota().with_cause("secret").into()).into())
    }));
    assert_eq!(
        *causes.lock().unwrap(),
        [("outer".to_owned(), quota().to_string())]
    );
    assert!(!events.last().unwrap().to_json().contains("secret"));
}

#[test]
fn tokens_are_counted_once_and_per_model_on_success_and_failure() {
    let success = both(async |run| {
        run.add_usage(used("a", 1));
        run.add_usage(used("b", 10));
        run.add_usage(TokenUsage::new("provider", "unknown"));
        Ok(Outcome::success()
            .with_usage(used("a", 2))
            .with_usage(used("a", 3)))
    });
    let Some(Event::RunFinished(finished)) = success.last() else {
        panic!("{success:?}");
    };
    assert_eq!(finished.usage, [used("a", 6), used("b", 10)]);

    let failure = both(async |run| {
        run.add_usage(used("m", 1));
        Err(Outer(quota().into()).into())
    });
    let Some(Event::RunError(error)) = failure.last() else {
        panic!("{failure:?}");
    };
    assert_eq!(error.usage, [used("m", 8)]);

    let cancelled = both(async |run| {
        run.add_usage(used("m", 1));
        run.stopper().stop();
        Err(quota().into())
    });
    let Some(Event::RunFinished(finished)) = cancelled.last() else {
        panic!("{cancelled:?}");
    };
    assert_eq!(finished.usage, [used("m", 8)]);
}

#[test]
fn result_and_metadata_reach_the_terminal_event() {
    let events = both(async |_| {
        Ok(Outcome::success()
            .with_result(42.into())
            .with_metadata("app.cost", 3))
    });
    let Some(Event::RunFinished(finished)) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(finished.result, Some(42.into()));
    assert_eq!(finished.common.metadata().unwrap()["app.cost"], 3);
}

#[test]
fn a_panic_is_a_failure_wherever_it_comes() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("secret");
        }
    }

    // Before the first await: in the closure, which is no future yet.
    let events = both(|run| {
        assert!(run.input().messages.len() > 7, "secret");
        async { Ok(Outcome::success()) }
    });
    assert_eq!(tell(&events), "run; error internal_error");

    let events = both(async |run| {
        let mut text = run.text();
        text.push("one").await?;
        panic!("secret");
    });
    let cut = "run; text r:a1; content r:a1 one; text-end r:a1";
    assert_eq!(tell(&events), format!("{cut}; error internal_error"));
    assert!(
        events
            .iter()
            .all(|event| !event.to_json().contains("secret"))
    );

    // In a destructor, while the agent is dropped by a stop.
    let events = both(async |run| {
        let bomb = Bomb;
        let mut text = run.text();
        text.push("one").await?;
        run.stopper().stop();
        pending::<()>().await;
        drop(bomb);
        Ok(Outcome::success())
    });
    assert_eq!(tell(&events), format!("{cut}; done cancelled"));

    // In the destructor of what the agent leaves behind when it is done.
    let events = both(async |_| {
        let _bomb = Bomb;
        Ok(Outcome::success())
    });
    assert_eq!(tell(&events), "run; error internal_error");
}

/// An error whose text and sources panic.
struct Mean;

impl fmt::Debug for Mean {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no debug")
    }
}

impl fmt::Display for Mean {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no text")
    }
}

impl std::error::Error for Mean {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        panic!("no source")
    }
}

impl Drop for Mean {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("no end");
        }
    }
}

#[test]
fn code_of_the_user_that_panics_at_the_end_does_not_take_the_end_along() {
    // The error's own code.
    let events = both(async |_| Err(Mean.into()));
    assert_eq!(tell(&events), "run; error internal_error");
    let events = both(async |_| Err(quota().with_cause(Mean).into()));
    assert_eq!(tell(&events), "run; error quota");

    // The hook.
    let options = RunOptions::new().on_end(|_| panic!("no hook"));
    let events = drain(stream_with(input(), options, async |_| {
        Ok(Outcome::success())
    }));
    assert_eq!(tell(&events), "run; done");

    // The timer.
    let options = RunOptions::new().with_deadline(async { panic!("no timer") });
    let events = drain(stream_with(input(), options, async |_| {
        Ok(Outcome::success())
    }));
    assert_eq!(tell(&events), "run; error internal_error");
}

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

#[test]
fn a_driver_that_is_polled_on_stays_ready_and_the_stream_stays_ended() {
    let (driver, events) = split(input(), RunOptions::new(), async |_| Ok(Outcome::success()));
    let mut driver = pin!(driver);
    assert_eq!(poll_once(driver.as_mut()), Poll::Ready(()));
    assert_eq!(poll_once(driver.as_mut()), Poll::Ready(()));
    let mut events = events;
    let mut tasks = Tasks::default();
    assert_eq!(tell(&read(&mut tasks, &mut events)), "run; done");
    assert_eq!(next_once(&mut events), Poll::Ready(None));

    let mut events = Box::pin(stream(input(), async |_| Ok(Outcome::success())));
    assert_eq!(tell(&drain(&mut events)), "run; done");
    assert_eq!(next_once(&mut events), Poll::Ready(None));
}

#[test]
fn ten_thousand_panics_each_leave_one_terminal_event() {
    for round in 0..10_000_u32 {
        let words = round % 7;
        let events = drain(stream(input(), move |run| async move {
            let mut text = run.text();
            for _ in 0..words {
                text.push("word").await?;
            }
            // As a panic, without ten thousand reports of it.
            std::panic::resume_unwind(Box::new(round))
        }));
        let said = |event: &&Event| matches!(event, Event::TextMessageContent(_));
        assert_eq!(events.iter().filter(said).count(), words as usize);
        assert_eq!(events.iter().filter(|event| event.is_terminal()).count(), 1);
        assert!(matches!(events.last(), Some(Event::RunError(_))));
    }
}

#[test]
fn the_terminal_event_is_the_runs_own() {
    let events = both(async |run| {
        for event in [words::done(), words::error()] {
            let Err(Error::Violation(violation)) = run.emit(event).await else {
                panic!("a terminal event of the agent's");
            };
            assert_eq!(violation.rule, Rule::TerminalReserved);
        }
        let Err(Error::Violation(violation)) = run.emit(words::run()).await else {
            panic!("a second start");
        };
        assert_eq!(violation.rule, Rule::RunActive);
        Ok(Outcome::success())
    });
    assert_eq!(tell(&events), "run; done");
}
