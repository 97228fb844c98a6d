//! How events are spelled for clients of the 0.x line.

use apron_http::{Dialect, EventBody};
use apron_protocol::{
    ContentPart, Event, Interrupt, MediaPart, Message, MessagesSnapshot, PartSource, RunAgentInput,
    RunFinished, RunOutcome, TokenUsage, ToolCallResult, ToolMessage,
};
use futures_util::stream;
use serde_json::{Value, json};

use crate::common::{Polled, joined, read, started, text};

fn spelled(dialect: Dialect, event: impl Into<Event>) -> Value {
    let events = stream::iter([event.into()]);
    let body = EventBody::new(events).with_dialect(dialect);
    read(&joined(&Polled::new(body).drain())).remove(0)
}

/// Checks the spelling for 0.x, and that 1.0 gets the event as it is.
#[track_caller]
fn check(event: impl Into<Event>, v0: Value) {
    let event = event.into();
    let v1: Value = serde_json::from_str(&event.to_json()).unwrap();
    assert_eq!(spelled(Dialect::V1, event.clone()), v1);
    assert_eq!(spelled(Dialect::V0, event), v0);
}

fn ended(outcome: RunOutcome) -> RunFinished {
    RunFinished::new("t", "r").with_outcome(outcome)
}

fn parts() -> Vec<ContentPart> {
    let source = PartSource::Url {
        value: "https://example.com/a.png".to_owned(),
        mime_type: None,
    };
    vec![
        ContentPart::text("one "),
        ContentPart::Image(MediaPart::new(source)),
        ContentPart::text("two"),
    ]
}

#[test]
fn a_success_has_no_outcome() {
    let finished = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
    check(ended(RunOutcome::success()), finished.clone());
    let pending = RunOutcome::Success {
        pending_tool_call_ids: vec!["c1".into()],
    };
    check(ended(pending), finished);
}

#[test]
fn a_stop_is_an_error_and_keeps_what_the_run_used() {
    let mut usage = TokenUsage::default();
    usage.input_tokens = Some(3);
    let cancelled = ended(RunOutcome::Cancelled)
        .with_usage(vec![usage])
        .with_timestamp(9)
        .with_result(json!("half"));
    check(
        cancelled,
        json!({
            "type": "RUN_ERROR",
            "message": "The run was stopped.",
            "code": "cancelled",
            "usage": [{"inputTokens": 3}],
            "timestamp": 9,
        }),
    );
}

#[test]
fn an_interrupt_is_the_same() {
    let outcome = RunOutcome::Interrupt {
        interrupts: vec![Interrupt::new("i", "input_required")],
    };
    let event = ended(outcome);
    let same = serde_json::from_str(&Event::from(event.clone()).to_json()).unwrap();
    check(event, same);
}

#[test]
fn a_tool_result_of_parts_is_their_text() {
    check(
        ToolCallResult::new("m", "c", parts()),
        json!({
            "type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": "one two",
        }),
    );
    let message = Message::Tool(ToolMessage::new("m", "c", parts()));
    check(
        MessagesSnapshot::new(vec![message]),
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [
            {"role": "tool", "id": "m", "toolCallId": "c", "content": "one two"},
        ]}),
    );
}

#[test]
fn everything_else_is_the_same() {
    for event in [started(), text("hi")] {
        let same = serde_json::from_str(&event.to_json()).unwrap();
        check(event, same);
    }
}

#[test]
fn what_the_client_declares_decides() {
    let cases = [
        (None, Dialect::V0),
        (Some("0.9"), Dialect::V0),
        (Some("1.0"), Dialect::V1),
        (Some("1.7"), Dialect::V1),
        (Some("1.0.0"), Dialect::V1),
        (Some("soon"), Dialect::V1),
    ];
    for (version, dialect) in cases {
        let mut input = RunAgentInput::new("t", "r");
        input.protocol_version = version.map(str::to_owned);
        assert_eq!(Dialect::for_input(&input), dialect, "{version:?}");
    }
}
