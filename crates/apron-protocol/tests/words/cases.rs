//! Every event in its smallest and its largest form, with the exact JSON of both.

use apron_protocol::{
    ActivityDelta, ActivitySnapshot, Custom, Event, EventType, MessagesSnapshot, PatchOperation,
    Raw, ReasoningEncryptedValue, ReasoningEnd, ReasoningMessageChunk, ReasoningMessageContent,
    ReasoningMessageEnd, ReasoningMessageStart, ReasoningStart, RunError, RunFinished, RunOutcome,
    RunStarted, StateDelta, StateSnapshot, StepFinished, StepStarted, SubagentError,
    SubagentFinished, SubagentOutcome, SubagentStarted, TextMessageChunk, TextMessageContent,
    TextMessageEnd, TextMessageRole, TextMessageStart, ToolCallArgs, ToolCallChunk, ToolCallEnd,
    ToolCallId, ToolCallResult, ToolCallStart,
};
use serde_json::{Value, json};

use crate::shapes::{self, object};

/// One event in one form.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) event: Event,
    pub(crate) json: String,
}

/// One event in both forms.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) kind: EventType,
    pub(crate) minimal: Form,
    pub(crate) maximal: Form,
}

/// The optional fields of an event of the run as a whole, set; and their JSON.
macro_rules! run_common {
    ($event:expr) => {
        $event
            .with_timestamp(1_730_000_000_000)
            .with_raw_event(json!({ "raw": null }))
            .with_metadata("key", Value::Null)
    };
}
const RUN_COMMON: &str =
    r#","timestamp":1730000000000,"rawEvent":{"raw":null},"metadata":{"key":null}}"#;

/// The same for an event that can be attributed.
macro_rules! common {
    ($event:expr) => {
        run_common!($event).with_subagent_run_id("s1")
    };
}
const COMMON: &str = r#","timestamp":1730000000000,"rawEvent":{"raw":null},"metadata":{"key":null},"subagentRunId":"s1"}"#;

fn form(event: impl Into<Event>, start: &str, end: &str) -> Form {
    Form {
        event: event.into(),
        json: format!("{start}{end}"),
    }
}

/// A case whose two forms start alike and differ in the common fields only.
macro_rules! plain {
    ($kind:ident, $event:expr, $json:expr) => {
        Case {
            kind: EventType::$kind,
            minimal: form($event, $json, "}"),
            maximal: form(common!($event), $json, COMMON),
        }
    };
}

/// Every case, in the order of [`EventType::ALL`].
pub(crate) fn all() -> Vec<Case> {
    [run(), text(), tool_calls(), state(), reasoning(), rest()]
        .into_iter()
        .flatten()
        .collect()
}

fn run() -> Vec<Case> {
    let mut bare_start = RunStarted::new("t1", "r1");
    bare_start.protocol_version = None;
    let mut bare_error = RunError::new("", "It failed.");
    bare_error.code = None;
    vec![
        Case {
            kind: EventType::RunStarted,
            minimal: form(
                bare_start,
                r#"{"type":"RUN_STARTED","threadId":"t1","runId":"r1""#,
                "}",
            ),
            maximal: form(
                run_common!(
                    RunStarted::new("t1", "r1")
                        .with_parent_run_id("r0")
                        .with_input(shapes::input())
                ),
                &format!(
                    r#"{{"type":"RUN_STARTED","threadId":"t1","runId":"r1","protocolVersion":"1.0","parentRunId":"r0","input":{}"#,
                    shapes::INPUT
                ),
                RUN_COMMON,
            ),
        },
        Case {
            kind: EventType::RunFinished,
            minimal: form(
                RunFinished::new("t1", "r1"),
                r#"{"type":"RUN_FINISHED","threadId":"t1","runId":"r1""#,
                "}",
            ),
            maximal: form(
                run_common!(
                    RunFinished::new("t1", "r1")
                        .with_result(json!([null]))
                        .with_outcome(RunOutcome::interrupt(shapes::interrupt(), []))
                        .with_usage(vec![shapes::usage()])
                ),
                &format!(
                    r#"{{"type":"RUN_FINISHED","threadId":"t1","runId":"r1","result":[null],"outcome":{{"type":"interrupt","interrupts":[{}]}},"usage":[{}]"#,
                    shapes::INTERRUPT,
                    shapes::USAGE
                ),
                RUN_COMMON,
            ),
        },
        Case {
            kind: EventType::RunError,
            minimal: form(
                bare_error,
                r#"{"type":"RUN_ERROR","message":"It failed.""#,
                "}",
            ),
            maximal: form(
                run_common!(
                    RunError::new("overloaded", "It failed.").with_usage(vec![shapes::usage(),])
                ),
                &format!(
                    r#"{{"type":"RUN_ERROR","message":"It failed.","code":"overloaded","usage":[{}]"#,
                    shapes::USAGE
                ),
                RUN_COMMON,
            ),
        },
        plain!(
            StepStarted,
            StepStarted::new("plan"),
            r#"{"type":"STEP_STARTED","stepName":"plan""#
        ),
        plain!(
            StepFinished,
            StepFinished::new("plan"),
            r#"{"type":"STEP_FINISHED","stepName":"plan""#
        ),
    ]
}

fn text() -> Vec<Case> {
    let mut bare_start = TextMessageStart::new("m1");
    bare_start.role = None;
    vec![
        Case {
            kind: EventType::TextMessageStart,
            minimal: form(
                bare_start,
                r#"{"type":"TEXT_MESSAGE_START","messageId":"m1""#,
                "}",
            ),
            maximal: form(
                common!(
                    TextMessageStart::new("m1")
                        .with_role(TextMessageRole::Developer)
                        .with_name("Ada")
                ),
                r#"{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"developer","name":"Ada""#,
                COMMON,
            ),
        },
        plain!(
            TextMessageContent,
            TextMessageContent::new("m1", "Hi"),
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hi""#
        ),
        plain!(
            TextMessageEnd,
            TextMessageEnd::new("m1"),
            r#"{"type":"TEXT_MESSAGE_END","messageId":"m1""#
        ),
        Case {
            kind: EventType::TextMessageChunk,
            minimal: form(
                TextMessageChunk::new(),
                r#"{"type":"TEXT_MESSAGE_CHUNK""#,
                "}",
            ),
            maximal: form(
                common!(
                    TextMessageChunk::new()
                        .with_message_id("m1")
                        .with_role(TextMessageRole::User)
                        .with_delta("Hi")
                        .with_name("Ada")
                ),
                r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","role":"user","delta":"Hi","name":"Ada""#,
                COMMON,
            ),
        },
    ]
}

fn tool_calls() -> Vec<Case> {
    vec![
        Case {
            kind: EventType::ToolCallStart,
            minimal: form(
                ToolCallStart::new("c1", "search"),
                r#"{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"search""#,
                "}",
            ),
            maximal: form(
                common!(ToolCallStart::new("c1", "search").with_parent_message_id("m1")),
                r#"{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"search","parentMessageId":"m1""#,
                COMMON,
            ),
        },
        plain!(
            ToolCallArgs,
            ToolCallArgs::new("c1", "{}"),
            r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}""#
        ),
        plain!(
            ToolCallEnd,
            ToolCallEnd::new("c1"),
            r#"{"type":"TOOL_CALL_END","toolCallId":"c1""#
        ),
        Case {
            kind: EventType::ToolCallChunk,
            minimal: form(ToolCallChunk::new(), r#"{"type":"TOOL_CALL_CHUNK""#, "}"),
            maximal: form(
                common!(
                    ToolCallChunk::new()
                        .with_tool_call_id("c1")
                        .with_tool_call_name("search")
                        .with_parent_message_id("m1")
                        .with_delta("{}")
                ),
                r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"search","parentMessageId":"m1","delta":"{}""#,
                COMMON,
            ),
        },
        Case {
            kind: EventType::ToolCallResult,
            minimal: form(
                ToolCallResult::new("m2", "c1", "3 copies"),
                r#"{"type":"TOOL_CALL_RESULT","messageId":"m2","toolCallId":"c1","content":"3 copies""#,
                "}",
            ),
            maximal: form(
                common!(ToolCallResult::new("m2", "c1", shapes::parts()).with_role()),
                &format!(
                    r#"{{"type":"TOOL_CALL_RESULT","messageId":"m2","toolCallId":"c1","content":{},"role":"tool""#,
                    shapes::PARTS
                ),
                COMMON,
            ),
        },
    ]
}

fn state() -> Vec<Case> {
    let operations = || vec![PatchOperation::remove("/a".parse().unwrap())];
    vec![
        plain!(
            StateSnapshot,
            StateSnapshot::new(json!({ "a": null })),
            r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":null}"#
        ),
        Case {
            kind: EventType::StateDelta,
            minimal: form(
                StateDelta::new(Vec::new()),
                r#"{"type":"STATE_DELTA","delta":[]"#,
                "}",
            ),
            maximal: form(
                common!(StateDelta::new(shapes::operations())),
                &format!(r#"{{"type":"STATE_DELTA","delta":{}"#, shapes::OPERATIONS),
                COMMON,
            ),
        },
        Case {
            kind: EventType::MessagesSnapshot,
            minimal: form(
                MessagesSnapshot::new(Vec::new()),
                r#"{"type":"MESSAGES_SNAPSHOT","messages":[]"#,
                "}",
            ),
            maximal: form(
                run_common!(MessagesSnapshot::new(shapes::messages())),
                &format!(
                    r#"{{"type":"MESSAGES_SNAPSHOT","messages":{}"#,
                    shapes::MESSAGES
                ),
                RUN_COMMON,
            ),
        },
        Case {
            kind: EventType::ActivitySnapshot,
            minimal: form(
                ActivitySnapshot::new("m3", "plan", object(json!({}))),
                r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"m3","activityType":"plan","content":{}"#,
                "}",
            ),
            maximal: form(
                common!(
                    ActivitySnapshot::new("m3", "plan", object(json!({ "done": null })))
                        .with_replace(false)
                ),
                r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"m3","activityType":"plan","content":{"done":null},"replace":false"#,
                COMMON,
            ),
        },
        plain!(
            ActivityDelta,
            ActivityDelta::new("m3", "plan", operations()),
            r#"{"type":"ACTIVITY_DELTA","messageId":"m3","activityType":"plan","patch":[{"op":"remove","path":"/a"}]"#
        ),
    ]
}

fn reasoning() -> Vec<Case> {
    let of_call = || ReasoningEncryptedValue::of_tool_call(&ToolCallId::from("c1"), "opaque");
    vec![
        plain!(
            ReasoningStart,
            ReasoningStart::new("m4"),
            r#"{"type":"REASONING_START","messageId":"m4""#
        ),
        plain!(
            ReasoningMessageStart,
            ReasoningMessageStart::new("m4"),
            r#"{"type":"REASONING_MESSAGE_START","messageId":"m4","role":"reasoning""#
        ),
        plain!(
            ReasoningMessageContent,
            ReasoningMessageContent::new("m4", "Hm"),
            r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"m4","delta":"Hm""#
        ),
        plain!(
            ReasoningMessageEnd,
            ReasoningMessageEnd::new("m4"),
            r#"{"type":"REASONING_MESSAGE_END","messageId":"m4""#
        ),
        Case {
            kind: EventType::ReasoningMessageChunk,
            minimal: form(
                ReasoningMessageChunk::new(),
                r#"{"type":"REASONING_MESSAGE_CHUNK""#,
                "}",
            ),
            maximal: form(
                common!(
                    ReasoningMessageChunk::new()
                        .with_message_id("m4")
                        .with_delta("Hm")
                ),
                r#"{"type":"REASONING_MESSAGE_CHUNK","messageId":"m4","delta":"Hm""#,
                COMMON,
            ),
        },
        plain!(
            ReasoningEnd,
            ReasoningEnd::new("m4"),
            r#"{"type":"REASONING_END","messageId":"m4""#
        ),
        Case {
            kind: EventType::ReasoningEncryptedValue,
            minimal: form(
                ReasoningEncryptedValue::of_message("m4", "opaque"),
                r#"{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m4","encryptedValue":"opaque""#,
                "}",
            ),
            maximal: form(
                common!(of_call()),
                r#"{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c1","encryptedValue":"opaque""#,
                COMMON,
            ),
        },
    ]
}

fn rest() -> Vec<Case> {
    let mut bare_error = SubagentError::new("s1", "", "It failed.");
    bare_error.code = None;
    vec![
        Case {
            kind: EventType::SubagentStarted,
            minimal: form(
                SubagentStarted::new("s1", "researcher"),
                r#"{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher""#,
                "}",
            ),
            maximal: form(
                run_common!(
                    SubagentStarted::new("s1", "researcher")
                        .with_description("Reads.")
                        .with_parent_subagent_run_id("s0")
                        .with_parent_tool_call_id("c1")
                        .with_parent_message_id("m1")
                ),
                r#"{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher","description":"Reads.","parentSubagentRunId":"s0","parentToolCallId":"c1","parentMessageId":"m1""#,
                RUN_COMMON,
            ),
        },
        Case {
            kind: EventType::SubagentFinished,
            minimal: form(
                SubagentFinished::new("s1"),
                r#"{"type":"SUBAGENT_FINISHED","subagentRunId":"s1""#,
                "}",
            ),
            maximal: form(
                run_common!(SubagentFinished::new("s1").with_result(false).with_outcome(
                    SubagentOutcome::Suspended {
                        interrupt_ids: vec!["i1".into()],
                    }
                )),
                r#"{"type":"SUBAGENT_FINISHED","subagentRunId":"s1","result":false,"outcome":{"type":"suspended","interruptIds":["i1"]}"#,
                RUN_COMMON,
            ),
        },
        Case {
            kind: EventType::SubagentError,
            minimal: form(
                bare_error,
                r#"{"type":"SUBAGENT_ERROR","subagentRunId":"s1","message":"It failed.""#,
                "}",
            ),
            maximal: form(
                run_common!(SubagentError::new("s1", "timeout", "It failed.")),
                r#"{"type":"SUBAGENT_ERROR","subagentRunId":"s1","message":"It failed.","code":"timeout""#,
                RUN_COMMON,
            ),
        },
        Case {
            kind: EventType::Raw,
            minimal: form(
                Raw::new(json!({ "a": 1 })),
                r#"{"type":"RAW","event":{"a":1}"#,
                "}",
            ),
            maximal: form(
                common!(Raw::new(Value::Null).with_source("openai")),
                r#"{"type":"RAW","event":null,"source":"openai""#,
                COMMON,
            ),
        },
        plain!(
            Custom,
            Custom::new("shop.cart", json!([1.5, "two"])),
            r#"{"type":"CUSTOM","name":"shop.cart","value":[1.5,"two"]"#
        ),
    ]
}
