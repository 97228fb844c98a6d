//! What a chunk may look like.

use serde_json::json;

use crate::support::{content, delta, finish, more, open, play, usage};

const HI: [&str; 4] = ["TMS a1", "TMC a1 hi", "TME a1", "FIN"];

#[test]
fn a_chunk_with_only_a_role_opens_nothing() {
    play([
        delta(json!({"role": "assistant", "content": ""})),
        finish("stop"),
    ])
    .expect(&["FIN"]);
    play([
        delta(json!({"role": "assistant", "content": ""})),
        content("hi"),
        finish("stop"),
    ])
    .expect(&HI);
}

#[test]
fn empty_null_and_absent_content_is_nothing() {
    play([
        content(""),
        delta(json!({"content": null})),
        content("hi"),
        delta(json!({})),
        content(""),
        finish("stop"),
    ])
    .expect(&HI);
}

#[test]
fn a_first_chunk_of_filter_results_says_nothing_and_names_nothing() {
    let first = json!({"choices": [], "created": 0, "id": "", "model": "", "object": "",
        "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]});
    let played = play([first, content("hi"), finish("stop")]).expect(&HI);
    assert_eq!(played.told_with_end()["responseId"], "x");
    assert_eq!(played.told_with_end()["model"], "m");
}

#[test]
fn a_usage_chunk_without_choices_is_kept_and_shows_completion() {
    let played = play([content("hi"), finish("stop"), usage(10, 1)]).expect(&HI);
    assert_eq!(
        played.usage(),
        json!([{"model": "m", "inputTokens": 10, "outputTokens": 1, "totalTokens": 11}])
    );
    play([content("hi"), usage(10, 1)]).expect(&HI);
    play([content("hi"), json!({"usage": {"prompt_tokens": 1}})]).expect(&HI);
    // An empty report is none, and one in the middle of the text says nothing about its end.
    play([content("hi"), json!({"choices": [], "usage": {}})]).expect(&[
        "TMS a1",
        "TMC a1 hi",
        "ERR stream_truncated",
    ]);
    play([usage(10, 0), content("hi")]).expect(&["TMS a1", "TMC a1 hi", "ERR stream_truncated"]);
}

#[test]
fn the_last_usage_wins_wherever_it_is() {
    let with_usage = |mut chunk: serde_json::Value, output: u64| {
        chunk["usage"] = json!({"prompt_tokens": 10, "completion_tokens": output});
        chunk
    };
    let played = play([
        with_usage(content("h"), 1),
        with_usage(content("i"), 2),
        with_usage(finish("stop"), 3),
        json!({"choices": [], "usage": null}),
        json!({"choices": [], "usage": {}}),
    ])
    .expect(&["TMS a1", "TMC a1 h", "TMC a1 i", "TME a1", "FIN"]);
    assert_eq!(
        played.usage(),
        json!([{"model": "m", "inputTokens": 10, "outputTokens": 3}])
    );
}

#[test]
fn a_chunk_without_choices_says_nothing() {
    play([
        json!({"id": "x", "usage": null}),
        json!({"choices": null}),
        content("hi"),
        json!({"id": "x", "object": "chat.completion.chunk"}),
        finish("stop"),
    ])
    .expect(&HI);
}

#[test]
fn empty_choices_in_the_middle_or_late_say_nothing() {
    play([
        json!({"choices": [], "moderation": {"flagged": false}}),
        content("hi"),
        json!({"choices": []}),
        finish("stop"),
        json!({"choices": [], "moderation": {"flagged": false}}),
    ])
    .expect(&HI);
}

#[test]
fn the_last_finish_reason_counts_and_its_chunk_is_taken_first() {
    let both = |text: &str, reason: &str| json!({"choices": [{"delta": {"content": text}, "finish_reason": reason}]});
    let played = play([both("h", "stop"), both("i", "length"), finish("length")])
        .expect(&["TMS a1", "TMC a1 h", "TMC a1 i", "TME a1", "FIN"]);
    assert_eq!(played.told_with_end()["finishReason"], "length");
    play([both("hi", "stop"), delta(json!({}))]).expect(&HI);
}

#[test]
fn what_follows_the_finish_reason_is_taken() {
    play([finish("stop"), content("hi"), open(0, "a", "f", "{}")]).expect(&[
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "TCS a f in a1",
        "TCA a {}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn completion_needs_a_sign() {
    play([content("hi")]).expect(&["TMS a1", "TMC a1 hi", "ERR stream_truncated"]);
    play([content("hi")])
        .without_done()
        .expect(&["TMS a1", "TMC a1 hi", "ERR stream_truncated"]);
}

#[test]
fn finish_reasons_of_every_kind_are_read() {
    let check = |raw: &str, expect: &str| {
        let played = play([content("hi"), finish(raw)]).expect(&HI);
        let told = played.told_with_end();
        assert_eq!(
            (&told["finishReason"], &told["rawFinishReason"]),
            (&json!(expect), &json!(raw))
        );
        assert_eq!(played.told_with_text(), told);
    };
    check("stop", "stop");
    check("eos", "stop");
    check("end_turn", "stop");
    check("length", "length");
    check("MAX_TOKENS", "length");
    check("content_filter", "content_filter");
    let text = ["TMS a1", "TMC a1 hi"];
    let with = |last: &'static str| [text[0], text[1], last];
    play([content("hi"), finish("error")]).expect(&with("ERR provider_error"));
    play([content("hi"), finish("")]).expect(&with("ERR stream_truncated"));
    let number = json!({"choices": [{"delta": {}, "finish_reason": 7}]});
    play([content("hi"), number]).expect(&with("ERR stream_truncated"));
}

#[test]
fn calls_decide_whatever_the_finish_reason_says() {
    let played = play([open(0, "a", "f", "{}"), finish("stop")]).expect(&[
        "TCS a f in a1",
        "TCA a {}",
        "TCE a",
        "FIN a",
    ]);
    assert_eq!(played.told_with_end()["finishReason"], "tool_calls");
    assert_eq!(played.told_with_end()["rawFinishReason"], "stop");
}

#[test]
fn a_finish_for_calls_without_calls_is_a_plain_success() {
    let played = play([content("hi"), finish("tool_calls")]).expect(&HI);
    assert_eq!(played.told_with_end()["finishReason"], "stop");
}

#[test]
fn only_the_choice_with_index_0_counts() {
    let choice = |index: serde_json::Value, text: &str| json!({"choices": [{"index": index, "delta": {"content": text}, "finish_reason": null}]});
    play([
        choice(json!(1), "no"),
        choice(json!(0), "h"),
        json!({"choices": [
            {"index": 2, "delta": {"content": "no"}, "finish_reason": "stop"},
            {"index": "0", "delta": {"content": "i"}},
            {"delta": {"content": "!"}},
        ]}),
        json!({"choices": [{"index": 1, "delta": {}, "finish_reason": "length"}]}),
        finish("stop"),
    ])
    .expect(&[
        "TMS a1", "TMC a1 h", "TMC a1 i", "TMC a1 !", "TME a1", "FIN",
    ]);
    play([
        choice(json!(0), "hi"),
        json!({"choices": [{"index": 1, "finish_reason": "stop"}]}),
    ])
    .expect(&["TMS a1", "TMC a1 hi", "ERR stream_truncated"]);
}

#[test]
fn ids_times_and_missing_members_do_not_matter() {
    let with = |id: serde_json::Value, text: &str| json!({"id": id, "created": 1.5, "choices": [{"delta": {"content": text}}]});
    let played = play([
        with(json!(7), "h"),
        with(json!("one"), "i"),
        with(json!("two"), ""),
        finish("stop"),
    ])
    .expect(&["TMS a1", "TMC a1 h", "TMC a1 i", "TME a1", "FIN"]);
    assert_eq!(played.told_with_end()["responseId"], "one");
}

#[test]
fn a_whole_message_beside_deltas_counts_only_when_nothing_was_streamed() {
    let both = |delta: &str, message: &str| {
        json!({"object": "chat.completion.done", "choices": [{"index": 0,
            "delta": {"content": delta}, "message": {"content": message},
            "finish_reason": "stop"}]})
    };
    play([both("h", "h"), both("i", "hi"), both("", "hi")])
        .expect(&["TMS a1", "TMC a1 h", "TMC a1 i", "TME a1", "FIN"]);
    play([both("", ""), both("", "hi")]).expect(&HI);
}

#[test]
fn a_message_without_delta_is_taken_once() {
    let message = |text: &str| json!({"choices": [{"message": {"content": text}}]});
    play([message("hi"), finish("stop")]).expect(&HI);
    play([content("hi"), message("hi"), finish("stop")]).expect(&HI);
    play([content("h"), message("hi"), finish("stop")])
        .expect(&["TMS a1", "TMC a1 h", "TMC a1 i", "TME a1", "FIN"]);
    play([content("hi"), message("other"), finish("stop")]).expect(&HI);
    let call = json!({"choices": [{"message": {"tool_calls": [
        {"id": "a", "function": {"name": "f", "arguments": "{\"x\":1}"}}]}}]});
    play([
        open(0, "a", "f", "{\"x\""),
        more(0, ":1}"),
        call,
        finish("tool_calls"),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCA a :1}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn the_legacy_function_call_is_one_call() {
    let legacy = |call: serde_json::Value| delta(json!({ "function_call": call }));
    play([
        legacy(json!({"name": "f", "arguments": ""})),
        legacy(json!({"arguments": "{\"x\""})),
        legacy(json!({"name": "", "arguments": ":1}"})),
        legacy(json!(null)),
        finish("function_call"),
    ])
    .expect(&[
        "TCS c1 f in a1",
        "TCA c1 {\"x\"",
        "TCA c1 :1}",
        "TCE c1",
        "FIN c1",
    ]);
}

#[test]
fn a_transcript_is_text_and_sound_is_not() {
    let audio = |audio: serde_json::Value| delta(json!({"content": null, "audio": audio}));
    play([
        audio(json!({"id": "s", "transcript": "h"})),
        audio(json!({"transcript": "i"})),
        audio(json!({"data": "AgD9"})),
        usage(1, 2),
        audio(json!({"expires_at": 7})),
    ])
    .expect(&["TMS a1", "TMC a1 h", "TMC a1 i", "TME a1", "FIN"]);
}

#[test]
fn a_refusal_is_marked_text() {
    let refusal = |text: &str| delta(json!({ "refusal": text }));
    let played = play([
        refusal(""),
        refusal("I can"),
        refusal("not"),
        finish("stop"),
    ])
    .expect(&["TMS a1", "TMC a1 I can", "TMC a1 not", "TME a1", "FIN"]);
    assert_eq!(played.told_with_text()["refusal"], true);
    assert_eq!(played.told_with_end()["refusal"], true);
}

#[test]
fn content_may_come_in_parts() {
    let parts = json!({"content": [
        {"type": "thinking", "thinking": [
            {"type": "text", "text": "h"}, {"type": "reference", "reference_ids": [1]},
            {"type": "text", "text": "m"}]},
        {"type": "text", "text": "4"},
        {"type": "reference", "reference_ids": [1]},
        {"type": "text", "text": ""},
        "2", 7, null,
    ]});
    play([delta(parts), finish("stop")]).expect(&[
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "RME r2",
        "RE r1",
        "TMS a1",
        "TMC a1 4",
        "TMC a1 2",
        "TME a1",
        "FIN",
    ]);
    let one = json!({"content": {"type": "text", "text": "hi"}});
    play([delta(one), finish("stop")]).expect(&HI);
}

#[test]
fn filter_results_and_empty_deltas_say_nothing() {
    play([
        json!({"choices": [{"index": 0, "delta": {"content": "hi"},
            "content_filter_results": {"hate": {"filtered": false}}}]}),
        finish("stop"),
        json!({"id": "", "model": "", "choices": [{"index": 0, "finish_reason": null,
            "content_filter_offsets": {"check_offset": 44}}]}),
        json!({"choices": [{"index": 0, "delta": null, "finish_reason": null}]}),
    ])
    .expect(&HI);
}

#[test]
fn members_of_no_interest_do_not_matter_whatever_they_are() {
    play([
        json!({"id": [], "model": {}, "object": 7, "created": "x", "provider": null,
            "obfuscation": "zz", "timings": {"x": [1]}, "x_groq": {"id": "r"}, "p": "ab",
            "service_tier": "on_demand", "system_fingerprint": false, "prompt_token_ids": null,
            "choices": [{"index": 0, "text": "no", "token_ids": [1], "stop_reason": null,
                "logprobs": {"content": []}, "native_finish_reason": null, "seed": 1,
                "delta": {"content": "hi", "role": null, "index": 3, "token_id": 5,
                    "channel": "final", "tool_calls": null, "function_call": null,
                    "refusal": null, "audio": null, "annotations": null, "images": 7,
                    "reasoning": {}, "reasoning_content": 8, "reasoning_details": "x",
                    "extra_content": null, "executed_tools": {}}}]}),
        json!({"choices": "none", "usage": "none"}),
        json!({"choices": [null, 7, "x", [], {}]}),
        json!({"choices": [{"delta": "x"}, {"delta": {"tool_calls": {}}}]}),
        json!({"choices": [{"delta": {"tool_calls": [null, {}, {"function": 7}, {"index": {}}]}}]}),
        json!(7),
        json!("text"),
        json!([]),
        finish("stop"),
    ])
    .expect(&HI);
}
