//! A request, which may be long and may be hostile.

use std::time::{Duration, Instant};

use allocation_counter::{AllocationInfo, measure};
use apron_protocol::{Context, Decoded, Event, ResumeEntry, RunAgentInput, Tool};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Nothing of what is left out is kept: twice the list is twice the work and the same memory.
#[test]
fn what_is_left_out_costs_no_memory() {
    let part = r#"{"type":"image","source":{"type":"x"}}"#;
    for (item, open, close) in [
        (r#"{"role":"x"}"#, r#"["#, r#"]"#),
        (r#"{"role":"x","content":[{"type":"y"}]}"#, r#"["#, r#"]"#),
        (
            r#"{"type":"x"}"#,
            r#"[{"role":"user","id":"1","content":["#,
            r#"]}]"#,
        ),
        (part, r#"[{"role":"user","id":"1","content":["#, r#"]}]"#),
    ] {
        let body = |bytes: usize| {
            let list = vec![item; bytes / (item.len() + 1)].join(",");
            format!(r#"{{"threadId":"t","runId":"r","messages":{open}{list}{close}}}"#)
        };
        let [small, large] = [2_000, 2_000_000].map(|bytes| decode(&body(bytes)));
        assert_eq!(small.bytes_max, large.bytes_max, "{item}");
        assert!(large.bytes_max < 10_000, "{item}: {large:?}");
        assert_linear(item, body, read);
    }
}

/// Each of these is read and kept, so memory may grow, but with the body and not faster.
#[test]
fn a_list_of_the_smallest_items_is_linear() {
    for (item, open, close) in [
        (r#"{"role":"user","id":"","content":""}"#, "", ""),
        (r#"{"role":"assistant","id":""}"#, "", ""),
        (
            r#"{"type":"text","text":""}"#,
            r#"{"role":"user","id":"1","content":["#,
            "]}",
        ),
        (
            r#"{"id":"","function":{"name":"","arguments":""}}"#,
            r#"{"role":"assistant","id":"1","toolCalls":["#,
            "]}",
        ),
    ] {
        let body = |bytes: usize| {
            let list = vec![item; bytes / (item.len() + 1)].join(",");
            format!(r#"{{"threadId":"t","runId":"r","messages":[{open}{list}{close}]}}"#)
        };
        let large = body(2_000_000);
        let used = decode(&large);
        let factor = used.bytes_max as f64 / large.len() as f64;
        // A growing list holds its old and its new self for a moment.
        assert!(
            factor < 30.0,
            "{item}: {factor:.1} bytes for each of the body's"
        );
        assert_linear(item, body, read);
    }
}

/// The plain struct has the same members and no opinions.
#[test]
fn an_honest_history_costs_no_more_allocations_than_a_plain_struct() {
    let turn = |at: usize| {
        let call = json!({ "id": format!("call_{at}"), "type": "function",
            "function": { "name": "find", "arguments": "{\"isbn\":\"1\"}" } });
        [
            json!({ "id": format!("u{at}"), "role": "user", "content": "How \"many\" copies?\n" }),
            json!({ "id": format!("a{at}"), "role": "assistant", "toolCalls": [call] }),
            json!({ "id": format!("t{at}"), "role": "tool", "toolCallId": format!("call_{at}"),
                "content": "3 copies ".repeat(30) }),
            json!({ "id": format!("b{at}"), "role": "assistant", "content": "Three. ".repeat(60) }),
        ]
    };
    let messages: Vec<_> = (0..1_200).flat_map(turn).collect();
    let body = json!({ "threadId": "t", "runId": "r", "state": {}, "messages": messages,
        "tools": [], "context": [], "forwardedProps": {} })
    .to_string();
    assert!(body.len() > 1_000_000, "{} bytes", body.len());
    let ours = decode(&body);
    let plain = measure(|| {
        let input: Plain = serde_json::from_str(&body).expect("a request");
        assert_eq!(input.messages.len(), 4_800);
    });
    assert!(ours.count_total <= plain.count_total, "{ours:?} {plain:?}");
    assert!(
        ours.bytes_max <= plain.bytes_max * 5 / 4,
        "{ours:?} {plain:?}"
    );
}

#[test]
fn an_unknown_operation_costs_linear_time() {
    let item = r#"{"op":"x"}"#;
    let event = |bytes: usize| {
        let list = vec![item; bytes / (item.len() + 1)].join(",");
        format!(r#"{{"type":"STATE_DELTA","delta":[{list}]}}"#)
    };
    assert_linear(item, event, |text| {
        let read = Decoded::from_slice(text.as_bytes()).into_event();
        assert!(matches!(read, Some(Event::StateDelta(delta)) if delta.delta.is_empty()));
    });
}

/// The members of the protocol, as `#[derive(Deserialize)]` reads them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is only read into")]
struct Plain {
    thread_id: String,
    run_id: String,
    protocol_version: Option<String>,
    parent_run_id: Option<String>,
    state: Option<Value>,
    messages: Vec<PlainMessage>,
    tools: Option<Vec<Tool>>,
    context: Option<Vec<Context>>,
    forwarded_props: Option<Value>,
    resume: Option<Vec<ResumeEntry>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is only read into")]
struct PlainMessage {
    id: String,
    role: String,
    content: Option<String>,
    tool_calls: Option<Vec<PlainCall>>,
    tool_call_id: Option<String>,
    activity_type: Option<String>,
    name: Option<String>,
    error: Option<String>,
    encrypted_value: Option<String>,
    metadata: Option<Map<String, Value>>,
    subagent_run_id: Option<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only read into")]
struct PlainCall {
    id: String,
    r#type: String,
    function: PlainFunction,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only read into")]
struct PlainFunction {
    name: String,
    arguments: String,
}

const SIZES: [usize; 4] = [62_500, 125_000, 250_000, 500_000];

fn decode(body: &str) -> AllocationInfo {
    measure(|| {
        let (input, notes) = RunAgentInput::from_slice(body.as_bytes()).expect("a request");
        assert!(notes.first().len() <= 16);
        drop((input, notes));
    })
}

fn read(body: &str) {
    let (_, notes) = RunAgentInput::from_slice(body.as_bytes()).expect("a request");
    assert!(notes.first().len() <= 16);
}

/// Reads four sizes, each twice the one before. The fastest of several rounds counts; a round more
/// is run as long as the machine's noise hides that the work grows like the size.
fn assert_linear(item: &str, body: impl Fn(usize) -> String, read: impl Fn(&str)) {
    let bodies = SIZES.map(body);
    let mut fastest = [Duration::MAX; 4];
    for _ in 0..20 {
        for (body, fastest) in bodies.iter().zip(&mut fastest) {
            let start = Instant::now();
            read(body);
            *fastest = start.elapsed().min(*fastest);
        }
        let [first, ..] = fastest;
        let in_bounds = |(doubled, time): (u32, &Duration)| *time < first * 3 * (1 << doubled);
        // Quadratic work takes 64 times as long at the last size; three times eight is the bound.
        if (0..).zip(&fastest).all(in_bounds) {
            return;
        }
    }
    panic!("{item}: {fastest:?} for {SIZES:?} bytes");
}
