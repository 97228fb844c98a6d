//! Every repair of a conversation, seen on the body that goes out.

use apron_openai::chat::{self, CallIds, ChatRequest, MissingResults, Refusal, Repair};
use apron_protocol::RunAgentInput;
use serde_json::{Value, json};

fn input(messages: Value) -> RunAgentInput {
    let input = json!({"threadId": "t", "runId": "r", "messages": messages});
    RunAgentInput::from_slice(input.to_string().as_bytes())
        .unwrap()
        .0
}

fn request(messages: Value) -> ChatRequest {
    chat::request(&input(messages), "m")
}

/// The messages that go out, and how often which repair was made on the way.
#[track_caller]
fn check_request(request: &ChatRequest, expected: Value, repairs: &[(Repair, u32)]) {
    assert_eq!(request.to_body()["messages"], expected);
    let mut made: Vec<_> = request.repairs().iter().collect();
    made.sort_by_key(|(repair, _)| *repair as usize);
    assert_eq!(made, repairs);
}

#[track_caller]
fn check(messages: Value, expected: Value, repairs: &[(Repair, u32)]) {
    check_request(&request(messages), expected, repairs);
}

/// A call in the client's form and, alike, in the provider's.
fn call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}})
}

fn calls(id: &str, calls: &[Value]) -> Value {
    json!({"id": id, "role": "assistant", "toolCalls": calls})
}

fn result(id: &str, call: &str, content: &str) -> Value {
    json!({"id": id, "role": "tool", "toolCallId": call, "content": content})
}

fn user(id: &str, content: &str) -> Value {
    json!({"id": id, "role": "user", "content": content})
}

fn sent_user(content: &str) -> Value {
    json!({"role": "user", "content": content})
}

fn sent_calls(calls: &[Value]) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn sent_result(call: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": call, "content": content})
}

const NO_RESULT: &str = "[no result: the call was not completed]";

#[test]
fn a_plain_conversation_goes_out_word_for_word() {
    check(
        json!([
            {"id": "0", "role": "system", "content": "Be kind."},
            user("1", "What is the weather?"),
            {"id": "2", "role": "assistant", "content": "Let me look.",
             "toolCalls": [call("a", "{\"city\": \"Oslo\"}"), call("b", "{}")]},
            result("3", "a", "snow"),
            result("4", "b", ""),
            {"id": "5", "role": "assistant", "content": "It snows."},
            user("6", " "),
        ]),
        json!([
            {"role": "system", "content": "Be kind."},
            sent_user("What is the weather?"),
            {"role": "assistant", "content": "Let me look.",
             "tool_calls": [call("a", "{\"city\": \"Oslo\"}"), call("b", "{}")]},
            sent_result("a", "snow"),
            sent_result("b", ""),
            {"role": "assistant", "content": "It snows."},
            sent_user(" "),
        ]),
        &[],
    );
}

#[test]
fn empty_messages_are_left_out() {
    check(
        json!([
            {"id": "0", "role": "system", "content": ""},
            user("1", ""),
            {"id": "2", "role": "user", "content": []},
            {"id": "3", "role": "assistant", "content": ""},
            {"id": "4", "role": "assistant"},
            user("5", "Hi"),
        ]),
        json!([sent_user("Hi")]),
        &[(Repair::EmptyMessage, 5)],
    );
}

#[test]
fn results_are_moved_behind_their_calls_in_call_order() {
    check(
        json!([
            calls("1", &[call("a", "{}"), call("b", "{}")]),
            result("2", "b", "B"),
            user("3", "and?"),
            result("4", "a", "A"),
        ]),
        json!([
            sent_calls(&[call("a", "{}"), call("b", "{}")]),
            sent_result("a", "A"),
            sent_result("b", "B"),
            sent_user("and?"),
        ]),
        &[(Repair::MovedResult, 1)],
    );
}

#[test]
fn a_result_before_its_call_is_moved_behind_it() {
    check(
        json!([result("1", "a", "A"), calls("2", &[call("a", "{}")])]),
        json!([sent_calls(&[call("a", "{}")]), sent_result("a", "A")]),
        &[(Repair::MovedResult, 1)],
    );
}

#[test]
fn a_message_of_calls_only_joins_the_one_before_it() {
    check(
        json!([
            {"id": "1", "role": "assistant", "content": "Let me look."},
            calls("2", &[call("a", "{}")]),
            result("3", "a", "A"),
            calls("4", &[call("b", "{}")]),
            result("5", "b", "B"),
        ]),
        json!([
            {"role": "assistant", "content": "Let me look.", "tool_calls": [call("a", "{}")]},
            sent_result("a", "A"),
            sent_calls(&[call("b", "{}")]),
            sent_result("b", "B"),
        ]),
        &[(Repair::MergedCalls, 1)],
    );
}

#[test]
fn an_old_call_without_result_gets_one_that_says_so() {
    let messages = json!([calls("1", &[call("a", "{}")]), user("2", "Never mind.")]);
    check(
        messages.clone(),
        json!([
            sent_calls(&[call("a", "{}")]),
            sent_result("a", NO_RESULT),
            sent_user("Never mind."),
        ]),
        &[(Repair::MissingResult, 1)],
    );
    assert_eq!(request(messages).check(), Ok(()));
}

#[test]
fn the_newest_call_without_result_refuses_the_request() {
    let messages = json!([
        user("1", "Hi"),
        calls("2", &[call("a", "{}"), call("b", "{}")]),
        result("3", "a", "A"),
    ]);
    let refusal = Refusal::UnansweredCall { id: "b".into() };
    assert_eq!(request(messages.clone()).check(), Err(refusal));
    let lenient = request(messages).missing_results(MissingResults::Synthesize);
    assert_eq!(lenient.check(), Ok(()));
    assert_eq!(
        lenient.to_body()["messages"][3],
        sent_result("b", NO_RESULT)
    );
}

#[test]
fn calls_without_result_can_be_left_out() {
    let messages = json!([
        calls("1", &[call("a", "{}"), call("b", "{}")]),
        result("2", "b", "B"),
        calls("3", &[call("c", "{}")]),
    ]);
    check_request(
        &request(messages).missing_results(MissingResults::DropCall),
        json!([sent_calls(&[call("b", "{}")]), sent_result("b", "B")]),
        &[(Repair::DroppedCall, 2)],
    );
}

#[test]
fn a_result_without_call_is_left_out() {
    check(
        json!([result("1", "x", "?"), user("2", "Hi")]),
        json!([sent_user("Hi")]),
        &[(Repair::OrphanResult, 1)],
    );
}

#[test]
fn of_two_results_the_first_wins() {
    check(
        json!([
            result("0", "early", "first"),
            result("1", "early", "second"),
            calls("2", &[call("a", "{}"), call("early", "{}")]),
            result("3", "a", "first"),
            result("4", "a", "second"),
        ]),
        json!([
            sent_calls(&[call("a", "{}"), call("early", "{}")]),
            sent_result("a", "first"),
            sent_result("early", "first"),
        ]),
        &[(Repair::MovedResult, 1), (Repair::DuplicateResult, 2)],
    );
}

#[test]
fn an_id_that_comes_again_gets_a_suffix_and_keeps_its_own_result() {
    check(
        json!([
            calls("1", &[call("a", "{}")]),
            result("2", "a", "one"),
            user("3", "Again."),
            calls("4", &[call("a", "{\"n\":2}"), call("a", "{\"n\":3}")]),
            result("5", "a", "two"),
            result("6", "a", "three"),
        ]),
        json!([
            sent_calls(&[call("a", "{}")]),
            sent_result("a", "one"),
            sent_user("Again."),
            sent_calls(&[call("a_2", "{\"n\":2}"), call("a_3", "{\"n\":3}")]),
            sent_result("a_2", "two"),
            sent_result("a_3", "three"),
        ]),
        &[(Repair::DuplicateCall, 2)],
    );
}

#[test]
fn a_result_belongs_to_the_latest_call_of_its_id() {
    check(
        json!([
            calls("1", &[call("a", "{}")]),
            user("2", "Never mind. Again."),
            calls("3", &[call("a", "{}")]),
            result("4", "a", "A"),
        ]),
        json!([
            sent_calls(&[call("a", "{}")]),
            sent_result("a", NO_RESULT),
            sent_user("Never mind. Again."),
            sent_calls(&[call("a_2", "{}")]),
            sent_result("a_2", "A"),
        ]),
        &[(Repair::MissingResult, 1), (Repair::DuplicateCall, 1)],
    );
}

#[test]
fn empty_arguments_become_an_object() {
    for arguments in ["", " ", "null"] {
        check(
            json!([calls("1", &[call("a", arguments)]), result("2", "a", "A")]),
            json!([sent_calls(&[call("a", "{}")]), sent_result("a", "A")]),
            &[(Repair::EmptyArguments, 1)],
        );
    }
}

#[test]
fn invalid_arguments_become_an_object_and_the_result_says_so() {
    for arguments in [
        "{\"a\":",
        "{\"a\":1}{\"b\":2}",
        "[1]",
        "\"a\"",
        "{} trailing",
        "nonsense",
    ] {
        check(
            json!([calls("1", &[call("a", arguments)]), result("2", "a", "A")]),
            json!([
                sent_calls(&[call("a", "{}")]),
                sent_result("a", "[the arguments of this call were not valid JSON]\nA"),
            ]),
            &[(Repair::InvalidArguments, 1)],
        );
    }
}

#[test]
fn calls_that_the_provider_ran_are_left_out_with_their_results() {
    let mut hosted = call("ws", "{}");
    hosted["metadata"] = json!({"openai": {"hosted": true}});
    check(
        json!([
            calls("1", &[hosted.clone()]),
            result("2", "ws", "found"),
            {"id": "3", "role": "assistant", "content": "It is so.", "toolCalls": [hosted]},
        ]),
        json!([{"role": "assistant", "content": "It is so."}]),
        &[(Repair::HostedCall, 2)],
    );
}

#[test]
fn long_ids_of_calls_are_shortened_alike_in_call_and_result() {
    let long = "c".repeat(41);
    let request = request(json!([
        calls("1", &[call(&long, "{}")]),
        result("2", &long, "A")
    ]));
    let body = request.to_body();
    let id = body["messages"][0]["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!(id.len(), 40);
    assert_eq!(body["messages"][1]["tool_call_id"], id);
    assert_eq!(request.repairs().count(Repair::CallId), 1);
}

#[test]
fn mistral_gets_ids_of_nine_characters() {
    let request = request(json!([
        calls("1", &[call("call_1", "{}")]),
        result("2", "call_1", "A")
    ]))
    .call_ids(CallIds::Nine);
    let body = request.to_body();
    let id = body["messages"][0]["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!(
        (id.len(), id.bytes().all(|it| it.is_ascii_alphanumeric())),
        (9, true)
    );
    assert_eq!(body["messages"][1]["tool_call_id"], id);
}

#[test]
fn users_stay_apart_unless_they_are_to_be_merged() {
    let messages = json!([
        user("1", "Hi"),
        user("2", "there"),
        {"id": "3", "role": "user", "content": [
            {"type": "text", "text": "look"},
            {"type": "image", "source": {"type": "url", "value": "https://h/i.png"}},
        ]},
    ]);
    assert_eq!(
        request(messages.clone()).to_body()["messages"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    check_request(
        &request(messages).merge_user_messages(),
        json!([{"role": "user", "content": [
            {"type": "text", "text": "Hi\n\nthere"},
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "https://h/i.png"}},
        ]}]),
        &[(Repair::MergedUsers, 2)],
    );
}

#[test]
fn an_assistant_message_at_the_end_is_sent_as_it_is() {
    check(
        json!([user("1", "Hi"), {"id": "2", "role": "assistant", "content": "Dear"}]),
        json!([sent_user("Hi"), {"role": "assistant", "content": "Dear"}]),
        &[],
    );
}

#[test]
fn names_of_authors_are_kept_when_they_are_plain() {
    check(
        json!([
            {"id": "1", "role": "user", "content": "Hi", "name": "ada_1"},
            {"id": "2", "role": "user", "content": "Ho", "name": "Ada Lovelace"},
            {"id": "3", "role": "system", "content": "So", "name": ""},
        ]),
        json!([
            {"role": "user", "content": "Hi", "name": "ada_1"},
            {"role": "user", "content": "Ho"},
            {"role": "system", "content": "So"},
        ]),
        &[(Repair::AuthorName, 2)],
    );
}

#[test]
fn a_failed_tool_says_so_when_it_says_nothing_else() {
    check(
        json!([
            calls("1", &[call("a", "{}"), call("b", "{}")]),
            {"id": "2", "role": "tool", "toolCallId": "a", "content": "", "error": "no such city"},
            {"id": "3", "role": "tool", "toolCallId": "b", "content": "B", "error": "late"},
        ]),
        json!([
            sent_calls(&[call("a", "{}"), call("b", "{}")]),
            sent_result("a", "{\"error\":\"no such city\"}"),
            sent_result("b", "B"),
        ]),
        &[],
    );
}

#[test]
fn results_are_text_and_lose_their_pictures() {
    check(
        json!([
            calls("1", &[call("a", "{}")]),
            {"id": "2", "role": "tool", "toolCallId": "a", "content": [
                {"type": "text", "text": "one"},
                {"type": "image", "source": {"type": "url", "value": "https://h/i.png"}},
                {"type": "text", "text": "two"},
            ]},
        ]),
        json!([sent_calls(&[call("a", "{}")]), sent_result("a", "one\ntwo")]),
        &[(Repair::DroppedPart, 1)],
    );
}

#[test]
fn a_hostile_history_is_mended_in_linear_time() {
    // Twenty thousand calls of one id, with as many odd names, then their results in reverse.
    let count = 20_000;
    let called: Vec<_> = (0..count)
        .map(|at| {
            let name = format!("é{at}");
            json!({"id": "a", "type": "function", "function": {"name": name, "arguments": "{"}})
        })
        .collect();
    let mut messages = vec![calls("1", &called)];
    messages.extend((0..count).map(|at| result(&at.to_string(), "a", "A")));
    let request = request(Value::Array(messages));
    let repairs = request.repairs();
    assert_eq!(repairs.count(Repair::DuplicateCall), count - 1);
    assert_eq!(repairs.count(Repair::InvalidArguments), count);
    assert_eq!(repairs.count(Repair::ToolName), count);
    assert_eq!(repairs.count(Repair::MissingResult), 0);
}
