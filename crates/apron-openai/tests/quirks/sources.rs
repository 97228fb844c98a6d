//! The source: where its bytes come from, what it does with failures, when it lets go.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use apron_emit::Failure;
use apron_openai::chat::{self, Options, Translator};
use apron_protocol::Event;
use futures_util::stream::{self, Stream};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{call, content, delta, drain, finish, more, open, thought, usage};

#[test]
fn chunks_that_were_parsed_before_are_translated_alike() {
    let chunks = [
        thought("hm"),
        content("hi"),
        open(0, "a", "f", ""),
        finish("tool_calls"),
    ];
    let values = stream::iter(chunks.clone().map(Ok::<_, Infallible>));
    let script = drain(chat::events_from_chunks(values), &["f"]).script();
    let bytes: Vec<_> = chunks
        .iter()
        .map(|it| Ok::<_, Infallible>(format!("data: {it}\n\n")))
        .collect();
    assert_eq!(
        script,
        drain(chat::events(stream::iter(bytes)), &["f"]).script()
    );
    assert_eq!(script.last().unwrap(), "FIN a");
}

#[test]
fn typed_chunks_are_translated_alike() {
    #[derive(serde::Serialize)]
    struct Chunk {
        choices: Vec<Choice>,
    }
    #[derive(serde::Serialize)]
    struct Choice {
        delta: Delta,
        finish_reason: Option<&'static str>,
    }
    #[derive(serde::Serialize)]
    struct Delta {
        content: Option<&'static str>,
    }
    let chunk = |content, finish_reason| {
        let delta = Delta { content };
        let choices = vec![Choice {
            delta,
            finish_reason,
        }];
        Ok::<_, io::Error>(Chunk { choices })
    };
    let chunks = stream::iter([chunk(Some("hi"), None), chunk(None, Some("stop"))]);
    let played = drain(chat::events_from_chunks(chunks), &[]);
    assert_eq!(played.script(), ["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
}

#[test]
fn a_broken_transport_is_an_interruption_with_the_usage_so_far() {
    let items = [
        Ok(format!("data: {}\n\n", usage(1, 2))),
        Err(io::Error::other("reset")),
    ];
    let played = drain(chat::events(stream::iter(items)), &[]);
    assert_eq!(played.script(), ["ERR stream_interrupted"]);
    assert_eq!(played.usage()[0]["totalTokens"], 3);
    assert!(played.causes().contains("reset"));
}

#[test]
fn a_failure_of_the_transport_keeps_its_code() {
    let items = [
        Ok(format!("data: {}\n\n", usage(1, 2))),
        Err(Failure::new("timeout", "The model provider took too long.")),
    ];
    let played = drain(chat::events(stream::iter(items)), &[]);
    assert_eq!(played.script(), ["ERR timeout"]);
    assert_eq!(played.usage()[0]["totalTokens"], 3);
}

/// A stream that tells when it is dropped, and fails the test when it is read too far.
struct Watched<S> {
    stream: S,
    gone: Arc<AtomicBool>,
}

impl<S> Drop for Watched<S> {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::SeqCst);
    }
}

impl<S: Stream + Unpin> Stream for Watched<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        Pin::new(&mut self.stream).poll_next(context)
    }
}

#[test]
fn the_providers_stream_is_let_go_before_the_last_events_are_taken() {
    use apron_emit::{CountingIds, Source, SourceStart};
    let endings = [
        "data: [DONE]\n\n",
        "data: {\"error\":\"boom\"}\n\n",
        "data: oops\n\n",
    ];
    for ending in endings {
        let gone = Arc::new(AtomicBool::new(false));
        let text = format!(
            "data: {}\n\ndata: {}\n\n{ending}",
            content("hi"),
            finish("stop")
        );
        let forever = stream::iter([Ok::<_, Infallible>(text)]);
        let stream = stream::StreamExt::chain(forever, stream::pending());
        let stream = Watched {
            stream,
            gone: Arc::clone(&gone),
        };
        let mut source = std::pin::pin!(chat::events(stream));
        let input = apron_protocol::RunAgentInput::new("thread", "run");
        source
            .as_mut()
            .begin(SourceStart::new(Box::new(CountingIds::new("run")), &input));
        let mut context = Context::from_waker(std::task::Waker::noop());
        let mut next = || source.as_mut().poll_event(&mut context);
        assert!(matches!(
            next(),
            Poll::Ready(Some(Ok(Event::TextMessageStart(_))))
        ));
        assert!(matches!(
            next(),
            Poll::Ready(Some(Ok(Event::TextMessageContent(_))))
        ));
        assert!(!gone.load(Ordering::SeqCst));
        assert!(matches!(next(), Poll::Ready(Some(_))));
        assert!(gone.load(Ordering::SeqCst), "{ending}");
        for _ in 0..3 {
            let _ = next();
        }
        assert!(matches!(next(), Poll::Ready(None)));
    }
}

#[test]
fn a_turn_holds_what_a_loop_needs() {
    let mut translator = Translator::new(
        Box::new(apron_emit::CountingIds::new("run")),
        Options::default().with_malformed_chunks(1),
    )
    .with_tool("f");
    let mut out = std::collections::VecDeque::new();
    let signature = json!({"google": {"thought_signature": "S"}});
    let chunks = [
        thought("hm"),
        delta(json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "E"}]})),
        content("hi"),
        call(json!({"index": 0, "id": "a", "extra_content": signature,
            "function": {"name": "f", "arguments": "{\"x\":"}})),
        more(0, "1}"),
        open(1, "b", "f", "{oops"),
        json!(7),
        usage(1, 2),
        finish("stop"),
    ];
    translator.frame(None, "{oops", &mut out).unwrap();
    for chunk in chunks {
        translator
            .frame(None, &chunk.to_string(), &mut out)
            .unwrap();
    }
    let turn = translator.end(&mut out).unwrap();
    assert_eq!(turn.text, "hi");
    assert_eq!(turn.thoughts.text, "hm");
    assert_eq!(turn.thoughts.details[0]["data"], "E");
    assert_eq!(turn.message_id.as_ref().unwrap(), "run:a1");
    let states: Vec<_> = turn
        .calls
        .iter()
        .map(|call| (&*call.arguments, call.state))
        .collect();
    assert_eq!(
        states,
        [
            ("{\"x\":1}", chat::CallState::Complete),
            ("{oops", chat::CallState::Invalid),
        ]
    );
    assert_eq!(turn.calls[0].extra_content, Some(signature));
    assert_eq!(turn.pending, ["a", "b"]);
    assert_eq!(turn.finish_reason, chat::FinishReason::ToolCalls);
    assert_eq!(turn.raw_finish_reason.as_deref(), Some("stop"));
    assert_eq!(turn.usage.as_ref().unwrap().total_tokens, Some(3));
    assert_eq!(turn.model.as_deref(), Some("m"));
    assert_eq!(turn.response_id.as_deref(), Some("x"));
    assert_eq!(
        (turn.diagnostics.malformed, turn.diagnostics.unknown),
        (1, 1)
    );
}

/// Any JSON, rich in the members that chunks have.
fn any_json() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "choices",
        "delta",
        "message",
        "content",
        "tool_calls",
        "function",
        "function_call",
        "name",
        "arguments",
        "id",
        "index",
        "type",
        "text",
        "thinking",
        "finish_reason",
        "error",
        "usage",
        "prompt_tokens",
        "reasoning",
        "reasoning_details",
        "refusal",
        "audio",
        "transcript",
        "annotations",
        "executed_tools",
        "output",
        "extra_content",
        "detail",
        "object",
        "x_groq",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0_u64..3).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-c{}\":]{0,4}".prop_map(Value::from),
        prop::sample::select(vec![
            "stop",
            "length",
            "f",
            "{}",
            "{\"x\":1}",
            "text",
            "</think>"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..5)
                .prop_map(|pairs| pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

/// Chunks that at least have choices with deltas.
fn any_chunk() -> impl Strategy<Value = Value> {
    let delta = any_json().prop_map(|delta| json!({"choices": [{"delta": delta}]}));
    let calls = prop::collection::vec(any_json(), 0..3)
        .prop_map(|calls| json!({"choices": [{"delta": {"tool_calls": calls}}]}));
    prop_oneof![
        any_json(),
        delta,
        calls,
        Just(finish("stop")),
        Just(content("hi"))
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_json_ends_in_exactly_one_way(chunks in prop::collection::vec(any_chunk(), 0..8), cut in any::<prop::sample::Index>()) {
        let text: String = chunks.iter().map(|it| format!("data: {it}\n\n")).collect();
        let played = drain(chat::events(stream::iter([Ok::<_, Infallible>(text.clone())])), &["f"]);
        played.check_rules();
        // The same bytes in two pieces come to the same.
        let (a, b) = text.as_bytes().split_at(cut.index(text.len() + 1));
        let pieces = stream::iter([Ok::<_, Infallible>(a), Ok(b)]);
        prop_assert_eq!(drain(chat::events(pieces), &["f"]).script(), played.script());
    }

    #[test]
    fn any_bytes_end_in_exactly_one_way(bytes in prop::collection::vec(any::<u8>(), 0..200), json in any::<bool>()) {
        let mut body = if json { b"{".to_vec() } else { b"data: {\"choices\":[".to_vec() };
        body.extend(bytes);
        let played = drain(chat::events(stream::iter([Ok::<_, Infallible>(body)])), &[]);
        played.check_rules();
    }
}
