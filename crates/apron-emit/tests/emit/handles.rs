//! Handles: what they open, say and close.

use std::sync::{Arc, Mutex};

use apron_emit::{
    Attach, Cancelled, Driver, Emit, EndedToolCall, Error, Events, Open, Outcome, Push, Reasoning,
    Relay, Rule, Run, RunOptions, RunStream, Step, Stopper, TextMessage, ToolCall, split, stream,
};
use apron_protocol::{Event, RunAgentInput, TextMessageContent, ToolCallArgs, ToolCallEnd};

use crate::support::{Tasks, both, input, read, rule_of, tell};
use crate::words;

#[test]
fn a_message_that_says_nothing_never_appears() {
    let events = both(async |run| {
        let mut text = run.text();
        text.set_metadata("lost", true);
        text.push("").await?;
        assert_eq!(text.id(), None);
        text.end().await?;
        drop(run.text());
        let mut reasoning = run.reasoning();
        reasoning.push("").await?;
        reasoning.end_message();
        reasoning.end().await?;
        // A push that is made and not awaited says nothing either.
        let mut text = run.text();
        drop(text.push("never"));
        Ok(Outcome::success())
    });
    assert_eq!(tell(&events), "run; done");
}

#[test]
fn empty_deltas_are_dropped_whoever_sends_them() {
    let events = both(async |run| {
        let mut text = run.text();
        text.push("a").await?;
        text.push("").await?;
        text.push("b").await?;
        text.end().await?;
        run.emit(words::text("m")).await?;
        run.emit(TextMessageContent::new("m", "")).await?;
        let marked = TextMessageContent::new("m", "").with_metadata("app.mark", 1);
        run.emit(marked).await?;
        // Nothing is sent, but it must be in order.
        assert_eq!(
            rule_of(run.emit(TextMessageContent::new("n", "")).await),
            Rule::NotOpen
        );
        Ok(Outcome::success())
    });
    assert_eq!(
        tell(&events),
        "run; text r:a1; content r:a1 a; content r:a1 b; text-end r:a1; \
         text m; content m ; text-end m; done"
    );
}

#[test]
fn a_call_without_arguments_gets_an_empty_object_whoever_ends_it() {
    let events = both(async |run| {
        run.tool_call_with("ended", "now", None)
            .await?
            .end()
            .await?;
        drop(run.tool_call_with("dropped", "now", None).await?);
        let mut empty = run.tool_call_with("empty", "now", None).await?;
        empty.push("").await?;
        empty.result("noon").await?;
        run.emit(words::call("raw")).await?;
        run.emit(ToolCallArgs::new("raw", "")).await?;
        run.emit(ToolCallEnd::new("raw")).await?;
        run.emit(words::by(words::call("owned"), "s")).await?;
        run.emit(words::by(words::call_end("owned"), "s")).await?;
        run.emit(words::call("full")).await?;
        run.emit(ToolCallArgs::new("full", "[]")).await?;
        run.emit(ToolCallEnd::new("full")).await?;
        std::mem::forget(run.tool_call_with("forgotten", "now", None).await?);
        Ok(Outcome::success())
    });
    let arguments: Vec<String> = events
        .iter()
        .filter(|event| matches!(event, Event::ToolCallArgs(_)))
        .map(|event| tell(std::slice::from_ref(event)))
        .collect();
    assert_eq!(
        arguments,
        [
            "args ended {}",
            "args dropped {}",
            "args empty {}",
            "args raw {}",
            "args owned {} @s",
            "args full []",
            "args forgotten {}",
        ]
    );
}

#[test]
fn reasoning_has_a_span_and_a_message_a_segment() {
    let events = both(async |run| {
        let mut reasoning = run.reasoning();
        reasoning.push("a").await?;
        reasoning.push("b").await?;
        reasoning.end_message();
        reasoning.end_message();
        reasoning.push("c").await?;
        reasoning.end().await?;
        let mut reasoning = run.reasoning();
        reasoning.push("d").await?;
        Ok(Outcome::success())
    });
    assert_eq!(
        tell(&events),
        "run; span r:r1; thought r:r2; thinking r:r2 a; thinking r:r2 b; thought-end r:r2; \
         thought r:r3; thinking r:r3 c; thought-end r:r3; span-end r:r1; span r:r4; \
         thought r:r5; thinking r:r5 d; thought-end r:r5; span-end r:r4; done"
    );
}

#[test]
fn hidden_reasoning_names_a_message_that_exists() {
    let events = both(async |run| {
        // Nothing was said: to an empty message.
        let mut reasoning = run.reasoning();
        reasoning.encrypted("one").await?;
        // To the one that is open.
        reasoning.encrypted("two").await?;
        reasoning.end_message();
        // To the one that ended last.
        reasoning.encrypted("three").await?;
        reasoning.push("a").await?;
        reasoning.encrypted("four").await?;
        // Made and not awaited, it opens nothing and says nothing.
        let mut quiet = run.reasoning();
        drop(quiet.encrypted("never"));
        Ok(Outcome::success())
    });
    assert_eq!(
        tell(&events),
        "run; span r:r1; thought r:r2; hidden r:r2 one; hidden r:r2 two; thought-end r:r2; \
         hidden r:r2 three; thought r:r3; thinking r:r3 a; hidden r:r3 four; thought-end r:r3; \
         span-end r:r1; done"
    );
}

#[test]
fn metadata_goes_with_the_end() {
    let events = both(async |run| {
        let mut text = run.text();
        text.push("a").await?;
        text.set_metadata("app.a", 1);
        text.end().await?;
        let mut call = run.tool_call("look").await?;
        call.set_metadata("app.b", 2);
        drop(call);
        Ok(Outcome::success())
    });
    let marked: Vec<String> = events
        .iter()
        .filter_map(|event| Some((event.event_type(), event.metadata()?)))
        .map(|(kind, metadata)| format!("{kind} {}", serde_json::to_string(metadata).unwrap()))
        .collect();
    assert_eq!(
        marked,
        [
            r#"TEXT_MESSAGE_END {"app.a":1}"#,
            r#"TOOL_CALL_END {"app.b":2}"#
        ]
    );
}

#[test]
fn an_item_that_was_ended_behind_its_handle_is_not_open() {
    let events = both(async |run| {
        let mut text = run.text().with_id("m");
        text.push("a").await?;
        run.emit(words::text_end("m")).await?;
        let refused = text.push("b").await;
        let Err(Error::Violation(violation)) = &refused else {
            panic!("{refused:?}");
        };
        assert_eq!(
            (violation.rule, violation.id.as_deref()),
            (Rule::NotOpen, Some("m"))
        );
        // Reopened by hand, it is not the handle's any more.
        run.emit(words::text("m")).await?;
        text.end().await?;
        Ok(Outcome::success())
    });
    assert_eq!(
        tell(&events),
        "run; text m; content m a; text-end m; text m; text-end m; done"
    );
}

#[test]
fn handles_that_outlive_the_run_are_told_and_leave_no_trace() {
    async fn all_say(run: &Run, said: &str) {
        let mut text = run.text();
        let answers = [
            text.push("late").await.unwrap_err().to_string(),
            run.reasoning().push("late").await.unwrap_err().to_string(),
            run.reasoning()
                .encrypted("late")
                .await
                .unwrap_err()
                .to_string(),
            run.tool_call("late").await.unwrap_err().to_string(),
            run.step("late").await.unwrap_err().to_string(),
            run.custom("late", 1).await.unwrap_err().to_string(),
            run.raw(1, "late").await.unwrap_err().to_string(),
        ];
        for answer in answers {
            assert_eq!(answer, said);
        }
        assert!(run.is_cancelled());
        run.cancelled().await;
        run.stopper().stop();
    }

    for disconnect in [false, true] {
        let kept = Arc::new(Mutex::new(None));
        let keep = Arc::clone(&kept);
        let mut tasks = Tasks::default();
        let spawner = tasks.spawner();
        let (driver, events) = split(input(), RunOptions::new(), move |run| async move {
            let mut text = run.text();
            text.push("a").await?;
            let call = run.tool_call_with("c", "f", None).await?;
            *keep.lock().unwrap() = Some((run.clone(), text, call));
            if disconnect {
                std::future::pending::<()>().await;
            }
            Ok(Outcome::success())
        });
        tasks.spawn(driver);
        tasks.run();
        if disconnect {
            drop(events);
        } else {
            assert_eq!(
                tell(&read(&mut tasks, events)),
                "run; text r:a1; content r:a1 a; call c under r:a1; args c {}; call-end c; \
                 text-end r:a1; done pending c"
            );
        }
        let (run, mut text, mut call) = kept.lock().unwrap().take().unwrap();
        let said = if disconnect {
            "the client is gone"
        } else {
            "the run has ended"
        };
        let finished = Arc::new(Mutex::new(false));
        let finish = Arc::clone(&finished);
        spawner.spawn(async move {
            assert_eq!(text.push("b").await.unwrap_err().to_string(), said);
            assert_eq!(call.push("b").await.unwrap_err().to_string(), said);
            assert_eq!(text.end().await.unwrap_err().to_string(), said);
            assert_eq!(call.end().await.unwrap_err().to_string(), said);
            all_say(&run, said).await;
            *finish.lock().unwrap() = true;
        });
        tasks.run();
        assert!(*finished.lock().unwrap());
    }
}

#[test]
fn cancelled_wakes_the_tasks_that_an_agent_has_spawned() {
    let mut tasks = Tasks::default();
    let spawner = tasks.spawner();
    let heard = Arc::new(Mutex::new(false));
    let hear = Arc::clone(&heard);
    let (driver, events) = split(input(), RunOptions::new(), move |run| async move {
        let child = run.clone();
        spawner.spawn(async move {
            assert!(!child.is_cancelled());
            child.cancelled().await;
            *hear.lock().unwrap() = true;
        });
        std::future::pending::<()>().await;
        Ok(Outcome::success())
    });
    tasks.spawn(driver);
    tasks.run();
    assert!(!*heard.lock().unwrap());
    drop(events);
    tasks.run();
    assert!(*heard.lock().unwrap());
}

#[test]
fn everything_may_be_sent_to_another_thread_and_shared() {
    fn both_ways<T: Send + Sync + 'static>() {}
    fn sent<T: Send>() {}
    both_ways::<Run>();
    both_ways::<Stopper>();
    both_ways::<Cancelled>();
    both_ways::<TextMessage>();
    both_ways::<Reasoning>();
    both_ways::<ToolCall>();
    both_ways::<EndedToolCall>();
    both_ways::<Step>();
    both_ways::<Emit>();
    both_ways::<Events>();
    both_ways::<Error>();
    both_ways::<apron_emit::Failure>();
    sent::<Push<'_>>();
    sent::<Attach<'_>>();
    sent::<Open<ToolCall>>();
    sent::<Relay<futures_util::stream::Empty<Event>>>();
    sent::<Driver<std::future::Pending<crate::support::Answer>>>();
    sent::<RunStream<std::future::Pending<crate::support::Answer>>>();
}

#[test]
fn what_is_held_a_run_is_small() {
    assert!(size_of::<Event>() <= 112, "{}", size_of::<Event>());
    assert_eq!(size_of::<Run>(), 8);
    assert!(size_of::<Push<'_>>() <= 64, "{}", size_of::<Push<'_>>());
    assert!(size_of::<Emit>() <= 136, "{}", size_of::<Emit>());
    assert!(
        size_of::<Open<ToolCall>>() <= 40,
        "{}",
        size_of::<Open<ToolCall>>()
    );
    assert!(
        size_of::<TextMessage>() <= 144,
        "{}",
        size_of::<TextMessage>()
    );
    assert!(size_of::<Reasoning>() <= 136, "{}", size_of::<Reasoning>());
    assert!(size_of::<ToolCall>() <= 96, "{}", size_of::<ToolCall>());
    assert!(size_of::<Step>() <= 48, "{}", size_of::<Step>());
    let waiting = stream(RunAgentInput::new("t", "r"), async |_| {
        std::future::pending::<()>().await;
        Ok(Outcome::success())
    });
    assert!(size_of_val(&waiting) <= 128, "{}", size_of_val(&waiting));
}
