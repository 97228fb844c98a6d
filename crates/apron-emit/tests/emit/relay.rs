//! Relays: sources taken over.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use apron_emit::{Error, Failure, Outcome, Rule, Source, SourceStart, stream};
use apron_protocol::{Event, RunError, RunFinished, RunOutcome, TokenUsage, ToolCallId};
use futures_util::stream as streams;

use crate::script::events as said;
use crate::support::{both, drain, input, tell};
use crate::words;

fn used(tokens: u64) -> TokenUsage {
    let mut usage = TokenUsage::new("provider", "model");
    usage.output_tokens = Some(tokens);
    usage
}

/// Says its lines one poll each, then what `last` says at every poll. Notes polls and its drop.
pub(crate) struct Script {
    lines: std::vec::IntoIter<Event>,
    last: fn() -> Poll<Option<Result<Event, Failure>>>,
    notes: Arc<Mutex<Notes>>,
}

#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) polls: usize,
    pub(crate) dropped: bool,
    first_id: Option<String>,
}

impl Script {
    pub(crate) fn new(
        lines: &str,
        last: fn() -> Poll<Option<Result<Event, Failure>>>,
    ) -> (Self, Arc<Mutex<Notes>>) {
        let notes = Arc::new(Mutex::new(Notes::default()));
        let lines = said(lines).into_iter();
        let source = Self {
            lines,
            last,
            notes: Arc::clone(&notes),
        };
        (source, notes)
    }
}

impl Source for Script {
    fn begin(self: Pin<&mut Self>, mut start: SourceStart<'_>) {
        assert_eq!(start.input.thread_id.as_str(), "t");
        let mut notes = self.notes.lock().unwrap();
        assert!(
            notes.first_id.is_none() && notes.polls == 0,
            "begins once, and first"
        );
        notes.first_id = Some(start.ids.message().to_string());
    }

    fn poll_event(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, Failure>>> {
        self.notes.lock().unwrap().polls += 1;
        match self.lines.next() {
            Some(event) => Poll::Ready(Some(Ok(event))),
            None => (self.last)(),
        }
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        self.notes.lock().unwrap().dropped = true;
    }
}

#[test]
fn what_the_source_says_goes_out_and_its_frame_does_not() {
    let events = both(async |run| {
        let source = said("run; text m; content m; text-end m; call c; args c; call-end c; done");
        let outcome = run.relay(streams::iter(source)).await?;
        assert_eq!(*outcome.kind(), RunOutcome::success());
        Ok(outcome)
    });
    assert_eq!(
        tell(&events),
        "run; text m; content m word; text-end m; call c; args c {}; call-end c; done pending c"
    );
}

#[test]
fn several_relays_make_one_run() {
    let events = both(async |run| {
        let first = run.relay(streams::iter(said("run; call c; args c; done")));
        assert_eq!(*first.await?.kind(), RunOutcome::success());
        run.emit(words::result("x", "c")).await?;
        Ok(run
            .relay(streams::iter(said("run r2; text m; content m; done r2")))
            .await?)
    });
    assert_eq!(
        tell(&events),
        "run; call c; args c {}; call-end c; result x for c answer; text m; content m word; \
         text-end m; done"
    );
}

#[test]
fn a_source_that_just_ends_is_a_success() {
    let (source, notes) = Script::new("step s", || Poll::Ready(None));
    let events = drain(stream(input(), async |run| Ok(run.relay(source).await?)));
    assert_eq!(tell(&events), "run; step s; step-end s; done");
    let notes = notes.lock().unwrap();
    assert_eq!(notes.first_id.as_deref(), Some("r:a1"));
    assert!(notes.dropped);
    assert_eq!(notes.polls, 2);
}

#[test]
fn the_sources_end_is_absorbed_with_what_it_carries() {
    let events = both(async |run| {
        let finished = RunFinished::new("other", "run")
            .with_outcome(RunOutcome::Cancelled)
            .with_usage(vec![used(3)])
            .with_result(42.into())
            .with_metadata("app.reason", "stop");
        run.add_usage(used(1));
        Ok(run.relay(streams::iter([Event::from(finished)])).await?)
    });
    let [Event::RunStarted(_), Event::RunFinished(finished)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(finished.run_id.as_str(), "r");
    assert_eq!(finished.outcome, Some(RunOutcome::Cancelled));
    assert_eq!(finished.usage, [used(4)]);
    assert_eq!(finished.result, Some(42.into()));
    assert_eq!(finished.common.metadata().unwrap()["app.reason"], "stop");
}

#[test]
fn pending_calls_are_worked_out_after_the_relay() {
    let events = both(async |run| {
        let mine = run.tool_call_with("mine", "ask", None).await?.end().await?;
        let pending = |ids: &[&str]| RunOutcome::Success {
            pending_tool_call_ids: ids.iter().map(|id| ToolCallId::from(*id)).collect(),
        };
        let mut source = said("call c; call-end c; call d; call-end d");
        source.push(
            RunFinished::new("t", "r")
                .with_outcome(pending(&["c", "d"]))
                .into(),
        );
        let outcome = run.relay(streams::iter(source)).await?;
        assert_eq!(
            outcome.pending_tool_call_ids(),
            ["c", "d"].map(ToolCallId::from)
        );
        // The agent runs one of the tools itself, and has asked one thing of its own.
        run.emit(words::result("x", "c")).await?;
        drop(mine);
        Ok(outcome)
    });
    assert!(
        tell(&events).ends_with("done pending mine d"),
        "{}",
        tell(&events)
    );
}

#[test]
fn a_sources_failure_ends_the_run_with_its_code_and_counts_its_tokens_once() {
    let error = || RunError::new("overloaded", "Try again.").with_usage(vec![used(5)]);
    let events = both(move |run| async move {
        let mut source = said("text m; content m");
        source.push(error().into());
        let failed = run.relay(streams::iter(source)).await;
        let Err(Error::Failed(failure)) = &failed else {
            panic!("{failed:?}");
        };
        assert_eq!(
            (failure.code(), failure.message()),
            ("overloaded", "Try again.")
        );
        assert_eq!(failure.usage(), [used(5)]);
        Ok(failed?)
    });
    assert_eq!(
        tell(&events),
        "run; text m; content m word; text-end m; error overloaded"
    );
    let Some(Event::RunError(failed)) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(
        (failed.message.as_str(), &failed.usage),
        ("Try again.", &vec![used(5)])
    );

    // Answered by another model, its tokens were used all the same.
    let events = both(move |run| async move {
        let failed = run.relay(streams::iter([Event::from(error())])).await;
        assert!(failed.is_err());
        Ok(run
            .relay(streams::iter(said("text n; content n; done")))
            .await?)
    });
    let Some(Event::RunFinished(finished)) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(finished.usage, [used(5)]);

    // Wrapped in an error of the agent's, they are counted once as well.
    #[derive(Debug, thiserror::Error)]
    #[error("the model failed")]
    struct Wrapped(#[source] Error);
    let events = both(move |run| async move {
        let failed = run.relay(streams::iter([Event::from(error())])).await;
        Err(Wrapped(failed.unwrap_err()).into())
    });
    let Some(Event::RunError(failed)) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(failed.code.as_deref(), Some("overloaded"));
    assert_eq!(failed.usage, [used(5)]);

    // Hidden by the agent's error type, code and tokens survive.
    let events = both(move |run| async move {
        let failed = run.relay(streams::iter([Event::from(error())])).await;
        Err(failed.unwrap_err().to_string().into())
    });
    let Some(Event::RunError(failed)) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(failed.code.as_deref(), Some("overloaded"));
    assert_eq!(failed.usage, [used(5)]);
}

#[test]
fn a_failure_that_another_relay_made_good_is_forgotten() {
    let events = both(async |run| {
        let error = Event::from(RunError::new("overloaded", "Try again."));
        assert!(run.relay(streams::iter([error])).await.is_err());
        let again = run.relay(streams::iter(said("text m; done")));
        assert_eq!(*again.await?.kind(), RunOutcome::success());
        Err("unrelated".into())
    });
    assert_eq!(
        tell(&events),
        "run; text m; text-end m; error internal_error"
    );
}

#[test]
fn an_error_without_a_code_gets_one() {
    let events = both(async |run| {
        let mut error = RunError::new("-", "Try again.");
        error.code = None;
        Ok(run.relay(streams::iter([Event::from(error)])).await?)
    });
    assert_eq!(tell(&events), "run; error internal_error");
}

#[test]
fn what_a_source_leaves_open_is_closed_as_it_ended() {
    let open = "agent a; text m @a; span q; thought q; step s; call c";
    let closed = "call-end c; step-end s; thought-end q; span-end q; text-end m @a";
    for (last, end) in [
        (
            "done",
            "agent-end a; custom after; text-end r:a1; done pending c",
        ),
        (
            "done cancelled",
            "agent-error a; custom after; text-end r:a1; done pending c",
        ),
        (
            "error",
            "agent-error a; custom after; text-end r:a1; done pending c",
        ),
    ] {
        let events = both(move |run| async move {
            let mut text = run.text();
            text.push("mine").await?;
            let source = said(&format!("{open}; {last}"));
            let outcome = run.relay(streams::iter(source)).await;
            assert_eq!(outcome.is_err(), last == "error");
            // What the agent has open itself stays so.
            run.custom("after", 1).await?;
            Ok(Outcome::success())
        });
        assert_eq!(
            tell(&events),
            format!(
                "run; text r:a1; content r:a1 mine; agent a; text m @a; span q; thought q; step s; \
                 call c; args c {{}}; {closed}; {end}"
            ),
            "{last}"
        );
        for event in &events {
            if let Event::SubagentError(cut) = event {
                let expected = if last == "error" {
                    "run_failed"
                } else {
                    "cancelled"
                };
                assert_eq!(cut.code.as_deref(), Some(expected));
            }
        }
    }
}

#[test]
fn a_source_that_speaks_out_of_order_fails_the_relay() {
    let (source, notes) = Script::new("text m; content n; content m", || Poll::Pending);
    let events = drain(stream(input(), async |run| {
        let Err(Error::Violation(violation)) = run.relay(source).await else {
            panic!("out of order");
        };
        assert_eq!(violation.rule, Rule::NotOpen);
        Err(violation.into())
    }));
    assert_eq!(
        tell(&events),
        "run; text m; text-end m; error internal_error"
    );
    assert!(notes.lock().unwrap().dropped);
}

#[test]
fn a_relay_that_is_dropped_midway_drops_the_source_and_closes() {
    let (source, notes) = Script::new("agent a; text m; content m", || Poll::Pending);
    let dropped = Arc::clone(&notes);
    let events = drain(stream(input(), move |run| async move {
        let mut relay = Box::pin(run.relay(source));
        while !matches!(futures_util::poll!(&mut relay), Poll::Pending) {}
        drop(relay);
        assert!(dropped.lock().unwrap().dropped);
        run.custom("after", 1).await?;
        Ok(Outcome::success())
    }));
    assert_eq!(
        tell(&events),
        "run; agent a; text m; content m word; text-end m; agent-error a; custom after; done"
    );
}

#[test]
fn ten_thousand_items_of_a_relay_cost_no_search() {
    let lines = (0..10_000).flat_map(|id| said(&format!("text {id}")));
    let closed =
        (0..10_000).flat_map(|id| said(&format!("text-end {id}; call c{id}; call-end c{id}")));
    let source: Vec<Event> = lines.chain(closed).collect();
    let events = drain(stream(input(), async |run| {
        Ok(run.relay(streams::iter(source)).await?)
    }));
    // Two for each text; start, arguments and end for each call; and the run's own.
    assert_eq!(events.len(), 50_002);
}
