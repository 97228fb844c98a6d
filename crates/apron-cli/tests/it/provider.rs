//! The provider's wire format, scenario by scenario.

use apron_cli::provider::{Provider, SECRETS};
use apron_cli::scenarios;
use serde_json::{Value, json};

use crate::http::{Response, authority, request};

#[tokio::test]
async fn a_text_is_streamed_as_openai_streams_it() {
    let response = play("text", json!({})).await;
    assert_eq!(response.status, 200);
    assert_eq!(
        response.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    assert!(response.complete);

    let chunks = chunks(&response.body);
    let first = &chunks[0];
    let delta = json!({"role": "assistant", "content": "", "refusal": null});
    assert_eq!(first["choices"][0]["delta"], delta);
    for chunk in &chunks {
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(
            (&chunk["id"], &chunk["model"]),
            (&first["id"], &json!("some-model"))
        );
        assert!(
            chunk["created"].is_u64() && chunk.get("usage").is_none(),
            "{chunk}"
        );
        assert_eq!(chunk["choices"].as_array().map(Vec::len), Some(1));
    }
    let text = joined(&chunks, "/content");
    assert!(
        chunks.len() > 40 && text.contains("φάρος") && text.contains("👩‍👩‍👧"),
        "{text}"
    );
    assert_eq!(finishes(&chunks), ["stop"]);
    assert_eq!(chunks.last().unwrap()["choices"][0]["delta"], json!({}));
}

#[tokio::test]
async fn usage_comes_last_with_no_choices_when_it_is_asked_for() {
    let response = play(
        "reasoning",
        json!({"stream_options": {"include_usage": true}}),
    )
    .await;
    let mut chunks = chunks(&response.body);
    let usage = chunks.pop().unwrap();
    assert_eq!(usage["choices"], json!([]));
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["usage"].is_null() && chunk.get("usage").is_some())
    );
    let count = |name: &str| usage["usage"][name].as_u64().unwrap();
    assert_eq!(
        count("total_tokens"),
        count("prompt_tokens") + count("completion_tokens")
    );
    let reasoned = usage["usage"]["completion_tokens_details"]["reasoning_tokens"].as_u64();
    assert!(
        reasoned.is_some_and(|n| 0 < n && n < count("completion_tokens")),
        "{usage}"
    );
}

#[tokio::test]
async fn reasoning_comes_in_its_own_member_before_the_text() {
    let chunks = chunks(&play("reasoning", json!({})).await.body);
    let kinds: Vec<_> = chunks
        .iter()
        .filter_map(|chunk| {
            let delta = &chunk["choices"][0]["delta"];
            let text = delta["content"]
                .as_str()
                .is_some_and(|text| !text.is_empty());
            (text || delta.get("reasoning_content").is_some()).then_some(text)
        })
        .collect();
    let thoughts = kinds.iter().take_while(|text| !**text).count();
    assert!(thoughts > 10 && kinds[thoughts..].len() > 3);
    assert!(
        kinds[thoughts..].iter().all(|text| *text),
        "one span of each"
    );
    assert!(joined(&chunks, "/reasoning_content").contains("5 × 7 = 35"));
    assert_eq!(joined(&chunks, "/content"), "Five weeks are 35 days.");
}

#[tokio::test]
async fn two_invented_calls_arrive_by_turns_when_the_request_has_no_tools() {
    let chunks = chunks(&play("tools", json!({})).await.body);
    assert_eq!(finishes(&chunks), ["tool_calls"]);
    let calls = calls(&chunks);
    let read = |call: &Call| -> (String, Value) {
        (
            call.name.clone(),
            serde_json::from_str(&call.arguments).unwrap(),
        )
    };
    let expected = [
        ("get_weather".to_owned(), json!({"city": "Zürich"})),
        ("get_time".to_owned(), json!({"timezone": "Europe/Zurich"})),
    ];
    assert_eq!(calls.iter().map(read).collect::<Vec<_>>(), expected);
    assert_ne!(calls[0].id, calls[1].id);
    assert!(
        calls
            .iter()
            .all(|call| call.id.len() <= 40 && call.deltas > 3),
        "{calls:?}"
    );

    let order: Vec<_> = deltas(&chunks)
        .map(|entry| entry["index"].as_u64().unwrap())
        .collect();
    assert_eq!(order[..6], [0, 1, 0, 1, 0, 1]);
}

#[tokio::test]
async fn the_tools_of_the_request_are_the_ones_called() {
    let tool = |name: &str, properties: Value| {
        let parameters = json!({"type": "object", "properties": properties});
        json!({"type": "function", "function": {"name": name, "parameters": parameters}})
    };
    let one = tool("book", json!({"nights": {"type": "integer"}}));
    let tools = json!([one, tool("pay", json!({})), tool("never", json!({}))]);
    let called = calls(&chunks(&play("tools", json!({"tools": tools})).await.body));
    let read: Vec<_> = called
        .iter()
        .map(|c| (c.name.as_str(), c.arguments.as_str()))
        .collect();
    assert_eq!(read, [("book", r#"{"nights":1}"#), ("pay", "{}")]);

    let called = calls(&chunks(&play("tools", json!({"tools": [one]})).await.body));
    assert_eq!(
        called.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        ["book", "book"]
    );
}

#[tokio::test]
async fn a_conversation_that_ends_in_tool_results_is_answered_with_them() {
    let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
    let messages = json!([
        {"role": "user", "content": scenarios::named("tools").unwrap().prompt},
        {"role": "assistant", "content": null, "tool_calls": [call("a", "sun"), call("b", "clock")]},
        {"role": "tool", "tool_call_id": "b", "content": "quarter past nine"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "18 °C"}]},
    ]);
    let chunks = chunks(&play("text", json!({"messages": messages})).await.body);
    assert_eq!(finishes(&chunks), ["stop"]);
    let text = joined(&chunks, "/content");
    assert_eq!(
        text,
        "I asked, and clock says “quarter past nine”, and sun says “18 °C”."
    );
}

#[tokio::test]
async fn an_error_is_an_object_in_the_stream_after_some_text_and_the_last_thing_in_it() {
    let response = play("error", json!({})).await;
    assert!(response.complete && !response.body.contains("[DONE]"));
    let mut objects = objects(&response.body);
    let error = objects.pop().unwrap();
    assert!(joined(&objects, "/content").starts_with("The first keeper"));
    assert_eq!(finishes(&objects), [""; 0]);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(
        SECRETS.iter().all(|secret| message.contains(secret)),
        "{message}"
    );
}

#[tokio::test]
async fn a_cut_answer_loses_its_end_but_nothing_before_it() {
    // Where the cut falls among the writes is a matter of timing, so look more than once.
    for _ in 0..20 {
        let response = play("cut", json!({})).await;
        assert_eq!(response.status, 200);
        assert!(!response.complete, "the body must break off: {response:?}");
        let chunks = objects(&response.body);
        assert_eq!(
            joined(&chunks, "/content"),
            "And the name of the lighthouse is"
        );
        assert_eq!(finishes(&chunks), [""; 0]);
    }
}

#[tokio::test]
async fn a_refusal_is_a_429_with_retry_after_and_an_error_body() {
    let response = play("refused", json!({})).await;
    assert_eq!(response.status, 429);
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(
        response.header("retry-after"),
        Some("0"),
        "its one second, at a pace of 0"
    );
    assert_eq!(response.json()["error"]["code"], "rate_limit_exceeded");
}

#[tokio::test]
async fn the_long_answer_has_two_thousand_deltas() {
    let chunks = chunks(&play("long", json!({})).await.body);
    assert_eq!(chunks.len(), 2_002);
    assert!(joined(&chunks, "/content").ends_with("1999 2000 "));
}

#[tokio::test]
async fn what_is_not_a_streaming_chat_request_is_refused_in_json() {
    let provider = Provider::builder().pace(0.0).start().await.unwrap();
    let at = authority(provider.base_url());
    let path = "/v1/chat/completions";
    for (method, path, body, status) in [
        ("POST", path, "{oops", 400),
        ("POST", path, r#"{"messages":[]}"#, 400),
        ("POST", "/v1/responses", "{}", 404),
    ] {
        let response = request(at, method, path, body).await;
        assert_eq!(response.status, status, "{path} {body}");
        assert_eq!(response.json()["error"]["type"], "invalid_request_error");
    }
    assert_eq!(provider.last_request(), Some(json!({"messages": []})));
}

/// Plays a scenario at full speed; `extra` is merged into the request.
async fn play(name: &str, extra: Value) -> Response {
    let provider = Provider::builder().pace(0.0).start().await.unwrap();
    let prompt = scenarios::named(name).unwrap().prompt;
    let mut body = json!({
        "model": "some-model", "stream": true, "messages": [{"role": "user", "content": prompt}],
    });
    body.as_object_mut()
        .unwrap()
        .extend(extra.as_object().unwrap().clone());
    let at = authority(provider.base_url());
    let response = request(at, "POST", "/v1/chat/completions", &body.to_string()).await;
    assert_eq!(provider.last_request(), Some(body));
    response
}

/// The objects of a stream, one a frame.
fn objects(body: &str) -> Vec<Value> {
    assert!(
        body.ends_with("\n\n"),
        "a last frame with its blank line: {body}"
    );
    let frames = body.trim_end().split("\n\n");
    let data = frames.map(|frame| frame.strip_prefix("data: ").expect("a data line"));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| panic!("{data}")))
        .collect()
}

/// The objects of a stream that ends properly.
fn chunks(body: &str) -> Vec<Value> {
    let end = "data: [DONE]\n\n";
    objects(
        body.strip_suffix(end)
            .unwrap_or_else(|| panic!("no end: {body}")),
    )
}

/// The strings at a path of the deltas, joined.
fn joined(chunks: &[Value], path: &str) -> String {
    let deltas = chunks
        .iter()
        .filter_map(|chunk| chunk.pointer("/choices/0/delta"));
    deltas
        .filter_map(|delta| delta.pointer(path)?.as_str())
        .collect()
}

fn finishes(chunks: &[Value]) -> Vec<&str> {
    chunks
        .iter()
        .filter_map(|chunk| chunk.pointer("/choices/0/finish_reason")?.as_str())
        .collect()
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
    deltas: usize,
}

/// Every entry of every `tool_calls` delta.
fn deltas(chunks: &[Value]) -> impl Iterator<Item = &Value> {
    let lists = chunks
        .iter()
        .filter_map(|chunk| chunk.pointer("/choices/0/delta/tool_calls"));
    lists.flat_map(|list| list.as_array().unwrap())
}

/// The calls, put together by their index.
fn calls(chunks: &[Value]) -> Vec<Call> {
    let mut calls = Vec::<Call>::new();
    for entry in deltas(chunks) {
        let index = usize::try_from(entry["index"].as_u64().unwrap()).unwrap();
        if let Some(id) = entry["id"].as_str() {
            assert_eq!((index, &entry["type"]), (calls.len(), &json!("function")));
            let name = entry["function"]["name"].as_str().unwrap();
            calls.push(Call {
                id: id.into(),
                name: name.into(),
                ..Call::default()
            });
        }
        calls[index].arguments += entry["function"]["arguments"].as_str().unwrap();
        calls[index].deltas += 1;
    }
    calls
}
