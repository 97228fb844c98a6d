//! What a turn comes to: cuts, filters, refusals, and tokens.

use apron_openai::chat::{CutCalls, Options, Refusals};
use apron_protocol::Event;
use serde_json::{Value, json};

use crate::support::{content, delta, finish, more, open, play, thought, usage};

#[test]
fn a_text_that_was_cut_off_is_a_success_that_says_so() {
    let played =
        play([content("hi"), finish("length")]).expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
    assert_eq!(played.told_with_end()["finishReason"], "length");
    play([thought("hm"), finish("length")]).expect(&[
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "RME r2",
        "RE r1",
        "FIN",
    ]);
}

#[test]
fn a_call_that_was_cut_off_is_never_left_to_the_client() {
    let stream = |arguments: &str| {
        play([
            open(0, "a", "f", "{\"x\":1}"),
            open(1, "b", "g", arguments),
            usage(1, 2),
            finish("length"),
        ])
    };
    for arguments in ["", "{\"y", "{}"] {
        let mut script = vec!["TCS a f in a1", "TCA a {\"x\":1}", "TCS b g in a1"];
        let (piece, last) = (format!("TCA b {arguments}"), "TCA b {}");
        script.extend(if arguments.len() > 2 {
            [&*piece, "TCE a"]
        } else {
            ["TCE a", last]
        });
        script.push("TCE b");
        let cut = [&script[..], &["ERR max_output_tokens"]].concat();
        let played = stream(arguments).expect(&cut);
        assert_eq!(played.usage()[0]["totalTokens"], 3);
        let marked =
            |event: &Event| matches!(event, Event::ToolCallEnd(_)) && event.metadata().is_some();
        assert_eq!(
            played.events.iter().filter(|event| marked(event)).count(),
            1
        );
        let answered = [&script[..], &["TCR a", "TCR b", "FIN"]].concat();
        stream(arguments)
            .options(Options::default().with_cut_calls(CutCalls::Answer))
            .expect(&answered);
    }
}

#[test]
fn a_call_that_is_provably_whole_survives_a_cut_after_it() {
    play([
        open(0, "a", "f", "{\"x\""),
        more(0, ":1}"),
        finish("length"),
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
fn a_filter_keeps_the_text_and_fails_without_any() {
    let played = play([content("hi"), finish("content_filter")]).expect(&[
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "FIN",
    ]);
    assert_eq!(played.told_with_end()["finishReason"], "content_filter");
    play([finish("content_filter")]).expect(&["ERR content_filter"]);
    play([thought("hm"), finish("content_filter")]).expect(&[
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "ERR content_filter",
    ]);
    play([open(0, "a", "f", "{\"x\":1}"), finish("content_filter")]).expect(&[
        "TCS a f in a1",
        "TCA a {\"x\":1}",
        "TCE a",
        "ERR content_filter",
    ]);
}

#[test]
fn a_refusal_fails_the_run_when_asked_to() {
    play([delta(json!({"refusal": "no"})), finish("stop")])
        .options(Options::default().with_refusals(Refusals::Fail))
        .expect(&["TMS a1", "TMC a1 no", "ERR refusal"]);
}

/// Plays a usage report, and compares what the run reports.
#[track_caller]
fn check_usage(report: Value, expect: Value) {
    let chunk = json!({"choices": [], "usage": report});
    let played = play([content("hi"), finish("stop"), chunk])
        .options(Options::default().with_provider("p"))
        .expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
    let mut usage = played.usage()[0].clone();
    let object = usage.as_object_mut().unwrap();
    assert_eq!(object.remove("provider"), Some("p".into()));
    assert_eq!(object.remove("model"), Some("m".into()));
    assert_eq!(usage, expect);
}

#[test]
fn usage_is_read_in_every_spelling() {
    check_usage(
        json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
            "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
            "completion_tokens_details": {"reasoning_tokens": 2}, "cost": 0.1}),
        json!({"inputTokens": 10, "outputTokens": 5, "totalTokens": 15, "cachedInputTokens": 4,
            "cacheWriteInputTokens": 3, "reasoningTokens": 2}),
    );
    check_usage(
        json!({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 8}),
        json!({"inputTokens": 10, "outputTokens": 5, "cachedInputTokens": 8}),
    );
    check_usage(
        json!({"prompt_tokens": 0, "completion_tokens": null, "total_tokens": -1}),
        json!({"inputTokens": 0}),
    );
    check_usage(
        json!({"prompt_tokens": "10", "completion_tokens": 5.0, "total_tokens": 1.5}),
        json!({"inputTokens": 10, "outputTokens": 5}),
    );
}

#[test]
fn reasoning_beside_the_completion_is_added_and_too_much_of_it_is_clamped() {
    check_usage(
        json!({"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 301,
            "completion_tokens_details": {"reasoning_tokens": 290}}),
        json!({"inputTokens": 10, "outputTokens": 291, "totalTokens": 301, "reasoningTokens": 290}),
    );
    check_usage(
        json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
            "completion_tokens_details": {"reasoning_tokens": 9}}),
        json!({"inputTokens": 10, "outputTokens": 5, "totalTokens": 15, "reasoningTokens": 5}),
    );
}

#[test]
fn usage_of_groq_is_read_from_either_place() {
    let groq = json!({"choices": [{"delta": {}, "finish_reason": "stop"}],
        "x_groq": {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}});
    let played = play([content("hi"), groq]).expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
    assert_eq!(
        played.usage(),
        json!([{"model": "m", "inputTokens": 1, "outputTokens": 2}])
    );
}
