//! Reading requests, as clients really send them and as hostile ones might.

use std::error::Error as _;

use apron_protocol::{
    Message, NoteKind, ResumeStatus, RunAgentInput, RunId, ThreadId, ToolMessage,
};
use serde_json::{Value, json};

use crate::shapes;

#[test]
fn a_request_is_written_to_the_byte_and_read_back() {
    let input = shapes::input();
    assert_eq!(serde_json::to_string(&input).unwrap(), shapes::INPUT);
    let (read, notes) = RunAgentInput::from_slice(shapes::INPUT.as_bytes()).unwrap();
    assert_eq!(read, input);
    assert!(notes.is_empty());
    assert_eq!(
        serde_json::from_str::<RunAgentInput>(shapes::INPUT).unwrap(),
        input
    );
}

/// C49: unknown roles and parts must not cost the request.
#[test]
fn unknown_roles_and_parts_are_skipped_and_noted() {
    let (input, notes) = read(json!({
        "threadId": "t", "runId": "r",
        "messages": [
            { "id": "1", "role": "activity", "activityType": "plan", "content": { "done": 1 } },
            { "id": "2", "role": "developer", "content": "Be kind." },
            { "id": "3", "role": "moderator", "content": "Hush." },
            { "id": "4", "role": "user", "content": [
                { "type": "hologram", "text": "boo" },
                { "type": "text", "text": "Hi" } ] },
        ],
    }));
    let roles: Vec<&str> = input.messages.iter().map(Message::role).collect();
    assert_eq!(roles, ["activity", "developer", "user"]);
    let kinds: Vec<NoteKind> = notes.first().iter().map(|note| note.kind).collect();
    assert_eq!(kinds, [NoteKind::UnknownRole, NoteKind::UnknownPart]);
}

/// C50: a null is absent, for every optional member.
#[test]
fn nulls_are_absent() {
    let (input, notes) = read(json!({
        "threadId": "t", "runId": "r", "protocolVersion": null, "parentRunId": null, "state": null,
        "messages": [{ "id": "1", "role": "assistant", "content": null, "toolCalls": null,
            "name": null, "encryptedValue": null, "metadata": null, "subagentRunId": null }],
        "tools": null, "context": null, "forwardedProps": null, "resume": null,
    }));
    let mut expected = RunAgentInput::new("t", "r");
    expected.protocol_version = None;
    expected.messages = vec![apron_protocol::AssistantMessage::new("1").into()];
    assert_eq!(input, expected);
    assert!(notes.is_empty());

    let (input, _) = read(json!({ "threadId": "t", "runId": "r", "messages": [],
        "tools": [{ "name": "a", "description": null, "parameters": null, "metadata": null }],
        "resume": [{ "interruptId": "i", "status": "cancelled", "payload": null, "metadata": null }],
    }));
    assert_eq!(input.tools[0].description, "");
    assert_eq!(input.tools[0].parameters, None);
    assert_eq!(input.resume[0].payload, None);
}

/// A null inside data that the protocol does not look into is data.
#[test]
fn nulls_inside_opaque_data_survive() {
    let body = json!({
        "threadId": "t", "runId": "r", "state": { "a": null }, "messages": [],
        "tools": [{ "name": "a", "description": "", "parameters": { "default": null } }],
        "forwardedProps": { "a": [null] },
        "resume": [{ "interruptId": "i", "status": "resolved", "payload": [null] }],
    });
    let (input, _) = read(body.clone());
    assert_eq!(serde_json::to_value(&input).unwrap(), body);
    assert_eq!(input.resume[0].status, ResumeStatus::Resolved);
}

/// C54: an id is whatever string its issuer chose.
#[test]
fn ids_are_any_strings() {
    let long = "x".repeat(300);
    for id in [
        "lc_run--1234",
        "mytool:host:9c",
        "a/b c",
        "",
        "\u{2028}é😀",
        "null",
        &long,
    ] {
        let (input, _) = read(json!({ "threadId": id, "runId": id, "messages":
            [{ "id": id, "role": "tool", "toolCallId": id, "content": "" }] }));
        assert_eq!(input.thread_id, ThreadId::from(id));
        assert_eq!(input.run_id, RunId::from(id));
        assert_eq!(input.messages, [ToolMessage::new(id, id, "").into()]);
    }
    for id in [json!(12), json!(null), json!({}), json!(["t"]), json!(true)] {
        refused(&json!({ "threadId": id, "runId": "r", "messages": [] }).to_string());
    }
}

#[test]
fn a_missing_member_is_named_with_its_place() {
    for (body, why) in [
        (
            json!({ "runId": "r", "messages": [] }),
            "missing field `threadId`",
        ),
        (
            json!({ "threadId": "t", "messages": [] }),
            "missing field `runId`",
        ),
        (
            json!({ "threadId": "t", "runId": "r" }),
            "missing field `messages`",
        ),
        (
            json!({ "threadId": "t", "runId": "r", "messages": [{ "role": "user", "id": "1" }] }),
            "messages[0].content is missing",
        ),
        (
            json!({ "threadId": "t", "runId": "r", "messages": [], "tools": [{ "description": "" }] }),
            "missing field `name`",
        ),
        (
            json!({ "threadId": "t", "runId": "r", "messages": [], "context": [{ "value": "" }] }),
            "missing field `description`",
        ),
        (
            json!({ "threadId": "t", "runId": "r", "messages": [], "resume": [{ "interruptId": "i" }] }),
            "missing field `status`",
        ),
    ] {
        let text = refused(&body.to_string());
        assert!(
            text.starts_with(why) && text.contains(" at line 1 column "),
            "{text}"
        );
    }
}

#[test]
fn a_malformed_member_is_refused() {
    let good = json!({ "threadId": "t", "runId": "r", "messages": [] });
    read(good.clone());
    for (member, value) in [
        ("messages", json!(null)),
        ("messages", json!({})),
        ("tools", json!({})),
        ("tools", json!([7])),
        ("tools", json!([{ "name": 7 }])),
        ("tools", json!([["a", "b", null, null]])),
        ("context", json!([{ "description": "a", "value": {} }])),
        ("context", json!([["a", "b"]])),
        ("resume", json!([{ "interruptId": "i", "status": "maybe" }])),
        ("protocolVersion", json!(1.0)),
        ("parentRunId", json!(7)),
    ] {
        let mut body = good.clone();
        body[member] = value;
        refused(&body.to_string());
    }
    for body in [
        "",
        "null",
        "[]",
        "{",
        "{} {}",
        "\u{feff}{}",
        r#"{"threadId":"t"#,
    ] {
        refused(body);
    }
}

#[test]
fn a_member_twice_is_refused() {
    for body in [
        r#"{"threadId":"a","threadId":"b","runId":"r","messages":[]}"#,
        r#"{"threadId":"a","runId":"r","messages":[],"messages":[]}"#,
        r#"{"threadId":"a","runId":"r","messages":[{"id":"1","role":"user","role":"system","content":""}]}"#,
        r#"{"threadId":"a","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}"#,
        r#"{"threadId":"a","runId":"r","messages":[],"tools":[{"name":"a","name":"b"}]}"#,
    ] {
        let text = refused(body);
        assert!(text.contains("duplicate field"), "{text}");
    }
}

#[test]
fn a_nesting_deeper_than_128_is_refused() {
    let body = |depth: usize| {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"threadId":"t","runId":"r","state":{deep},"messages":[]}}"#)
    };
    assert!(RunAgentInput::from_slice(body(126).as_bytes()).is_ok());
    // The object itself is the first level.
    for depth in [127, 128, 129, 2_000, 1_000_000] {
        let text = refused(&body(depth));
        assert!(text.contains("recursion limit"), "{text}");
    }
    // What is skipped costs no stack, so there it does not matter.
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    for body in [
        format!(r#"{{"threadId":"t","runId":"r","messages":[],"unheard":{deep}}}"#),
        format!(r#"{{"threadId":"t","runId":"r","messages":[{{"role":"x","name":{deep}}}]}}"#),
    ] {
        assert!(RunAgentInput::from_slice(body.as_bytes()).is_ok());
    }
}

#[test]
fn the_version_is_read_where_it_can_be() {
    let version = |text: Value| {
        let (input, _) = read(json!({ "threadId": "t", "runId": "r", "messages": [],
            "protocolVersion": text }));
        input
            .version()
            .map(|version| (version.major, version.minor))
    };
    assert_eq!(version(json!("1.0")), Some((1, 0)));
    assert_eq!(version(json!("1.12")), Some((1, 12)));
    assert_eq!(version(json!("1.0.0")), None);
    assert_eq!(version(json!(null)), None);
}

/// The 1.0 client: everything spelled out, most of it empty.
#[test]
fn the_official_client_of_1_0_is_understood() {
    let (input, notes) = read(json!({
        "threadId": "0b6c", "runId": "77aa", "protocolVersion": "1.0", "state": {},
        "messages": [{ "id": "u1", "role": "user", "content": "How many copies?" }],
        "tools": [], "context": [], "forwardedProps": {},
    }));
    assert_eq!(input.messages, [Message::user("u1", "How many copies?")]);
    assert_eq!(input.state, Some(json!({})));
    assert!(input.version().is_some() && notes.is_empty());
}

/// A 0.0.59 client: no version, `binary` parts, an assistant turn that only called a tool.
#[test]
fn the_official_client_of_0_0_59_is_understood() {
    let (input, notes) = read(json!({
        "threadId": "0b6c", "runId": "77aa", "state": {},
        "messages": [
            { "id": "u1", "role": "user", "content": [
                { "type": "text", "text": "Whose cover is this?" },
                { "type": "binary", "mimeType": "image/jpeg", "data": "QUJD", "filename": "c.jpg" } ] },
            { "id": "a1", "role": "assistant", "content": "", "toolCalls": [
                { "id": "c1", "type": "function",
                  "function": { "name": "find", "arguments": "{\"isbn\":\"1\"}" } } ] },
            { "id": "t1", "role": "tool", "toolCallId": "c1", "content": "[]", "error": null },
            { "id": "r1", "role": "reasoning", "content": "Hm.", "encryptedValue": "opaque" },
        ],
        "tools": [{ "name": "find", "description": "Finds.", "parameters": null }],
        "context": [{ "description": "now", "value": "noon" }], "forwardedProps": {},
    }));
    assert_eq!(input.version(), None);
    let roles: Vec<&str> = input.messages.iter().map(Message::role).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "reasoning"]);
    assert_eq!(notes.first()[0].kind, NoteKind::UpgradedBinary);
}

/// TanStack's client: a top-level `data`, its own metadata, and messages with members of its own.
#[test]
fn tanstacks_client_is_understood() {
    let (input, notes) = read(json!({
        "threadId": "thread-1", "runId": "run-1", "state": {}, "data": {},
        "messages": [
            { "id": "u1", "role": "user", "content": "Hi", "createdAt": 1_790_000_000_000_i64,
              "parts": [{ "type": "text", "content": "Hi" }] },
            { "id": "a1", "role": "assistant", "content": [{ "type": "text", "text": "Hello" }],
              "metadata": { "tanstack": { "model": null } } },
            { "id": "a2", "role": "assistant" },
        ],
        "tools": [], "context": [], "forwardedProps": { "model": "gpt-x" },
    }));
    assert_eq!(input.messages.len(), 3);
    assert_eq!(
        input.messages[2],
        apron_protocol::AssistantMessage::new("a2").into()
    );
    let Message::Assistant(hello) = &input.messages[1] else {
        panic!("{:?}", input.messages[1]);
    };
    assert_eq!(hello.content.as_deref(), Some("Hello"));
    assert!(
        hello
            .metadata
            .as_ref()
            .is_some_and(|data| data.contains_key("tanstack"))
    );
    assert!(notes.is_empty());
}

/// assistant-ui: a null state, or none at all.
#[test]
fn assistant_uis_client_is_understood() {
    let mut body = json!({
        "threadId": "main", "runId": "1", "state": null,
        "messages": [{ "id": "u1", "role": "user", "content": [{ "type": "text", "text": "Hi" }] }],
        "tools": [], "context": [], "forwardedProps": {},
    });
    let (with_null, _) = read(body.clone());
    body.as_object_mut().unwrap().remove("state");
    let (without, notes) = read(body);
    assert_eq!(with_null, without);
    assert_eq!(with_null.state, None);
    assert!(notes.is_empty());
}

fn read(body: Value) -> (RunAgentInput, apron_protocol::Notes) {
    let text = body.to_string();
    RunAgentInput::from_slice(text.as_bytes()).unwrap_or_else(|err| panic!("{text}: {err:?}"))
}

#[track_caller]
fn refused(body: &str) -> String {
    match RunAgentInput::from_slice(body.as_bytes()) {
        Ok(read) => panic!("it was read as {read:?}"),
        Err(err) => {
            assert_eq!(err.to_string(), "the input is malformed");
            err.source().expect("a cause").to_string()
        }
    }
}
