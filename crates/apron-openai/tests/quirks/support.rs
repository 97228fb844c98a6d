//! Plays a provider's stream through the source, and holds every fixture to the rules.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use apron_emit::{CountingIds, Failure, Ledger, Source, SourceStart};
use apron_openai::chat::{self, Options};
use apron_protocol::{Event, RunAgentInput, RunError, RunOutcome, RunStarted, Tool};
use futures_util::stream;
use serde_json::{Map, Value, json};

/// A chunk whose only choice adds `delta`.
pub(crate) fn delta(delta: Value) -> Value {
    json!({"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

/// A chunk that adds text.
pub(crate) fn content(text: &str) -> Value {
    delta(json!({ "content": text }))
}

/// A chunk that adds reasoning.
pub(crate) fn thought(text: &str) -> Value {
    delta(json!({ "reasoning_content": text }))
}

/// A chunk with one entry of `tool_calls`.
pub(crate) fn call(entry: Value) -> Value {
    delta(json!({ "tool_calls": [entry] }))
}

/// A chunk that opens a call with index, id and name.
pub(crate) fn open(index: u64, id: &str, name: &str, arguments: &str) -> Value {
    call(json!({"index": index, "id": id, "type": "function",
        "function": {"name": name, "arguments": arguments}}))
}

/// A chunk that goes on with a call.
pub(crate) fn more(index: u64, arguments: &str) -> Value {
    call(json!({"index": index, "function": {"arguments": arguments}}))
}

/// A chunk that says why the model stopped.
pub(crate) fn finish(reason: &str) -> Value {
    json!({"id": "x", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// A chunk that reports usage and has no choice.
pub(crate) fn usage(prompt: u64, completion: u64) -> Value {
    json!({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion,
        "total_tokens": prompt + completion}})
}

/// A stream to play: with `[DONE]`, tools `f`, `g`, `search` and `get_weather`, default options.
#[must_use]
pub(crate) struct Play {
    frames: Vec<String>,
    tools: Vec<&'static str>,
    options: Options,
}

/// A stream of these chunks.
pub(crate) fn play<const N: usize>(chunks: [Value; N]) -> Play {
    let mut frames: Vec<String> = chunks.iter().map(|it| format!("data: {it}\n\n")).collect();
    frames.push("data: [DONE]\n\n".to_owned());
    frames_of(frames)
}

/// A stream of these bytes.
pub(crate) fn body(text: &str) -> Play {
    frames_of(vec![text.to_owned()])
}

fn frames_of(frames: Vec<String>) -> Play {
    Play {
        frames,
        tools: vec!["f", "g", "search", "get_weather"],
        options: Options::default(),
    }
}

impl Play {
    /// Leaves `[DONE]` out.
    pub(crate) fn without_done(mut self) -> Self {
        self.frames.pop();
        self
    }

    /// Puts raw text before the frame `at`.
    pub(crate) fn with_raw(mut self, at: usize, text: &str) -> Self {
        self.frames.insert(at, text.to_owned());
        self
    }

    pub(crate) fn tools(mut self, tools: &[&'static str]) -> Self {
        self.tools = tools.to_vec();
        self
    }

    pub(crate) fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Plays the stream, and compares the script of it. Holds it, and every prefix of it, to the
    /// rules, at several splits of its bytes.
    #[track_caller]
    pub(crate) fn expect(self, script: &[&str]) -> Played {
        let bytes = self.frames.concat().into_bytes();
        let whole = self.run(&bytes, bytes.len());
        whole.check_rules();
        for size in [1, 3, 16] {
            assert_eq!(
                self.run(&bytes, size).script(),
                whole.script(),
                "bytes by {size}"
            );
        }
        for end in 0..bytes.len() {
            self.run(&bytes[..end], end.max(1)).check_rules();
        }
        assert_eq!(whole.script(), script);
        whole
    }

    fn run(&self, bytes: &[u8], size: usize) -> Played {
        let pieces = bytes
            .chunks(size.max(1))
            .map(|it| Ok::<_, Infallible>(it.to_vec()));
        let pieces: Vec<_> = pieces.collect();
        let source = chat::events(stream::iter(pieces)).with_options(self.options.clone());
        drain(source, &self.tools)
    }
}

/// Polls a source to its end, as a run would.
pub(crate) fn drain(source: impl Source, tools: &[&str]) -> Played {
    let mut input = RunAgentInput::new("thread", "run");
    for tool in tools {
        input = input.with_tool(Tool::new(*tool, ""));
    }
    let mut source = pin!(source);
    source
        .as_mut()
        .begin(SourceStart::new(Box::new(CountingIds::new("run")), &input));
    let mut played = Played::default();
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match source.as_mut().poll_event(&mut context) {
            Poll::Ready(Some(Ok(event))) => played.events.push(event),
            Poll::Ready(Some(Err(failure))) => {
                played.failure = Some(failure);
                return played;
            }
            Poll::Ready(None) => return played,
            Poll::Pending => panic!("a stream that is all there is never pending"),
        }
    }
}

/// What came out.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) events: Vec<Event>,
    pub(crate) failure: Option<Failure>,
}

impl Played {
    /// One line an event, ids without the run's prefix, metadata left out.
    pub(crate) fn script(&self) -> Vec<String> {
        let failed = self
            .failure
            .iter()
            .map(|failure| format!("ERR {}", failure.code()));
        self.events.iter().map(line).chain(failed).collect()
    }

    /// What this crate says in the metadata of the last end of a text.
    pub(crate) fn told_with_text(&self) -> Value {
        let ends = |event: &&Event| matches!(event, Event::TextMessageEnd(_));
        told(self.events.iter().rev().find(ends).unwrap())
    }

    /// What this crate says in the metadata of the run's end.
    pub(crate) fn told_with_end(&self) -> Value {
        told(self.events.last().unwrap())
    }

    /// The usage in the run's end or failure, as JSON.
    pub(crate) fn usage(&self) -> Value {
        match (&self.failure, self.events.last()) {
            (Some(failure), _) => json!(failure.usage()),
            (None, Some(Event::RunFinished(end))) => json!(end.usage),
            _ => panic!("no end"),
        }
    }

    /// The encrypted values, read as JSON.
    pub(crate) fn envelopes(&self) -> Vec<Value> {
        let value = |event: &Event| match event {
            Event::ReasoningEncryptedValue(event) => {
                Some(serde_json::from_str(&event.encrypted_value).unwrap())
            }
            _ => None,
        };
        self.events.iter().filter_map(value).collect()
    }

    /// All causes of the failure, as a log would have them.
    pub(crate) fn causes(&self) -> String {
        let mut text = String::new();
        let mut next = self.failure.as_ref().and_then(std::error::Error::source);
        while let Some(cause) = next {
            write!(text, "{cause}; ").unwrap();
            next = cause.source();
        }
        text
    }

    /// The rules that hold for every stream: a legal order with exactly one end, no id used twice,
    /// nothing empty, and nothing of the provider's in what a client is told of a failure.
    #[track_caller]
    pub(crate) fn check_rules(&self) {
        let mut ledger = Ledger::new();
        ledger
            .admit(&RunStarted::new("thread", "run").into())
            .unwrap();
        let mut opened = HashSet::new();
        let mut arguments = HashSet::new();
        for event in &self.events {
            if let Err(violation) = ledger.admit(event) {
                panic!("{violation} in {:#?}", self.script());
            }
            match event {
                Event::TextMessageStart(event) => {
                    assert!(opened.insert(event.message_id.to_string()), "{event:?}");
                }
                Event::TextMessageContent(event) => assert!(!event.delta.is_empty()),
                Event::ReasoningMessageStart(event) => {
                    assert!(opened.insert(event.message_id.to_string()), "{event:?}");
                }
                Event::ReasoningMessageContent(event) => assert!(!event.delta.is_empty()),
                Event::ToolCallStart(event) => {
                    assert!(opened.insert(event.tool_call_id.to_string()), "{event:?}");
                    assert!(event.parent_message_id.is_some());
                }
                Event::ToolCallArgs(event) => {
                    assert!(!event.delta.is_empty());
                    arguments.insert(event.tool_call_id.clone());
                }
                Event::ToolCallEnd(event) => assert!(arguments.contains(&event.tool_call_id)),
                _ => {}
            }
        }
        match &self.failure {
            None => {
                assert!(matches!(self.events.last(), Some(Event::RunFinished(_))));
                ledger.end().unwrap();
            }
            Some(failure) => {
                let code = apron_openai::FailureCode::ALL.into_iter();
                let code = code
                    .into_iter()
                    .find(|it| it.as_str() == failure.code())
                    .unwrap();
                assert_eq!(failure.message(), code.message());
                let error = RunError::new(failure.code(), failure.message());
                ledger.admit(&error.into()).unwrap();
                ledger.end().unwrap();
            }
        }
    }
}

fn told(event: &Event) -> Value {
    let metadata: Option<&Map<String, Value>> = event.metadata();
    metadata
        .and_then(|it| it.get("openai"))
        .cloned()
        .unwrap_or_default()
}

fn line(event: &Event) -> String {
    let short = |id: &str| id.strip_prefix("run:").unwrap_or(id).to_owned();
    match event {
        Event::TextMessageStart(it) => format!("TMS {}", short(it.message_id.as_str())),
        Event::TextMessageContent(it) => {
            format!("TMC {} {}", short(it.message_id.as_str()), it.delta)
        }
        Event::TextMessageEnd(it) => format!("TME {}", short(it.message_id.as_str())),
        Event::ReasoningStart(it) => format!("RS {}", short(it.message_id.as_str())),
        Event::ReasoningMessageStart(it) => format!("RMS {}", short(it.message_id.as_str())),
        Event::ReasoningMessageContent(it) => {
            format!("RMC {} {}", short(it.message_id.as_str()), it.delta)
        }
        Event::ReasoningMessageEnd(it) => format!("RME {}", short(it.message_id.as_str())),
        Event::ReasoningEnd(it) => format!("RE {}", short(it.message_id.as_str())),
        Event::ReasoningEncryptedValue(it) => format!("REV {}", short(it.entity_id.as_str())),
        Event::ToolCallStart(it) => format!(
            "TCS {} {} in {}",
            short(it.tool_call_id.as_str()),
            it.tool_call_name,
            short(it.parent_message_id.as_ref().unwrap().as_str())
        ),
        Event::ToolCallArgs(it) => format!("TCA {} {}", short(it.tool_call_id.as_str()), it.delta),
        Event::ToolCallEnd(it) => format!("TCE {}", short(it.tool_call_id.as_str())),
        Event::ToolCallResult(it) => format!("TCR {}", short(it.tool_call_id.as_str())),
        Event::RunFinished(it) => match &it.outcome {
            Some(RunOutcome::Success {
                pending_tool_call_ids,
            }) => pending_tool_call_ids
                .iter()
                .fold("FIN".to_owned(), |line, id| {
                    format!("{line} {}", short(id.as_str()))
                }),
            other => format!("FIN {other:?}"),
        },
        other => format!("{:?}", other.event_type()),
    }
}
