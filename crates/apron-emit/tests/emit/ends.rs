//! How runs end: by what the agent returns, and by a panic.

use std::future::pending;
use std::pin::pin;
use std::task::Poll;

use apron_emit::{Error, Outcome, Rule, RunOptions, split, stream, stream_with};
use apron_protocol::{Event, Interrupt};

use crate::support::{Tasks, both, drain, input, next_once, noting, poll_once, read, tell, used};
use crate::words;

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
