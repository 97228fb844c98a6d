//! Every recorded HTTP error, through the real client and a real socket: one `RUN_ERROR` with the
//! listed code, and nothing of what the provider said, of the key, the address or the prompt.
//!
//! Needs `APRON_CORPUS`; skips by name without.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a panic is how a test fails"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use apron_emit::stream;
use apron_openai::{Client, OpenAIConfig, chat};
use apron_protocol::RunAgentInput;
use conformance::judges::ledger;
use conformance::{Refusing, Suite, order};
use futures_util::StreamExt;
use serde_json::Value;

const SUITE: Suite = Suite::named("http errors");
const KEY: &str = "sk-canary-key-0123456789";
const PROMPT: &str = "prompt-canary";
/// Put after every string of a body.
const PLANTED: &str = "body-canary";

#[test]
fn a_refused_request_is_one_error_that_tells_nothing() {
    let Some(corpus) = SUITE.corpus() else { return };
    let recorded = recorded(&corpus);
    assert!(
        !recorded.is_empty(),
        "there are no errors under {}",
        corpus.display()
    );
    let mut codes = BTreeMap::new();
    for (name, refusing) in &recorded {
        let words = words_of(&refusing.body);
        let (code, wire) = ask(refusing.clone());
        for word in words.iter().filter(|word| **word != code) {
            assert!(
                !wire.contains(&**word),
                "{name}: {word:?} reached the client: {wire}"
            );
        }
        let mut planted = refusing.clone();
        planted.body = plant(&refusing.body);
        let (_, wire) = ask(planted);
        assert!(!wire.contains(PLANTED), "{name}: {wire}");
        codes.insert(name.clone(), code);
    }
    SUITE.say(format_args!(
        "{} bodies, {} errors, 0 leaks",
        recorded.len(),
        codes.len()
    ));
    let listed: BTreeMap<String, String> = include_str!("../http-errors.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| line.split_once("  "))
        .map(|(name, code)| (name.to_owned(), code.trim().to_owned()))
        .collect();
    assert_eq!(
        codes, listed,
        "http-errors.txt lists the code of each recorded error"
    );
}

/// Asks a provider that refuses: the code of the run's error, and every byte that went out.
fn ask(refusing: Refusing) -> (String, String) {
    let (url, served) = refusing.start();
    let config = OpenAIConfig::new().with_api_base(&url).with_api_key(KEY);
    let client = Client::builder(config).retries(0).build();
    let body = format!(
        r#"{{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[{{"id":"u","role":"user","content":"{PROMPT}"}}]}}"#
    );
    let (input, _) = RunAgentInput::from_slice(body.as_bytes()).unwrap();
    let run = stream(input, move |run| async move {
        let request = chat::request(run.input(), "model-1");
        let response = client.chat(request).await?;
        Ok(run.relay(chat::events(response)).await?)
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let lines: Vec<String> = runtime.block_on(run.map(|event| event.to_json()).collect());
    let request = served.join().unwrap();
    assert!(
        request.contains(KEY) && request.contains(PROMPT),
        "{request}"
    );
    let events: Vec<Value> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(order::violations(&events), Vec::<String>::new());
    assert_eq!(ledger::judge(&events), Ok(()));
    let wire = lines.join("\n");
    let host = url.trim_start_matches("http://").trim_end_matches("/v1");
    for secret in [KEY, PROMPT, host] {
        assert!(
            !wire.contains(secret),
            "{secret:?} reached the client: {wire}"
        );
    }
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert_eq!(kinds, ["RUN_STARTED", "RUN_ERROR"], "{wire}");
    (
        events[1]["code"].as_str().unwrap_or_default().to_owned(),
        wire,
    )
}

/// Every recorded error, by the name of its file.
fn recorded(corpus: &Path) -> BTreeMap<String, Refusing> {
    let mut recorded = BTreeMap::new();
    for entry in fs::read_dir(corpus.join("streams/http-errors"))
        .into_iter()
        .flatten()
    {
        let path = entry.unwrap().path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let error: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let headers = error["headers"].as_object().into_iter().flatten();
        let headers = headers
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        let status = u16::try_from(error["status"].as_u64().unwrap()).unwrap();
        let body = error["body"].as_str().unwrap_or_default();
        recorded.insert(name, Refusing::new(status, headers, body));
    }
    recorded
}

/// Every string in a body that is long enough to be recognised, or the body itself.
fn words_of(body: &str) -> Vec<String> {
    let mut words = Vec::new();
    match serde_json::from_str::<Value>(body) {
        Ok(value) => collect(&value, &mut words),
        Err(_) => words.push(body.trim().to_owned()),
    }
    words.retain(|word| word.len() >= 8);
    words
}

fn collect(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        Value::Object(members) => members.values().for_each(|value| collect(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The body with a canary after each of its strings.
fn plant(body: &str) -> String {
    fn grow(value: &mut Value) {
        match value {
            Value::String(text) => text.push_str(PLANTED),
            Value::Array(items) => items.iter_mut().for_each(grow),
            Value::Object(members) => members.values_mut().for_each(grow),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    match serde_json::from_str::<Value>(body) {
        Ok(mut value) => {
            grow(&mut value);
            value.to_string()
        }
        Err(_) => format!("{body} {PLANTED}"),
    }
}
