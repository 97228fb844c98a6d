//! Events that are too long, come too late, or panic.

use std::task::Poll;

use apron_http::{Config, EventBody};
use apron_protocol::{
    Event, ReasoningMessageContent, StateSnapshot, TextMessageChunk, TextMessageContent,
    TextMessageStart, ToolCallArgs, ToolCallResult,
};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use crate::common::{Polled, finished, joined, read, script, started, text};

const MIB: usize = 1024 * 1024;

/// What leaves of these events, and that the frames are within the default limit.
fn sent(events: impl IntoIterator<Item = Event>) -> Vec<Value> {
    sent_with(events, &Config::default())
}

fn sent_with(events: impl IntoIterator<Item = Event>, config: &Config) -> Vec<Value> {
    let events: Vec<Event> = events.into_iter().collect();
    let body = EventBody::new(stream::iter(events)).with_config(config);
    let events = read(&joined(&Polled::new(body).drain()));
    for event in &events {
        assert!(event["type"] == "RUN_ERROR" || event.to_string().len() <= config.event_bytes);
    }
    events
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

fn deltas(events: &[Value]) -> String {
    events
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect()
}

#[test]
fn a_tool_result_of_12_mib_ends_the_run_with_one_error() {
    let (sender, events) = script();
    sender.send(started());
    sender.send(text("before"));
    sender.send(ToolCallResult::new("m2", "c1", "x".repeat(12 * MIB)));
    sender.send(text("after"));
    sender.send(finished());
    let mut body = Polled::new(EventBody::new(events));
    let chunks = body.drain();
    let events = read(&joined(&chunks));
    assert_eq!(
        kinds(&events),
        ["RUN_STARTED", "TEXT_MESSAGE_CONTENT", "RUN_ERROR"]
    );
    assert_eq!(
        events[2],
        json!({
            "type": "RUN_ERROR",
            "code": "event_too_large",
            "message": "The agent produced too large an event.",
        }),
    );
    assert!(sender.is_dropped(), "nobody would read what comes after");
}

#[test]
fn the_limit_counts_the_bytes_of_json() {
    let result = |bytes: usize| Event::from(ToolCallResult::new("m", "c", "x".repeat(bytes)));
    let overhead = result(0).to_json().len();
    let config = Config::default().with_event_bytes(1000);
    let fits = sent_with([started(), result(1000 - overhead)], &config);
    assert_eq!(kinds(&fits), ["RUN_STARTED", "TOOL_CALL_RESULT"]);
    let over = sent_with([started(), result(1001 - overhead)], &config);
    assert_eq!(kinds(&over), ["RUN_STARTED", "RUN_ERROR"]);
}

#[test]
fn a_delta_of_3_mib_leaves_in_pieces_and_keeps_its_text() {
    let long = "Ünï😀".repeat(3 * MIB / 11);
    for event in [
        Event::from(TextMessageContent::new("m", long.as_str())),
        Event::from(ToolCallArgs::new("c", long.as_str())),
        Event::from(ReasoningMessageContent::new("r", long.as_str())),
    ] {
        let kind = serde_json::to_value(event.event_type()).unwrap();
        let events = sent([started(), event, finished()]);
        assert_eq!(events.len(), 5, "three pieces of at most 1 MiB");
        assert!(events[1..4].iter().all(|event| event["type"] == kind));
        assert!(deltas(&events) == long, "the text is another one");
        assert_eq!(events[4]["type"], "RUN_FINISHED");
    }
}

/// Six bytes of JSON for one of text, so 1 MiB of it is over the limit of 4 MiB.
#[test]
fn a_delta_that_only_its_escapes_make_too_long_leaves_in_pieces_too() {
    let long = "\u{1}".repeat(MIB);
    let events = sent([started(), text(&long), finished()]);
    assert!(events.len() > 3);
    assert!(deltas(&events) == long, "the text is another one");
    assert_eq!(events.last().unwrap()["type"], "RUN_FINISHED");
}

#[test]
fn pieces_carry_what_belongs_to_each_and_the_first_carries_the_rest() {
    let event = TextMessageContent::new("m", "abcdefghij")
        .with_timestamp(7)
        .with_metadata("k", 1)
        .with_subagent_run_id("s");
    let config = Config::default().with_delta_bytes(4);
    let events = sent_with([event.into()], &config);
    let common = json!({
        "type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "timestamp": 7, "subagentRunId": "s",
    });
    let piece = |delta: &str, metadata: Option<Value>| {
        let mut event = common.clone();
        event["delta"] = delta.into();
        if let Some(metadata) = metadata {
            event["metadata"] = metadata;
        }
        event
    };
    assert_eq!(
        events,
        [
            piece("abcd", Some(json!({ "k": 1 }))),
            piece("efgh", None),
            piece("ij", None),
        ],
    );
}

#[test]
fn a_chunk_that_opens_a_message_opens_it_once() {
    let mut chunk = TextMessageChunk::default();
    chunk.message_id = Some("m".into());
    chunk.name = Some("Ada".to_owned());
    chunk.delta = Some("abcdef".into());
    let events = sent_with([chunk.into()], &Config::default().with_delta_bytes(3));
    assert_eq!(
        events,
        [
            json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "name": "Ada", "delta": "abc"}),
            json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "def"}),
        ],
    );
}

#[test]
fn a_piece_has_a_character_whatever_the_limit() {
    let config = Config::default().with_delta_bytes(0);
    let events = sent_with([text("ü😀")], &config);
    assert_eq!(events.len(), 2);
    assert_eq!(deltas(&events), "ü😀");
}

#[test]
fn a_delta_whose_company_is_too_large_is_an_error_and_no_endless_cutting() {
    let event = TextMessageContent::new("m", "ab").with_metadata("k", "x".repeat(2_000));
    let config = Config::default().with_event_bytes(1_000);
    let events = sent_with([started(), event.into()], &config);
    assert_eq!(kinds(&events), ["RUN_STARTED", "RUN_ERROR"]);

    let event = TextMessageContent::new("m".repeat(2_000), "ab");
    let events = sent_with([started(), event.into()], &config);
    assert_eq!(kinds(&events), ["RUN_STARTED", "RUN_ERROR"]);

    let event = TextMessageContent::new("m", "").with_metadata("k", "x".repeat(2_000));
    let events = sent_with([started(), event.into()], &config);
    assert_eq!(kinds(&events), ["RUN_STARTED", "RUN_ERROR"]);
}

#[test]
fn a_large_event_within_the_limit_leaves_whole() {
    let state = json!({ "blob": "x".repeat(3 * MIB) });
    let events = sent([
        started(),
        StateSnapshot::new(state.clone()).into(),
        text("a"),
        finished(),
    ]);
    assert!(events[1]["snapshot"] == state);
    assert_eq!(events.len(), 4);
}

#[test]
fn what_comes_after_the_end_of_the_run_ends_the_body_unless_it_is_another_run() {
    let events = sent([started(), finished(), text("late"), finished()]);
    assert_eq!(kinds(&events), ["RUN_STARTED", "RUN_FINISHED"]);

    let events = sent([started(), finished(), started(), text("again"), finished()]);
    assert_eq!(events.len(), 5);
}

#[test]
fn events_that_panic_end_the_run_with_an_error_and_lose_nothing_before_it() {
    for before in 1..5 {
        let events = stream::iter(0..9).map(move |number| {
            assert!(number < before, "planned");
            if number == 0 { started() } else { text("a") }
        });
        let events = read(&joined(&Polled::new(EventBody::new(events)).drain()));
        assert_eq!(events.len(), before + 1);
        assert_eq!(events[before]["type"], "RUN_ERROR");
        assert_eq!(events[before]["code"], "internal_error");
    }
}

#[test]
fn a_panic_after_the_end_of_the_run_adds_nothing() {
    let mut events = vec![finished(), started()].into_iter().rev();
    let mut events = stream::poll_fn(move |_| match events.next() {
        Some(event) => Poll::Ready(Some(event)),
        None => panic!("planned"),
    });
    let mut body = Polled::new(EventBody::new(events.by_ref()));
    let events = read(&joined(&body.drain()));
    assert_eq!(kinds(&events), ["RUN_STARTED", "RUN_FINISHED"]);
}

#[test]
fn a_text_message_of_ordinary_size_is_untouched() {
    let events = sent([
        started(),
        TextMessageStart::new("m").into(),
        text(&"x".repeat(MIB)),
        finished(),
    ]);
    assert_eq!(events.len(), 4);
}
