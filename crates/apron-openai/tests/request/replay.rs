//! What a provider demands back, on the body that goes out.

use apron_openai::chat::{self, ChatRequest, Flavor, ReasoningReplay};
use apron_protocol::RunAgentInput;
use serde_json::{Value, json};

fn sealed(members: Value) -> String {
    let mut envelope = json!({"v": 1, "p": "openai.chat"});
    for (name, value) in members.as_object().unwrap() {
        envelope[name] = value.clone();
    }
    envelope.to_string()
}

/// A turn that thought, called a tool and spoke, each with something for the provider's own eyes.
fn request(provider: Option<&str>) -> ChatRequest {
    let mut details = json!({"reasoningDetails": [{"type": "reasoning.encrypted", "data": "R"}]});
    let mut signature = json!({"extraContent": {"google": {"thought_signature": "S"}}});
    if let Some(provider) = provider {
        details["provider"] = provider.into();
        signature["provider"] = provider.into();
    }
    let input = json!({"threadId": "t", "runId": "r", "messages": [
        {"id": "1", "role": "user", "content": "Hi"},
        {"id": "2", "role": "reasoning", "content": "hm", "encryptedValue": sealed(details)},
        {"id": "3", "role": "reasoning", "content": "so"},
        {"id": "4", "role": "assistant", "toolCalls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"},
             "encryptedValue": sealed(signature)}]},
        {"id": "5", "role": "tool", "toolCallId": "a", "content": "A"},
        {"id": "6", "role": "assistant", "content": "Done",
         "encryptedValue": sealed(json!({"reasoningEncrypted": "V"}))},
    ]});
    let input = RunAgentInput::from_slice(input.to_string().as_bytes())
        .unwrap()
        .0;
    chat::request(&input, "m").flavor(Flavor::Compatible)
}

/// The turn that called, its call, and the turn that spoke.
fn turns(request: &ChatRequest) -> (Value, Value, Value) {
    let body = request.to_body();
    let turn = body["messages"][1].clone();
    (
        turn.clone(),
        turn["tool_calls"][0].clone(),
        body["messages"][3].clone(),
    )
}

#[test]
fn what_the_provider_sealed_goes_back_where_it_was() {
    let (turn, call, spoken) = turns(&request(None));
    assert_eq!(
        turn["reasoning_details"],
        json!([{"type": "reasoning.encrypted", "data": "R"}])
    );
    assert_eq!(
        call["extra_content"],
        json!({"google": {"thought_signature": "S"}})
    );
    assert_eq!(spoken["reasoning_encrypted"], "V");
    assert!(turn.get("reasoning_content").is_none());
}

#[test]
fn the_text_of_reasoning_goes_back_on_demand_only() {
    let (turn, ..) = turns(&request(None).reasoning_replay(ReasoningReplay::Text));
    assert_eq!(turn["reasoning_content"], "hm\nso");
    assert!(turn.get("reasoning_details").is_some());
}

#[test]
fn nothing_goes_back_when_nothing_shall() {
    let (turn, call, spoken) = turns(&request(None).reasoning_replay(ReasoningReplay::Never));
    for (message, members) in [(&turn, 3), (&call, 3), (&spoken, 2)] {
        assert_eq!(message.as_object().unwrap().len(), members, "{message}");
    }
}

#[test]
fn what_another_provider_sealed_stays_here() {
    let (turn, call, _) = turns(&request(Some("google")).provider("openrouter"));
    assert!(turn.get("reasoning_details").is_none() && call.get("extra_content").is_none());
    let (turn, call, _) = turns(&request(Some("google")));
    assert!(turn.get("reasoning_details").is_none() && call.get("extra_content").is_none());
    let (turn, call, _) = turns(&request(Some("google")).provider("google"));
    assert!(turn.get("reasoning_details").is_some() && call.get("extra_content").is_some());
}

#[test]
fn openai_gets_nothing_that_it_never_sealed() {
    let (turn, call, spoken) = turns(&request(None).flavor(Flavor::OpenAi));
    for (message, members) in [(&turn, 3), (&call, 3), (&spoken, 2)] {
        assert_eq!(message.as_object().unwrap().len(), members, "{message}");
    }
}

#[test]
fn reasoning_of_a_lost_answer_is_not_put_into_another() {
    let input = json!({"threadId": "t", "runId": "r", "messages": [
        {"id": "1", "role": "reasoning", "content": "lost"},
        {"id": "2", "role": "user", "content": "Hi"},
        {"id": "3", "role": "assistant", "content": "Hello"},
    ]});
    let input = RunAgentInput::from_slice(input.to_string().as_bytes())
        .unwrap()
        .0;
    let body = chat::request(&input, "m")
        .flavor(Flavor::Compatible)
        .reasoning_replay(ReasoningReplay::Text)
        .to_body();
    assert!(!body.to_string().contains("lost"));
}
