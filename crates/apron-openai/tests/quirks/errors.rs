//! Errors in the middle of a stream.

use apron_openai::chat::Options;
use serde_json::{Value, json};

use crate::support::{body, content, delta, finish, play, usage};

/// Plays a text, then the chunk, then an end that would be a success.
#[track_caller]
fn check(chunk: Value, code: &str) {
    let failed = format!("ERR {code}");
    let played = play([content("hi"), usage(3, 4), chunk, finish("stop")]).expect(&[
        "TMS a1",
        "TMC a1 hi",
        &failed,
    ]);
    assert_eq!(played.usage()[0]["totalTokens"], 7);
    assert!(played.causes().contains("boom"), "{}", played.causes());
}

#[test]
fn an_error_object_fails_the_run() {
    check(
        json!({"error": {"message": "boom", "code": 500}}),
        "provider_error",
    );
    check(
        json!({"error": {"message": "boom", "code": "503"}}),
        "provider_error",
    );
    check(
        json!({"error": {"message": "boom", "code": 503}}),
        "provider_overloaded",
    );
    check(
        json!({"error": {"message": "boom", "type": "server_error"}}),
        "provider_error",
    );
    check(
        json!({"error": {"error": {"message": "boom", "code": 429}}}),
        "rate_limit_exceeded",
    );
    check(json!({"error": ["boom"]}), "provider_error");
    let groq = json!({"x_groq": {"error": "boom"}, "choices": [{"delta": {}}]});
    check(groq, "provider_error");
    check(json!({"x_groq": {"error": "boom"}}), "provider_error");
}

#[test]
fn an_error_event_fails_the_run_and_keeps_its_secrets() {
    let data = json!({"error": {"code": "tool_use_failed", "message": "boom", "status_code": 400,
        "failed_generation": "{\"secret\":1}"}});
    let played = play([content("hi"), finish("stop")])
        .with_raw(1, &format!("event: error\ndata: {data}\n\n"))
        .expect(&["TMS a1", "TMC a1 hi", "ERR tool_call_invalid"]);
    assert!(!played.causes().contains("secret"), "{}", played.causes());
    for data in [
        "boom",
        r#""boom""#,
        r#"{"message":"boom"}"#,
        r#"{"choices":[]}"#,
    ] {
        play([content("hi"), finish("stop")])
            .with_raw(1, &format!("event: error\ndata: {data}\n\n"))
            .expect(&["TMS a1", "TMC a1 hi", "ERR provider_error"]);
    }
}

#[test]
fn an_error_beside_choices_fails_the_run_even_after_a_finish_reason() {
    let chunk = json!({"error": {"code": 400, "message": "boom: token limit reached"},
        "choices": [{"index": 0, "delta": {"content": "lost"}, "finish_reason": null}],
        "usage": {"prompt_tokens": 43, "completion_tokens": 10, "total_tokens": 53}});
    let played = play([content("hi"), finish("length"), chunk]).expect(&[
        "TMS a1",
        "TMC a1 hi",
        "ERR invalid_request",
    ]);
    assert_eq!(played.usage()[0]["totalTokens"], 53);
    let inside = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "error",
        "error": {"code": 502, "message": "boom"}}]});
    check(inside, "provider_error");
}

#[test]
fn an_error_may_be_a_string_or_an_sse_field() {
    check(json!({"error": "boom"}), "provider_error");
    let field = "error: {\"code\":500,\"message\":\"boom\"}\n\n";
    let played = play([content("hi")])
        .with_raw(1, field)
        .without_done()
        .expect(&["TMS a1", "TMC a1 hi", "ERR stream_truncated"]);
    assert!(played.causes().contains("boom"), "{}", played.causes());
    let played = body(field).expect(&["ERR stream_truncated"]);
    assert!(played.causes().contains("boom"), "{}", played.causes());
    // A field is no part of the format: what is complete stays complete.
    play([content("hi"), finish("stop")])
        .with_raw(1, field)
        .expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
}

#[test]
fn an_error_may_be_the_chunk_itself() {
    check(json!({"detail": "boom"}), "provider_error");
    check(
        json!({"detail": [{"loc": ["body"], "msg": "boom"}]}),
        "provider_error",
    );
    check(
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "boom"}}),
        "provider_overloaded",
    );
    check(
        json!({"object": "error", "message": "boom", "type": "BadRequestError", "code": 400}),
        "invalid_request",
    );
    check(
        json!({"message": "boom", "code": "model_not_found"}),
        "model_not_found",
    );
}

#[test]
fn what_is_no_error_is_not_taken_for_one() {
    let none = |error: Value| json!({"error": error, "choices": [{"delta": {"content": "!"}}]});
    play([
        content("hi"),
        none(json!(null)),
        none(json!("")),
        none(json!({})),
        none(json!(false)),
        json!({"detail": "fine", "choices": [{"delta": {"content": "!"}}]}),
        json!({"message": "fine"}),
        finish("stop"),
    ])
    .expect(&[
        "TMS a1",
        "TMC a1 hi",
        "TMC a1 !",
        "TMC a1 !",
        "TMC a1 !",
        "TMC a1 !",
        "TMC a1 !",
        "TME a1",
        "FIN",
    ]);
}

#[test]
fn malformed_chunks_fail_the_run_unless_the_options_forgive_them() {
    let broken = || play([content("hi"), finish("stop")]).with_raw(1, "data: {oops\n\n");
    broken().expect(&["TMS a1", "TMC a1 hi", "ERR decode_error"]);
    let forgiving = Options::default().with_malformed_chunks(1);
    broken()
        .options(forgiving.clone())
        .expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
    broken()
        .with_raw(1, "data: {oops\n\n")
        .options(forgiving.clone())
        .expect(&["TMS a1", "TMC a1 hi", "ERR decode_error"]);
    // What does not complete is not forgiven.
    play([content("hi")])
        .with_raw(1, "data: {oops\n\n")
        .options(forgiving)
        .expect(&["TMS a1", "TMC a1 hi", "ERR decode_error"]);
}

#[test]
fn a_stream_that_just_ends_is_truncated() {
    let played = play([
        content("hi"),
        json!({"choices": [{"delta": {}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2}}),
    ])
    .without_done()
    .expect(&["TMS a1", "TMC a1 hi", "ERR stream_truncated"]);
    assert_eq!(played.usage()[0]["outputTokens"], 2);
    // A frame that was cut off is a part of the cut, not a malformed one.
    let text = format!("data: {}\n\ndata: {{\"choi", content("hi"));
    body(&text).expect(&["TMS a1", "TMC a1 hi", "ERR stream_truncated"]);
}

#[test]
fn a_stream_without_chunks_is_an_empty_response() {
    for text in [
        "",
        "\n",
        "data: [DONE]\n\n",
        ": hello\n\n",
        "<html>\nsorry\n</html>\n",
    ] {
        body(text).expect(&["ERR empty_response"]);
    }
}

#[test]
fn an_unreadable_body_is_a_decode_error() {
    body("{\"choices\": oops}").expect(&["ERR decode_error"]);
    body("data: {\"choices\": [}\n\n").expect(&["ERR decode_error"]);
    // Deeper than any parser goes, in a place that nobody looks at.
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let chunk =
        format!("data: {{\"x\":{deep},\"choices\":[{{\"delta\":{{\"content\":\"hi\"}}}}]}}\n\n");
    assert!(chunk.len() > 20_000);
    let played = apron_openai_drain(&format!("{chunk}data: {}\n\n", finish("stop")));
    assert_eq!(played.script(), ["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
}

#[test]
fn provider_words_never_reach_the_client() {
    let canary = "sk-canary-0123456789";
    let chunk = json!({"error": {"message": canary, "type": canary, "code": canary,
        "param": canary, "metadata": {"raw": canary}}});
    let played = play([delta(json!({"role": "assistant"})), chunk]).expect(&["ERR provider_error"]);
    let failure = played.failure.as_ref().unwrap();
    assert!(!failure.message().contains(canary) && !failure.to_string().contains(canary));
    assert!(played.causes().contains(canary));
}

/// As `body`, without playing every prefix: for long ones.
fn apron_openai_drain(text: &str) -> crate::support::Played {
    let bytes = futures_util::stream::iter([Ok::<_, std::convert::Infallible>(text.as_bytes())]);
    crate::support::drain(apron_openai::chat::events(bytes), &[])
}
