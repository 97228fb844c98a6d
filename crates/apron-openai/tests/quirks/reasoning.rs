//! What the model thinks.

use apron_openai::chat::{Options, Reasoning, ThinkTags};
use serde_json::{Value, json};

use crate::support::{content, delta, finish, open, play, thought};

const THOUGHT_THEN_TEXT: [&str; 9] = [
    "RS r1",
    "RMS r2",
    "RMC r2 hm",
    "RME r2",
    "RE r1",
    "TMS a1",
    "TMC a1 4",
    "TME a1",
    "FIN",
];

fn details(details: Value) -> Value {
    delta(json!({"content": "", "reasoning_details": details}))
}

#[test]
fn reasoning_content_is_reasoning() {
    play([
        delta(json!({"reasoning_content": "", "content": null})),
        thought("hm"),
        delta(json!({"reasoning_content": null, "content": "4"})),
        finish("stop"),
    ])
    .expect(&THOUGHT_THEN_TEXT);
}

#[test]
fn reasoning_under_two_names_is_said_once() {
    play([
        delta(json!({"reasoning": "hm"})),
        content("4"),
        finish("stop"),
    ])
    .expect(&THOUGHT_THEN_TEXT);
    let both = json!({"reasoning": "hm", "reasoning_content": "hm"});
    play([delta(both), content("4"), finish("stop")]).expect(&THOUGHT_THEN_TEXT);
}

#[test]
fn reasoning_details_are_text_only_where_there_is_no_other_and_travel_with_their_secrets() {
    let text = |text: &str| json!([{"type": "reasoning.text", "index": 0, "text": text}]);
    play([
        details(text("h")),
        details(text("m")),
        content("4"),
        finish("stop"),
    ])
    .expect(&[
        "RS r1", "RMS r2", "RMC r2 h", "RMC r2 m", "RME r2", "RE r1", "TMS a1", "TMC a1 4",
        "TME a1", "FIN",
    ]);
    let both = json!({"reasoning": "hm", "reasoning_details": text("hm")});
    play([delta(both), content("4"), finish("stop")]).expect(&THOUGHT_THEN_TEXT);
    let summary = json!([{"type": "reasoning.summary", "summary": "hm"}]);
    play([details(summary), content("4"), finish("stop")]).expect(&THOUGHT_THEN_TEXT);

    let signed = json!([{"type": "reasoning.text", "index": 0, "signature": "S", "format": "a"}]);
    let secret = json!([{"type": "reasoning.encrypted", "index": 1, "data": "E"}]);
    let played = play([
        details(text("h")),
        details(text("m")),
        details(signed),
        details(secret.clone()),
        content("4"),
        finish("stop"),
    ])
    .expect(&[
        "RS r1", "RMS r2", "RMC r2 h", "RMC r2 m", "RME r2", "RE r1", "TMS a1", "TMC a1 4",
        "TME a1", "REV r2", "FIN",
    ]);
    let expect = json!([
        {"type": "reasoning.text", "index": 0, "text": "hm", "signature": "S", "format": "a"},
        {"type": "reasoning.encrypted", "index": 1, "data": "E"},
    ]);
    assert_eq!(played.envelopes()[0]["reasoningDetails"], expect);
    // Without a word of reasoning, it goes with the message; without that, with an empty thought.
    play([
        details(secret.clone()),
        open(0, "a", "f", "{}"),
        finish("stop"),
    ])
    .expect(&["TCS a f in a1", "REV a1", "TCA a {}", "TCE a", "FIN a"]);
    play([details(secret), finish("stop")])
        .expect(&["RS r1", "RMS r2", "REV r2", "RME r2", "RE r1", "FIN"]);
}

#[test]
fn encrypted_reasoning_travels() {
    let encrypted = |value: Value| delta(json!({ "reasoning_encrypted": value }));
    let played = play([
        thought("hm"),
        encrypted(json!("E")),
        content("4"),
        finish("stop"),
    ])
    .expect(&[
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "RME r2",
        "RE r1",
        "TMS a1",
        "TMC a1 4",
        "TME a1",
        "REV r2",
        "FIN",
    ]);
    assert_eq!(played.envelopes()[0]["reasoningEncrypted"], "E");
    play([
        encrypted(json!(false)),
        thought("hm"),
        content("4"),
        finish("stop"),
    ])
    .expect(&THOUGHT_THEN_TEXT);
}

#[test]
fn think_tags_are_split_off_when_asked_for() {
    let stream = || play([content("<thi"), content("nk>hm</think>4"), finish("stop")]);
    stream().expect(&[
        "TMS a1",
        "TMC a1 <thi",
        "TMC a1 nk>hm</think>4",
        "TME a1",
        "FIN",
    ]);
    let split = Options::default().with_think_tags(ThinkTags::Split);
    stream().options(split).expect(&THOUGHT_THEN_TEXT);
    let implied = Options::default().with_think_tags(ThinkTags::SplitImplied);
    play([content("hm</th"), content("ink>4"), finish("stop")])
        .options(implied)
        .expect(&THOUGHT_THEN_TEXT);
}

#[test]
fn reasoning_after_text_is_a_new_span_each_time() {
    play([
        content("a"),
        thought("b"),
        content("c"),
        thought("d"),
        finish("stop"),
    ])
    .expect(&[
        "TMS a1", "TMC a1 a", "TME a1", "RS r1", "RMS r2", "RMC r2 b", "RME r2", "RE r1", "TMS a2",
        "TMC a2 c", "TME a2", "RS r3", "RMS r4", "RMC r4 d", "RME r4", "RE r3", "FIN",
    ]);
}

#[test]
fn reasoning_comes_before_text_of_the_same_chunk() {
    let both = json!({"content": "4", "reasoning_content": "hm"});
    play([delta(both), finish("stop")]).expect(&THOUGHT_THEN_TEXT);
}

#[test]
fn reasoning_is_closed_by_what_follows_or_by_the_end() {
    play([thought("hm"), finish("stop")]).expect(&[
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "RME r2",
        "RE r1",
        "FIN",
    ]);
    play([thought("hm"), open(0, "a", "f", "{}"), finish("stop")]).expect(&[
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "RME r2",
        "RE r1",
        "TCS a f in a1",
        "TCA a {}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn channels_and_leftovers_of_harmony_stay_as_they_are() {
    play([
        delta(json!({"reasoning": "hm", "channel": "analysis"})),
        content("<|channel|>4"),
        finish("stop"),
    ])
    .expect(&[
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "RME r2",
        "RE r1",
        "TMS a1",
        "TMC a1 <|channel|>4",
        "TME a1",
        "FIN",
    ]);
}

#[test]
fn hidden_reasoning_is_not_shown_and_still_travels() {
    let hide = Options::default().with_reasoning(Reasoning::Hide);
    let secret = details(json!([{"type": "reasoning.encrypted", "data": "E"}]));
    play([thought("hm"), secret, content("4"), finish("stop")])
        .options(hide)
        .expect(&["TMS a1", "TMC a1 4", "TME a1", "REV a1", "FIN"]);
}
