//! Reading events: unknown, corrupt, and what is left out.

use std::error::Error as _;

use apron_protocol::{Decoded, Error, Event, RunOutcome};
use serde_json::{Value, json};

#[test]
fn what_is_no_object_with_a_type_is_corrupt() {
    for text in [
        "",
        "null",
        "7",
        "[]",
        "\"RUN_STARTED\"",
        "{}",
        r#"{"type":null}"#,
        r#"{"type":7}"#,
        r#"{"type":""}"#,
        r#"{"type":"RAW","event":1"#,
        r#"{"type":"RAW","event":1} x"#,
        "[DONE]",
    ] {
        match Decoded::from_slice(text.as_bytes()) {
            Decoded::Corrupt(err @ Error::NotAnEvent(_)) => {
                assert_eq!(err.to_string(), "the text is no event", "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(matches!(
        Decoded::from_slice(b"{\"type\":\"RAW\xff\"}"),
        Decoded::Corrupt(_)
    ));
}

#[test]
fn an_event_of_another_version_is_unknown_and_kept_whole() {
    for kind in [
        "META",
        "THINKING_START",
        "run_started",
        "SUBAGENT_PAUSED",
        "X\u{2028}",
    ] {
        let value = json!({ "type": kind, "delta": null, "timestamp": "noon" });
        for decoded in [
            Decoded::from_slice(value.to_string().as_bytes()),
            Decoded::from_value(value.clone()),
        ] {
            match decoded {
                Decoded::Unknown { kind: read, raw } => {
                    assert_eq!(read, kind);
                    assert_eq!(raw, value);
                }
                other => panic!("{kind}: {other:?}"),
            }
        }
    }
}

#[test]
fn the_type_may_come_last() {
    let event = read(r#"{"delta":"Hi","messageId":"m1","type":"TEXT_MESSAGE_CONTENT"}"#);
    assert_eq!(event.unwrap().event_type().as_str(), "TEXT_MESSAGE_CONTENT");
}

#[test]
fn a_corrupt_event_says_which_and_why() {
    let decoded = Decoded::from_slice(br#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1"}"#);
    let Decoded::Corrupt(err) = decoded else {
        panic!("{decoded:?}");
    };
    assert_eq!(err.to_string(), "malformed TEXT_MESSAGE_CONTENT event");
    let why = err.source().expect("a cause").to_string();
    assert!(why.contains("missing field `delta`"), "{why}");
}

#[test]
fn a_timestamp_is_a_whole_number_that_javascript_can_hold() {
    let read = |number: &str| {
        let text = format!(r#"{{"type":"STEP_STARTED","stepName":"a","timestamp":{number}}}"#);
        Decoded::from_slice(text.as_bytes())
            .into_event()
            .map(|event| event.timestamp())
    };
    for (number, expected) in [
        ("0", Some(0)),
        ("-5", Some(-5)),
        ("1e3", Some(1000)),
        ("1730000000000.0", Some(1_730_000_000_000)),
        ("9007199254740991", Some(9_007_199_254_740_991)),
        ("-9007199254740991", Some(-9_007_199_254_740_991)),
        ("null", None),
    ] {
        assert_eq!(read(number), Some(expected), "{number}");
    }
    for number in [
        "1.5",
        "9007199254740992",
        "-9007199254740992",
        "9007199254740992.0",
        "18446744073709551615",
        "1e300",
        "\"7\"",
        "true",
        "{}",
    ] {
        assert_eq!(read(number), None, "{number}");
    }
}

#[test]
fn a_count_is_a_timestamp_that_is_not_negative() {
    let read = |number: &str| {
        let text =
            format!(r#"{{"type":"RUN_ERROR","message":"","usage":[{{"inputTokens":{number}}}]}}"#);
        match Decoded::from_slice(text.as_bytes()).into_event() {
            Some(Event::RunError(event)) => Some(event.usage[0].input_tokens),
            _ => None,
        }
    };
    assert_eq!(read("0"), Some(Some(0)));
    assert_eq!(read("2e1"), Some(Some(20)));
    assert_eq!(read("null"), Some(None));
    assert_eq!(read("9007199254740991"), Some(Some(9_007_199_254_740_991)));
    for number in ["-1", "-0.5", "1.5", "9007199254740992", "\"7\"", "[]"] {
        assert_eq!(read(number), None, "{number}");
    }
}

#[test]
fn an_outcome_of_an_unknown_type_is_absent() {
    let outcome = |outcome: Value| {
        let value =
            json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome });
        match Decoded::from_value(value) {
            Decoded::Event(Event::RunFinished(event)) => Some(event.outcome),
            _ => None,
        }
    };
    assert_eq!(
        outcome(json!({ "type": "paused", "interrupts": 7 })),
        Some(None)
    );
    assert_eq!(outcome(json!({ "type": "Success" })), Some(None));
    assert_eq!(outcome(Value::Null), Some(None));
    assert_eq!(
        outcome(json!({ "type": "cancelled", "more": 1 })),
        Some(Some(RunOutcome::Cancelled))
    );
    let success = Some(Some(RunOutcome::success()));
    assert_eq!(
        outcome(json!({ "type": "success", "interrupts": [] })),
        success
    );
    assert_eq!(
        outcome(json!({ "type": "success", "pendingToolCallIds": null })),
        success
    );
    assert_eq!(
        outcome(json!({ "type": "success", "pendingToolCallIds": [] })),
        success
    );
    for malformed in [
        json!([]),
        json!([{ "type": "success" }]),
        json!("success"),
        json!({}),
        json!({ "type": 1 }),
        json!({ "type": "interrupt" }),
        json!({ "type": "interrupt", "interrupts": null }),
        json!({ "type": "interrupt", "interrupts": [] }),
        json!({ "type": "interrupt", "interrupts": [{ "id": "i1" }] }),
        json!({ "type": "success", "pendingToolCallIds": [1] }),
    ] {
        assert_eq!(outcome(malformed.clone()), None, "{malformed}");
    }
}

/// serde's derived readers would take the values of an object's members in order.
#[test]
fn a_list_is_no_object() {
    for text in [
        r#"["STEP_STARTED","plan"]"#,
        r#"{"type":"RUN_ERROR","message":"","usage":[["a","b",1,1,1,1,1,1]]}"#,
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","input":["t","r",null,null,null,[],[],[],null,[]]}"#,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[["i","a",null,null,null,null,null,null]]}}"#,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":["success"]}"#,
        r#"{"type":"STATE_DELTA","delta":[["remove","/a"]]}"#,
        r#"{"type":"MESSAGES_SNAPSHOT","messages":[["user","1","Hi"]]}"#,
    ] {
        assert!(read(text).is_none(), "{text}");
    }
}

#[test]
fn a_subagents_outcome_is_read_alike() {
    let read = |outcome: Value| {
        let value =
            json!({ "type": "SUBAGENT_FINISHED", "subagentRunId": "s", "outcome": outcome });
        match Decoded::from_value(value) {
            Decoded::Event(Event::SubagentFinished(event)) => Some(event.outcome.is_some()),
            _ => None,
        }
    };
    assert_eq!(read(json!({ "type": "success" })), Some(true));
    assert_eq!(
        read(json!({ "type": "suspended", "interruptIds": null })),
        Some(true)
    );
    assert_eq!(read(json!({ "type": "interrupt" })), Some(false));
    assert_eq!(read(json!([])), None);
    assert_eq!(
        read(json!({ "type": "suspended", "interruptIds": "i1" })),
        None
    );
}

/// A known closed enum with a word it does not have is corrupt, not unknown.
#[test]
fn an_unknown_word_of_a_closed_enum_is_corrupt() {
    for text in [
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"moderator"}"#,
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"tool"}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"Assistant"}"#,
        r#"{"type":"REASONING_MESSAGE_START","messageId":"m","role":"assistant"}"#,
        r#"{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"","role":"user"}"#,
        r#"{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool_call","entityId":"c","encryptedValue":""}"#,
    ] {
        assert!(read(text).is_none(), "{text}");
    }
}

/// AG-UI 1.0 does not attribute the events of the run as a whole: there the tag is unknown.
#[test]
fn the_run_has_no_subagent() {
    for text in [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","subagentRunId":"s"}"#,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","subagentRunId":7}"#,
        r#"{"type":"RUN_ERROR","message":"","subagentRunId":null}"#,
        r#"{"type":"MESSAGES_SNAPSHOT","messages":[],"subagentRunId":"s"}"#,
    ] {
        let event = read(text).expect(text);
        assert_eq!(event.subagent_run_id(), None);
        assert!(!event.to_json().contains("subagentRunId"));
    }
}

#[test]
fn a_nesting_deeper_than_128_is_refused() {
    let event = |depth: usize| {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        read(&format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":{deep}}}"#))
    };
    assert!(event(126).is_some());
    assert!(event(127).is_none());
    assert!(event(1_000_000).is_none());
}

fn read(text: &str) -> Option<Event> {
    Decoded::from_slice(text.as_bytes()).into_event()
}
