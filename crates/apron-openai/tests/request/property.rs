//! Random conversations, and the rules that every provider has for a history.
//!
//! The rules are checked on the JSON that goes out, without a look at how it came about.

use std::collections::HashSet;

use apron_openai::chat::{self, CallIds, ChatRequest, Flavor, MissingResults};
use apron_protocol::RunAgentInput;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Few ids, so that they meet; some that no provider takes.
fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]",
        1 => Just("b_2".to_owned()),
        1 => Just("x".repeat(41)),
        1 => Just(String::new()),
    ]
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{}"),
        Just("{\"a\":1}"),
        Just(""),
        Just("null"),
        Just("{\"a\":"),
        Just("[1]"),
        Just("{}{}"),
        Just(" {\"a\": \"b\"} "),
    ]
    .prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("f"), Just("f.g"), Just("f_g"), Just("1é"), Just("")].prop_map(str::to_owned)
}

fn call() -> impl Strategy<Value = Value> {
    (id(), name(), arguments(), prop::bool::weighted(0.1)).prop_map(
        |(id, name, arguments, hosted)| {
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments},
               "metadata": {"openai": {"hosted": hosted}}})
        },
    )
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(""), Just(" "), Just("hi")].prop_map(str::to_owned)
}

fn message() -> impl Strategy<Value = Value> {
    let calls = prop::collection::vec(call(), 0..3);
    prop_oneof![
        4 => (text(), calls).prop_map(|(text, calls)| {
            json!({"role": "assistant", "content": text, "toolCalls": calls})
        }),
        4 => (id(), text()).prop_map(|(id, text)| {
            json!({"role": "tool", "toolCallId": id, "content": text})
        }),
        2 => text().prop_map(|text| json!({"role": "user", "content": text})),
        1 => text().prop_map(|text| json!({"role": "system", "content": text})),
        1 => text().prop_map(|text| json!({"role": "developer", "content": text})),
        1 => text().prop_map(|text| json!({"role": "reasoning", "content": text})),
        1 => Just(json!({"role": "activity", "activityType": "A", "content": {}})),
        1 => Just(json!({"role": "user", "content": [
            {"type": "video", "source": {"type": "url", "value": "https://h/v"}}]})),
    ]
}

fn request() -> impl Strategy<Value = ChatRequest> {
    let ids = prop_oneof![Just(CallIds::UpTo40), Just(CallIds::Nine)];
    let missing = prop_oneof![
        Just(MissingResults::RefuseNewest),
        Just(MissingResults::Synthesize),
        Just(MissingResults::DropCall),
    ];
    let flavor = prop_oneof![Just(Flavor::OpenAi), Just(Flavor::Compatible)];
    let messages = prop::collection::vec(message(), 0..12);
    (messages, ids, missing, flavor).prop_map(|(mut messages, ids, missing, flavor)| {
        for (at, message) in messages.iter_mut().enumerate() {
            message["id"] = at.to_string().into();
        }
        let input = json!({"threadId": "t", "runId": "r", "messages": messages,
                           "tools": [{"name": "f.g", "description": ""}]});
        let input = RunAgentInput::from_slice(input.to_string().as_bytes())
            .unwrap()
            .0;
        let request = chat::request(&input, "m").flavor(flavor);
        request.call_ids(ids).missing_results(missing)
    })
}

/// Says what a provider would refuse about a history; `None` when it would take it.
fn objection(messages: &[Value]) -> Option<String> {
    let mut seen = HashSet::new();
    let mut expected: Vec<&str> = Vec::new();
    for message in messages {
        let role = message["role"].as_str().unwrap();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            if expected.is_empty() || expected.remove(0) != id {
                return Some(format!("the result of {id} is not where it should be"));
            }
            continue;
        }
        if let Some(id) = expected.first() {
            return Some(format!("{id} has no result"));
        }
        let calls = message["tool_calls"].as_array();
        if calls.is_none() && message["content"].as_str().is_none_or(str::is_empty) {
            return Some(format!("an empty message: {message}"));
        }
        for call in calls.into_iter().flatten() {
            let id = call["id"].as_str().unwrap();
            let name = call["function"]["name"].as_str().unwrap();
            let arguments = call["function"]["arguments"].as_str().unwrap();
            if !seen.insert(id) || !(1..=40).contains(&id.len()) {
                return Some(format!("the id {id:?} is taken, or of a wrong length"));
            }
            let plain = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'-';
            if !(1..=64).contains(&name.len()) || !name.bytes().all(plain) {
                return Some(format!("the name {name:?}"));
            }
            if serde_json::from_str::<Map<String, Value>>(arguments).is_err() {
                return Some(format!("the arguments {arguments:?}"));
            }
            expected.push(id);
        }
    }
    expected.first().map(|id| format!("{id} has no result"))
}

#[test]
fn a_provider_with_rules_objects_to_what_breaks_them() {
    let call = json!({"id": "a", "function": {"name": "f", "arguments": "{}"}});
    let calls = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": ""});
    let user = json!({"role": "user", "content": "hi"});
    assert_eq!(
        objection(&[calls.clone(), result.clone(), user.clone()]),
        None
    );
    for broken in [
        vec![calls.clone()],
        vec![calls.clone(), user, result.clone()],
        vec![result.clone()],
        vec![calls.clone(), result.clone(), calls, result],
        vec![json!({"role": "user", "content": ""})],
    ] {
        assert!(objection(&broken).is_some(), "{broken:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_conversation_is_sent_that_a_provider_would_refuse(request in request()) {
        let body = request.to_body();
        let messages = body["messages"].as_array().unwrap();
        prop_assert_eq!(objection(messages), None, "{}", body);
        // The same conversation is sent the same way, so that the provider's cache holds.
        prop_assert_eq!(request.to_body(), body);
    }
}
