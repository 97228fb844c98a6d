//! Sources and marks in the text.

use serde_json::{Value, json};

use crate::support::{content, delta, finish, open, play};

fn annotation(url: &str) -> Value {
    json!({"type": "url_citation", "url_citation": {"url": url, "start_index": 0, "end_index": 0}})
}

#[test]
fn annotations_go_out_with_the_end_of_the_text() {
    let annotated = |text: &str, urls: &[&str]| {
        let annotations: Vec<_> = urls.iter().map(|url| annotation(url)).collect();
        delta(json!({"content": text, "annotations": annotations}))
    };
    let played = play([
        annotated("", &["u"]),
        annotated("hi", &["u", "v"]),
        finish("stop"),
    ])
    .expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
    let both = json!([annotation("u"), annotation("v")]);
    assert_eq!(played.told_with_text()["annotations"], both);
    assert!(played.told_with_end().get("annotations").is_none());

    // What comes after the text has ended goes out with the end of the run.
    let played = play([
        annotated("hi", &["u"]),
        open(0, "a", "f", "{}"),
        annotated("", &["v"]),
        finish("tool_calls"),
    ])
    .expect(&[
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "TCS a f in a1",
        "TCA a {}",
        "TCE a",
        "FIN a",
    ]);
    assert_eq!(
        played.told_with_text(),
        json!({"annotations": [annotation("u")]})
    );
    assert_eq!(
        played.told_with_end()["annotations"],
        json!([annotation("v")])
    );
}

#[test]
fn lists_of_sources_on_every_chunk_go_out_once() {
    let with_sources = |mut chunk: Value| {
        chunk["citations"] = json!(["u"]);
        chunk["search_results"] = json!([{"title": "t", "url": "u"}]);
        chunk
    };
    let played = play([
        with_sources(content("h")),
        with_sources(content("i")),
        with_sources(finish("stop")),
    ])
    .expect(&["TMS a1", "TMC a1 h", "TMC a1 i", "TME a1", "FIN"]);
    assert_eq!(played.told_with_text()["citations"], json!(["u"]));
    assert_eq!(played.told_with_text()["searchResults"][0]["title"], "t");
    assert!(played.told_with_end().get("citations").is_none());
}
