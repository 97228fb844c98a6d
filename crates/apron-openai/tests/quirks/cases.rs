//! Public bug reports of other servers, as cases; those that need only a chat stream and a run.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use apron_emit::Outcome;
use apron_openai::chat;
use apron_protocol::{Event, EventType, RunAgentInput, RunOutcome, Tool};
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};

use crate::support::{call, content, delta, finish, more, open, play, thought, usage};

/// Chunks as the bytes of a stream.
fn sse(chunks: &[Value]) -> Vec<u8> {
    let frames: Vec<_> = chunks.iter().map(|it| format!("data: {it}\n\n")).collect();
    frames.concat().into_bytes()
}

/// A run of the given streams, one model call after the other, and the kinds of its events.
fn run(calls: Vec<Vec<u8>>) -> Vec<Event> {
    let input = RunAgentInput::new("thread", "run").with_tool(Tool::new("f", ""));
    let events = apron_emit::stream(input, |run| async move {
        let mut outcome = Outcome::success();
        for call in calls {
            let bytes = stream::iter([Ok::<_, Infallible>(call)]);
            outcome = run.relay(chat::events(bytes)).await?;
        }
        Ok(outcome)
    });
    collect(events)
}

fn collect(events: impl Stream<Item = Event>) -> Vec<Event> {
    let mut collect = pin!(events.collect());
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..10_000 {
        if let Poll::Ready(events) = collect.as_mut().poll(&mut context) {
            return events;
        }
    }
    panic!("the run does not end");
}

fn kinds(events: &[Event]) -> Vec<EventType> {
    events.iter().map(Event::event_type).collect()
}

/// C01
#[test]
fn nothing_follows_an_error() {
    let input = RunAgentInput::new("thread", "run");
    let events = apron_emit::stream(input, |run| async move {
        let hi = Ok(sse(&[content("hi")]));
        let broken = Err(io::Error::other("timeout at sk-canary"));
        let bytes = stream::iter([hi, broken, Ok(sse(&[finish("stop")]))]);
        Ok(run.relay(chat::events(bytes)).await?)
    });
    let events = collect(events);
    assert_eq!(
        kinds(&events),
        [
            EventType::RunStarted,
            EventType::TextMessageStart,
            EventType::TextMessageContent,
            EventType::TextMessageEnd,
            EventType::RunError,
        ]
    );
    let Some(Event::RunError(error)) = events.last() else {
        panic!("no error");
    };
    assert_eq!(error.code.as_deref(), Some("stream_interrupted"));
    assert!(!json!(events).to_string().contains("canary"));
}

/// C02
#[test]
fn every_run_has_a_terminal_event() {
    let events = run(vec![sse(&[content("Transferring $50,0")])]);
    let terminals = events.iter().filter(|event| event.is_terminal()).count();
    assert_eq!(terminals, 1);
    assert_eq!(events.last().unwrap().event_type(), EventType::RunError);
}

/// C03
#[test]
fn truncation_is_never_a_success() {
    let script = ["TMS a1", "TMC a1 par", "ERR stream_truncated"];
    play([content("par")]).without_done().expect(&script);
    play([content("par")]).expect(&script);
}

/// C07
#[test]
fn two_model_calls_are_one_run() {
    let events = run(vec![
        sse(&[content("a"), finish("stop")]),
        sse(&[content("b"), finish("stop")]),
    ]);
    let count = |kind| {
        events
            .iter()
            .filter(|event| event.event_type() == kind)
            .count()
    };
    assert_eq!(count(EventType::RunStarted), 1);
    assert_eq!(count(EventType::RunFinished), 1);
    assert_eq!(count(EventType::TextMessageStart), 2);
}

/// C08
#[test]
fn an_error_inside_a_successful_answer_is_an_error() {
    play([
        content("a"),
        json!({"error": {"message": "overloaded", "type": "server_error", "code": 503}}),
    ])
    .expect(&["TMS a1", "TMC a1 a", "ERR provider_overloaded"]);
}

/// C10
#[test]
fn parallel_calls_are_closed_before_the_end() {
    let events = run(vec![sse(&[
        open(0, "a", "f", "{\"x\""),
        open(1, "b", "f", "{\"y\""),
    ])]);
    let ends = events
        .iter()
        .filter(|it| it.event_type() == EventType::ToolCallEnd);
    assert_eq!(ends.count(), 2);
    assert!(events.last().unwrap().is_terminal());
}

/// C11
#[test]
fn filters_refusals_and_cuts_are_told_apart_from_a_stop() {
    play([finish("content_filter")]).expect(&["ERR content_filter"]);
    let refusal = |text: &str| delta(json!({ "refusal": text }));
    let played = play([refusal("I can"), refusal("not"), finish("stop")]).expect(&[
        "TMS a1",
        "TMC a1 I can",
        "TMC a1 not",
        "TME a1",
        "FIN",
    ]);
    assert_eq!(played.told_with_end()["refusal"], true);
    let played =
        play([content("a"), finish("length")]).expect(&["TMS a1", "TMC a1 a", "TME a1", "FIN"]);
    assert_eq!(played.told_with_end()["finishReason"], "length");
}

/// C14
#[test]
fn each_model_call_has_a_message_of_its_own() {
    let events = run(vec![
        sse(&[content("a"), finish("stop")]),
        sse(&[content("b"), finish("stop")]),
    ]);
    let ids: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::TextMessageStart(start) => Some(start.message_id.clone()),
            _ => None,
        })
        .collect();
    assert!(ids.len() == 2 && ids[0] != ids[1]);
}

/// C15
#[test]
fn ids_of_all_kinds_are_distinct_whatever_the_provider_says() {
    // The provider's call id is the one that the run would mint for a message.
    let events = run(vec![sse(&[
        thought("hm"),
        open(0, "run:a1", "f", "{}"),
        open(1, "run:r1", "f", "{}"),
        finish("tool_calls"),
    ])]);
    let mut ids = Vec::new();
    for event in &events {
        match event {
            Event::ReasoningMessageStart(it) => ids.push(it.message_id.to_string()),
            Event::ToolCallStart(it) => {
                ids.push(it.tool_call_id.to_string());
                ids.push(it.parent_message_id.as_ref().unwrap().to_string());
            }
            _ => {}
        }
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4, "{ids:?}"); // a thought, two calls and one parent
}

/// C16
#[test]
fn empty_deltas_are_dropped() {
    let role = || delta(json!({"role": "assistant", "content": ""}));
    play([role(), content("hi"), content(""), finish("stop")]).expect(&[
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "FIN",
    ]);
    play([role(), finish("stop")]).expect(&["FIN"]);
}

/// C17
#[test]
fn a_letter_cut_in_two_is_whole() {
    // `play` cuts the bytes everywhere.
    play([content("👩\u{200d}🚀"), finish("stop")]).expect(&[
        "TMS a1",
        "TMC a1 👩\u{200d}🚀",
        "TME a1",
        "FIN",
    ]);
}

/// C22
#[test]
fn text_is_closed_before_anything_else_starts() {
    play([content("a"), thought("r"), content("b"), finish("stop")]).expect(&[
        "TMS a1", "TMC a1 a", "TME a1", "RS r1", "RMS r2", "RMC r2 r", "RME r2", "RE r1", "TMS a2",
        "TMC a2 b", "TME a2", "FIN",
    ]);
}

/// C23
#[test]
fn arguments_of_parallel_calls_are_not_mixed() {
    play([
        open(0, "a", "f", "{\"x\""),
        open(1, "b", "g", "{\"y\""),
        more(0, ":1}"),
        more(1, ":2}"),
        finish("tool_calls"),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCS b g in a1",
        "TCA b {\"y\"",
        "TCA a :1}",
        "TCA b :2}",
        "TCE a",
        "TCE b",
        "FIN a b",
    ]);
}

/// C24
#[test]
fn an_index_that_is_missing_or_always_0_tells_nothing() {
    let script = [
        "TCS a f in a1",
        "TCS b g in a1",
        "TCA a {}",
        "TCE a",
        "TCA b {}",
        "TCE b",
        "FIN a b",
    ];
    let entry = |id: &str, name: &str| {
        call(json!({"id": id, "function": {"name": name, "arguments": "{}"}}))
    };
    play([entry("a", "f"), entry("b", "g"), finish("tool_calls")]).expect(&script);
    play([
        open(0, "a", "f", "{}"),
        open(0, "b", "g", "{}"),
        finish("tool_calls"),
    ])
    .expect(&script);
}

/// C25
#[test]
fn a_name_that_is_late_or_blank_is_waited_for() {
    play([
        call(json!({"index": 0, "id": "a", "function": {"arguments": "{\"q\":"}})),
        call(json!({"index": 0, "function": {"name": "search", "arguments": "1"}})),
        call(json!({"index": 0, "function": {"name": "", "arguments": "}"}})),
        finish("tool_calls"),
    ])
    .expect(&[
        "TCS a search in a1",
        "TCA a {\"q\":1",
        "TCA a }",
        "TCE a",
        "FIN a",
    ]);
}

/// C26
#[test]
fn a_call_in_one_chunk_has_start_arguments_and_end() {
    let mut chunk = open(0, "a", "f", "{\"a\":1}");
    chunk["choices"][0]["finish_reason"] = "tool_calls".into();
    play([chunk.clone()]).expect(&["TCS a f in a1", "TCA a {\"a\":1}", "TCE a", "FIN a"]);
    chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = json!({"a": 1});
    play([chunk]).expect(&["TCS a f in a1", "TCA a {\"a\":1}", "TCE a", "FIN a"]);
}

/// C28
#[test]
fn a_call_without_arguments_has_an_empty_object() {
    play([open(0, "a", "f", ""), finish("tool_calls")]).expect(&[
        "TCS a f in a1",
        "TCA a {}",
        "TCE a",
        "FIN a",
    ]);
}

/// C29
#[test]
fn a_call_that_was_cut_off_fails_the_run() {
    let played = play([
        open(0, "a", "f", "{\"path\":\"/tm"),
        usage(1, 2),
        finish("length"),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"path\":\"/tm",
        "TCE a",
        "ERR max_output_tokens",
    ]);
    let end = played.events.last().unwrap();
    assert_eq!(end.metadata().unwrap()["openai"]["incomplete"], true);
}

/// C31
#[test]
fn a_result_adds_no_second_end() {
    play([open(0, "a", "nope", "{}"), finish("tool_calls")]).expect(&[
        "TCS a nope in a1",
        "TCA a {}",
        "TCE a",
        "TCR a",
        "FIN",
    ]);
}

/// C32
#[test]
fn calls_of_the_client_are_pending_in_call_order() {
    let events = run(vec![sse(&[
        open(0, "s", "server_tool", "{}"),
        open(1, "c1", "f", "{}"),
        open(2, "c2", "f", "{}"),
        finish("tool_calls"),
    ])]);
    let Some(Event::RunFinished(end)) = events.last() else {
        panic!("no end");
    };
    let Some(RunOutcome::Success {
        pending_tool_call_ids: pending,
    }) = &end.outcome
    else {
        panic!("no success");
    };
    assert_eq!(*pending, ["c1", "c2"]);
    let results = events
        .iter()
        .filter(|it| it.event_type() == EventType::ToolCallResult);
    assert_eq!(results.count(), 1);
}

/// C33
#[test]
fn a_call_starts_with_its_first_chunk() {
    let first = Ok::<_, Infallible>(sse(&[open(0, "a", "f", "")]));
    let bytes = stream::iter([first]).chain(stream::pending());
    let mut source = pin!(chat::events(bytes));
    let input = RunAgentInput::new("thread", "run").with_tool(Tool::new("f", ""));
    let ids = Box::new(apron_emit::CountingIds::new("run"));
    use apron_emit::Source as _;
    source
        .as_mut()
        .begin(apron_emit::SourceStart::new(ids, &input));
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(Some(Ok(event))) = source.as_mut().poll_event(&mut context) else {
        panic!("the start does not wait for the arguments");
    };
    assert_eq!(event.event_type(), EventType::ToolCallStart);
    assert!(source.as_mut().poll_event(&mut context).is_pending());
}

/// C41
#[test]
fn reasoning_that_comes_back_is_a_new_message() {
    play([thought("a"), content("b"), thought("c"), finish("stop")]).expect(&[
        "RS r1", "RMS r2", "RMC r2 a", "RME r2", "RE r1", "TMS a1", "TMC a1 b", "TME a1", "RS r3",
        "RMS r4", "RMC r4 c", "RME r4", "RE r3", "FIN",
    ]);
}

/// C41b
#[test]
fn reasoning_has_its_role() {
    let played = play([thought("a"), finish("stop")])
        .expect(&["RS r1", "RMS r2", "RMC r2 a", "RME r2", "RE r1", "FIN"]);
    assert_eq!(json!(played.events[1])["role"], "reasoning");
}

/// C74
#[test]
fn frames_of_azure_are_understood() {
    let first = json!({"id": "", "choices": [], "prompt_filter_results": []});
    let late = json!({"id": "", "model": "", "choices": [{"index": 0, "finish_reason": null,
        "content_filter_offsets": {"check_offset": 44}}]});
    play([first, content("Hi"), finish("stop"), late]).expect(&[
        "TMS a1",
        "TMC a1 Hi",
        "TME a1",
        "FIN",
    ]);
}

/// C75
#[test]
fn usage_after_the_finish_counts_and_is_never_summed() {
    let script = ["TMS a1", "TMC a1 a", "TME a1", "FIN"];
    let played = play([content("a"), finish("stop"), usage(10, 1)]).expect(&script);
    assert_eq!(played.usage()[0]["totalTokens"], 11);
    let played = play([content("a"), usage(10, 1), usage(10, 2), usage(10, 3)]).expect(&script);
    assert_eq!(played.usage()[0]["outputTokens"], 3);
}

/// C76
#[test]
fn unknown_words_are_no_reason_to_fail() {
    let nulls = delta(json!({"content": null, "tool_calls": null, "role": null}));
    play([nulls, content("a"), finish("eos")]).expect(&["TMS a1", "TMC a1 a", "TME a1", "FIN"]);
}
