//! A stream through Apron's public door: a run that relays `chat::events`.

use std::convert::Infallible;

use apron_emit::stream;
use apron_openai::chat;
use apron_protocol::RunAgentInput;
use futures_util::{StreamExt, stream as streams};
use serde_json::{Value, json};

use crate::quirks::Counts;

/// The events of a run, as JSON.
pub type Relayed = Vec<Value>;

/// Relays the provider's `bytes`, which arrive cut at `cuts`, in a run whose client has `tools`.
///
/// The events are read back from the text that would go over the wire.
#[must_use]
pub fn replay(bytes: &[u8], cuts: &[usize], tools: &[String]) -> Relayed {
    let mut pieces = Vec::with_capacity(cuts.len() + 1);
    let mut start = 0;
    for &end in cuts.iter().chain([&bytes.len()]) {
        pieces.push(Ok::<_, Infallible>(bytes[start..end].to_vec()));
        start = end;
    }
    let run = stream(input(tools), move |run| async move {
        Ok(run.relay(chat::events(streams::iter(pieces))).await?)
    });
    let events = run.map(|event| event.to_json());
    let lines: Vec<String> = futures_executor::block_on(events.collect());
    lines.iter().map(|line| read(line)).collect()
}

/// The usage that the terminal event reports.
#[must_use]
pub fn usage_of(events: &[Value]) -> Option<Counts> {
    let usage = events.last()?["usage"].as_array()?.first()?.clone();
    Some(Counts {
        input: usage["inputTokens"].as_u64(),
        output: usage["outputTokens"].as_u64(),
        total: usage["totalTokens"].as_u64(),
        reasoning: usage["reasoningTokens"].as_u64(),
        cached: usage["cachedInputTokens"].as_u64(),
    })
}

fn input(tools: &[String]) -> RunAgentInput {
    let tools: Vec<Value> = tools
        .iter()
        .map(|name| json!({"name": name, "description": "", "parameters": {"type": "object"}}))
        .collect();
    let input = json!({
        "threadId": "t",
        "runId": "r",
        "protocolVersion": "1.0",
        "messages": [{"id": "u1", "role": "user", "content": "Hi"}],
        "tools": tools,
    });
    match RunAgentInput::from_slice(input.to_string().as_bytes()) {
        Ok((input, _)) => input,
        Err(err) => panic!("the input is refused: {err}"),
    }
}

fn read(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|err| panic!("no JSON: {err}: {line}"))
}
