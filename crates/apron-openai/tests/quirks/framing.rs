//! How a body is cut into chunks.

use crate::support::{body, content, finish, play, usage};

#[test]
fn a_stream_may_lack_done_and_have_comments_names_and_crlf() {
    let hi = ["TMS a1", "TMC a1 hi", "TME a1", "FIN"];
    play([content("hi"), finish("stop")])
        .without_done()
        .expect(&hi);
    play([content("hi"), finish("stop")])
        .with_raw(1, ": PROCESSING\n\n: PROCESSING\n\n")
        .with_raw(0, ": hello\nevent: message\nid: 7\nretry: 10\n")
        .expect(&hi);
    let text = format!(
        "data: {}\r\n\r\ndata:{}\r\n\r\n",
        content("hi"),
        finish("stop")
    );
    body(&text).expect(&hi);
    body(&format!("\u{feff}{text}")).expect(&hi);
    body(&format!("\n\n{text}")).expect(&hi);
}

#[test]
fn done_ends_the_stream_with_spaces_around_it_and_whatever_follows() {
    let hi = ["TMS a1", "TMC a1 hi", "TME a1", "FIN"];
    let text = format!(
        "data: {}\n\ndata: {}\n\ndata:  [DONE] \n\ndata: {}\n\ndata: {{oops\n\n",
        content("hi"),
        finish("stop"),
        content("more"),
    );
    body(&text).expect(&hi);
}

#[test]
fn the_last_frame_counts_without_its_blank_line() {
    let text = format!("data: {}\n\ndata: {}", content("hi"), finish("stop"));
    body(&text).expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
}

#[test]
fn a_whole_answer_as_json_is_one_big_delta() {
    let text = r#"{
        "id": "x", "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant",
            "reasoning_content": "hm",
            "content": "hi",
            "tool_calls": [{"id": "a", "type": "function",
                "function": {"name": "f", "arguments": "{\"x\":1}"}}]
        }}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    }"#;
    let script = [
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "RME r2",
        "RE r1",
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "TCS a f in a1",
        "TCA a {\"x\":1}",
        "TCE a",
        "FIN a",
    ];
    body(text).expect(&script);
    let line = text.replace('\n', " ");
    body(&line).expect(&script);
    body(&format!("data: {line}\n\n")).expect(&script);
}

#[test]
fn json_lines_are_chunks() {
    let lines = format!(
        "{}\n{}\n{}\n[DONE]\n",
        content("hi"),
        finish("stop"),
        usage(1, 2)
    );
    let played = body(&lines).expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
    assert_eq!(played.usage()[0]["inputTokens"], 1);
}

#[test]
fn an_array_of_chunks_is_chunks() {
    let text = format!("[{},{}]", content("hi"), finish("stop"));
    body(&text).expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
    body(r#"[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow down"}}]"#)
        .expect(&["ERR rate_limit_exceeded"]);
}

#[test]
fn letters_survive_any_cut_of_their_bytes() {
    // `expect` plays the bytes one by one, too.
    let joined = "TMC a1 👩\u{200d}🚀";
    play([
        content("👩\u{200d}🚀"),
        content("e"),
        content("\u{301}"),
        finish("stop"),
    ])
    .expect(&[
        "TMS a1",
        joined,
        "TMC a1 e",
        "TMC a1 \u{301}",
        "TME a1",
        "FIN",
    ]);
}
