//! Faults that other servers were caught with, each on the body that goes out.

use apron_openai::chat::{self, ClientInstructions, Repair};
use apron_protocol::RunAgentInput;
use serde_json::{Value, json};

fn input(members: Value) -> RunAgentInput {
    let mut input = json!({"threadId": "t", "runId": "r", "messages": []});
    for (name, value) in members.as_object().unwrap() {
        input[name] = value.clone();
    }
    RunAgentInput::from_slice(input.to_string().as_bytes())
        .unwrap()
        .0
}

fn messages(messages: Value) -> Value {
    let body = chat::request(&input(json!({"messages": messages})), "m").to_body();
    body["messages"].clone()
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}})
}

fn assistant(id: &str, call: Value) -> Value {
    json!({"id": id, "role": "assistant", "toolCalls": [call]})
}

fn tool(id: &str, call: &str) -> Value {
    json!({"id": id, "role": "tool", "toolCallId": call, "content": call})
}

#[test]
fn c28_empty_arguments_are_an_empty_object_in_the_history() {
    let sent = messages(json!([assistant("1", call("a", "")), tool("2", "a")]));
    assert_eq!(sent[0]["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn c30_malformed_arguments_go_out_as_an_empty_object_with_the_error_result() {
    let error = "Error: the arguments are no JSON: EOF while parsing";
    let sent = messages(json!([
        assistant("1", call("a", "{\"a\":")),
        {"id": "2", "role": "tool", "toolCallId": "a", "content": error},
    ]));
    assert_eq!(sent[0]["tool_calls"][0]["function"]["arguments"], "{}");
    assert_eq!(sent[1]["tool_call_id"], "a");
    let content = sent[1]["content"].as_str().unwrap();
    assert!(content.starts_with("[the arguments of this call were not valid JSON]"));
    assert!(content.ends_with(error));
}

#[test]
fn c36_parallel_calls_are_coalesced_and_answered_in_call_order() {
    let sent = messages(json!([
        assistant("1", call("a", "{}")),
        assistant("2", call("b", "{}")),
        tool("3", "b"),
        tool("4", "a"),
        {"id": "5", "role": "user", "content": "go on"},
    ]));
    assert_eq!(
        sent,
        json!([
            {"role": "assistant", "content": null, "tool_calls": [call("a", "{}"), call("b", "{}")]},
            {"role": "tool", "tool_call_id": "a", "content": "a"},
            {"role": "tool", "tool_call_id": "b", "content": "b"},
            {"role": "user", "content": "go on"},
        ])
    );
}

#[test]
fn c36_an_unanswered_call_gets_a_result_and_a_result_without_call_goes() {
    let sent = messages(json!([
        assistant("1", call("a", "{}")),
        {"id": "2", "role": "user", "content": "go on"},
    ]));
    assert_eq!(sent[1]["role"], "tool");
    assert_eq!(sent[1]["tool_call_id"], "a");
    assert_eq!(sent[2]["role"], "user");
    assert_eq!(messages(json!([tool("1", "x")])), json!([]));
}

#[test]
fn c41d_reasoning_in_the_history_is_accepted_and_stays_here() {
    let sent = messages(json!([
        {"id": "1", "role": "user", "content": "Hi"},
        {"id": "r", "role": "reasoning", "content": "hm", "encryptedValue": "foreign"},
        {"id": "2", "role": "assistant", "content": "Hello"},
    ]));
    assert_eq!(
        sent,
        json!([
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
        ])
    );
}

#[test]
fn c49_unknown_roles_parts_and_activities_are_no_reason_to_fail() {
    let body = br#"{"threadId":"t","runId":"r","messages":[
        {"id":"1","role":"activity","activityType":"PLAN","content":{"step":"canary-activity"}},
        {"id":"2","role":"developer","content":"Be brief."},
        {"id":"3","role":"moderator","content":"canary-role"},
        {"id":"4","role":"user","content":[{"type":"hologram","data":"canary-part"},
                                           {"type":"text","text":"Hi"}]}]}"#;
    let (input, notes) = RunAgentInput::from_slice(body).unwrap();
    assert_eq!(notes.total(), 2);
    let sent = chat::request(&input, "m").to_body();
    assert_eq!(
        sent["messages"],
        json!([
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ])
    );
    assert!(!sent.to_string().contains("canary"));
}

#[test]
fn c53_forwarded_props_touch_nothing_that_the_server_did_not_allow() {
    let props = json!({"model": "gpt-x", "stream": false, "api_key": "k", "temperature": 2,
                       "base_url": "http://evil", "headers": {"x": "y"}, "messages": [], "n": 9,
                       "tools": [], "store": true, "stream_options": {}});
    let input = input(json!({
        "messages": [{"id": "1", "role": "user", "content": "Hi"}],
        "forwardedProps": props,
        "state": {"secret": "canary-state"},
        "context": [{"description": "page", "value": "home"}],
        "tools": [{"name": "f", "description": "d"}],
    }));
    let plain = chat::request(&input, "m").to_body();
    assert_eq!(
        plain,
        json!({
            "model": "m",
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "Context from the application:\n\npage: home"},
                {"role": "user", "content": "Hi"},
            ],
            "tools": [{"type": "function", "function": {"name": "f", "description": "d",
                "parameters": {"type": "object", "properties": {}}}}],
        })
    );
    // Even a server that allows everything keeps the request together.
    let keys = props.as_object().unwrap().keys().cloned();
    let mut allowed = chat::request(&input, "m").forward(keys).to_body();
    assert_eq!(allowed["temperature"], 2);
    allowed.as_object_mut().unwrap().remove("temperature");
    assert_eq!(allowed, plain);
}

#[test]
fn c85_activities_raw_events_reasoning_and_metadata_never_go_out() {
    let canary = |name: &str| json!({"note": format!("canary-{name}")});
    let input = input(json!({
        "messages": [
            {"id": "canary-id-1", "role": "user", "content": "Hi", "metadata": canary("user"),
             "encryptedValue": "canary-sealed"},
            {"id": "canary-id-2", "role": "activity", "activityType": "canary-type",
             "content": canary("activity")},
            {"id": "canary-id-3", "role": "reasoning", "content": "canary-reasoning",
             "encryptedValue": "{\"v\":1,\"p\":\"canary.other\",\"x\":\"canary-sealed\"}"},
            {"id": "canary-id-4", "role": "assistant", "content": "Hello",
             "metadata": canary("assistant"), "encryptedValue": "canary-sealed",
             "rawEvent": canary("raw"),
             "toolCalls": [{"id": "a", "type": "function", "encryptedValue": "canary-sealed",
                            "metadata": canary("call"),
                            "function": {"name": "f", "arguments": "{}"}}]},
            {"id": "canary-id-5", "role": "tool", "toolCallId": "a", "content": "A",
             "metadata": canary("tool"), "encryptedValue": "canary-sealed"},
        ],
        "state": canary("state"),
        "forwardedProps": canary("props"),
        "resume": [{"interruptId": "canary-interrupt", "status": "resolved",
                    "payload": canary("resume")}],
        "tools": [{"name": "f", "description": "d", "metadata": canary("tool")}],
    }));
    for flavor in [chat::Flavor::OpenAi, chat::Flavor::Compatible] {
        let body = chat::request(&input, "m").flavor(flavor).to_body();
        assert_eq!(body["messages"].as_array().unwrap().len(), 3);
        assert!(!body.to_string().contains("canary"), "{body}");
    }
}

#[test]
fn a_client_without_trust_cannot_instruct_the_model() {
    let input = input(json!({
        "messages": [
            {"id": "1", "role": "system", "content": "canary"},
            {"id": "2", "role": "developer", "content": "canary"},
            {"id": "3", "role": "user", "content": "Hi"},
        ],
        "context": [{"description": "page", "value": "home"}],
    }));
    let request = chat::request(&input, "m")
        .client_instructions(ClientInstructions::Drop)
        .system("Be kind.");
    assert_eq!(
        request.to_body()["messages"],
        json!([
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Context from the application:\n\npage: home"},
            {"role": "user", "content": "Hi"},
        ])
    );
    assert_eq!(request.repairs().count(Repair::DroppedInstructions), 2);
}
