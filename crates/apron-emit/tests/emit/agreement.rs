//! The ledger against the official client: what the one admits the other accepts, and where the
//! ledger is stricter, it is so by name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use apron_emit::{Ledger, Rule, Violation};
use apron_protocol::{Decoded, Event, RunAgentInput};
use proptest::prelude::*;
use serde_json::Value;

use crate::client::Client;
use crate::script;
use crate::support::cases;

/// Rules of ours that the client does not have.
const STRICTER: &[Rule] = &[
    Rule::RunIdReused,
    Rule::OtherThread,
    Rule::OtherRun,
    Rule::Truncated,
    Rule::IdInUse,
    Rule::OtherShape,
    Rule::ParentNotAssistant,
    Rule::UnknownCall,
    Rule::CallOpen,
    Rule::AlreadyAnswered,
    Rule::UnknownActivity,
    Rule::DuplicateInterrupt,
    Rule::PendingCalls,
    Rule::DuplicateMessage,
    Rule::TerminalReserved,
    Rule::ChunkForm,
];

#[test]
fn the_ordering_table_says_the_same_of_the_client() {
    for row in crate::ordering::rows() {
        let rule = Rule::ALL
            .iter()
            .find(|rule| rule.name() == row.rule)
            .unwrap();
        let accepted = row.client.starts_with("yes");
        assert_eq!(accepted, STRICTER.contains(rule), "{rule}: {}", row.client);
    }
}

#[test]
fn the_corpus_of_orders_says_the_same_of_the_client() {
    for case in script::corpus() {
        let accepts = |events: &[Event]| {
            let mut client = Client::default();
            events.iter().all(|event| client.observe(event).is_ok())
        };
        assert!(accepts(&case.legal), "{}", case.name);
        let stricter = STRICTER.iter().any(|rule| rule.name() == case.rule);
        // An outcome without an interrupt is malformed before it is out of order, and the history
        // is on the client's side of things, where owners are not looked at.
        if case.rule != Rule::NoInterrupt.name() && case.history.is_none() {
            assert_eq!(accepts(&case.refused), stricter, "{}", case.name);
        }
    }
}

fn said() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(script::any_event(), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn what_the_ledger_admits_the_client_accepts(said in said()) {
        let (mut ledger, mut client) = (Ledger::new(), Client::default());
        for event in script::events("run").iter().chain(&said) {
            match ledger.admit(event) {
                Ok(()) => prop_assert_eq!(client.observe(event), Ok(()), "{:?}", event),
                Err(Violation { rule, .. }) if STRICTER.contains(&rule) => {}
                Err(violation) => {
                    prop_assert!(client.observe(event).is_err(), "{violation} {event:?}");
                }
            }
        }
    }

    #[test]
    fn what_a_ledger_that_knows_the_history_admits_the_client_accepts(said in said()) {
        let history = script::case(
            "rule: name\n history assistant m @a; caller n of c @b; user q\n refused run\n legal run",
        );
        let mut input = RunAgentInput::new("t", "r");
        input.messages = history.history.unwrap();
        let (mut ledger, mut client) = (Ledger::for_input(&input), Client::default());
        for event in script::events("run").iter().chain(&said) {
            match ledger.admit(event) {
                Ok(()) => prop_assert_eq!(client.observe(event), Ok(()), "{:?}", event),
                // The owners of the history are the client's own business; a tag that contradicts
                // them is wrong all the same.
                Err(Violation { rule, .. })
                    if STRICTER.contains(&rule) || rule == Rule::OtherOwner => {}
                Err(violation) => {
                    prop_assert!(client.observe(event).is_err(), "{violation} {event:?}");
                }
            }
        }
    }
}

/// Streams of the corpus that the client accepts and the ledger does not, with the rule. Each
/// shows what a client tolerates and a server should not send.
const TOLERATED: &[(&str, Rule)] = &[
    // The delta is dropped: nothing shows it.
    (
        "activity-delta-missing-target-tolerated",
        Rule::UnknownActivity,
    ),
    ("activity/delta-unknown-id", Rule::UnknownActivity),
    // One id, two kinds: the text is overwritten, or the activity dropped.
    ("activity/delta-on-text", Rule::IdInUse),
    ("activity/replace-false-over-text-message", Rule::IdInUse),
    ("activity/replace-true-over-text-message", Rule::IdInUse),
    ("text/start-on-activity-id-dropped", Rule::IdInUse),
    // Two tool messages with one id.
    ("tool/result-duplicate-messageId-duplicates", Rule::IdInUse),
    // Two answers to a person's one answer.
    (
        "lifecycle/duplicate-interrupt-ids-accepted",
        Rule::DuplicateInterrupt,
    ),
    // A run id is for one run, also after a failure.
    ("lifecycle/finished-then-error-then-run", Rule::RunIdReused),
    // The list names calls that the run did not make.
    (
        "lifecycle/pending-tool-calls-named-wins",
        Rule::PendingCalls,
    ),
    ("lifecycle/result-and-usage", Rule::PendingCalls),
    // Fatal in the next revision of the protocol.
    ("lifecycle/run-id-mismatch-not-checked", Rule::OtherRun),
    ("lifecycle/truncated-no-terminal", Rule::Truncated),
    ("chunk/truncated-no-end", Rule::Truncated),
    ("truncated-run-reported-as-completed", Rule::Truncated),
    // The first or the last of the two is lost.
    (
        "messages/duplicate-id-in-snapshot-existing",
        Rule::DuplicateMessage,
    ),
    (
        "messages/duplicate-id-in-snapshot-new",
        Rule::DuplicateMessage,
    ),
    // The specification asks for the same role and name; the client keeps one and says nothing.
    ("text/reopen-appends", Rule::OtherShape),
    ("tool/reopen-renames-and-appends", Rule::OtherShape),
];

/// Streams of the corpus that the client refuses for another reason than order: a null that we
/// read as absent.
const NOT_ORDER: &[&str] = &["enforce/usage-null-count-fatal"];

/// Streams that end at an event which is fatal for a null, which we read as absent; they are cut
/// there, so that we refuse them as well.
const TOO_NULL: &[&str] = &[
    "enforce/timestamp-null-fatal",
    "tool/result-metadata-null-fatal",
];

#[test]
fn the_recorded_verdicts_of_the_client_are_ours() {
    let Some(corpus) = corpus() else { return };
    let golden = read(&corpus.join("spec/golden-streams.json"));
    let mut found = BTreeMap::new();
    let mut counted = 0;
    for case in golden["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let expect = &case["expect"];
        let completed = expect["outcome"] == "completed";
        // What was delivered is after the expansion of chunks, which are a spelling.
        let events = events(if completed {
            &expect["delivered"]
        } else {
            &case["frames"]
        });
        compare(name, completed, events, &mut found);
        counted += 1;
    }
    println!("compared {counted} golden streams");
    assert_eq!(counted, golden["count"].as_u64().unwrap());
    settle(found, |name| name.contains('/'));
}

#[test]
fn the_conformance_streams_that_must_be_accepted_are() {
    let Some(corpus) = corpus() else { return };
    let mut found = BTreeMap::new();
    let mut counted = 0;
    for file in std::fs::read_dir(corpus.join("spec/conformance")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let case = read(&path);
        let name = case["name"].as_str().unwrap();
        let completed = case["expect"]["outcome"] == "completed";
        compare(name, completed, events(&case["stream"]), &mut found);
        counted += 1;
    }
    println!("compared {counted} conformance streams");
    assert!(counted > 60, "{counted}");
    settle(found, |name| !name.contains('/'));
}

/// Notes the rule by which the ledger refuses what the client accepts, or that it admits what the
/// client refuses.
fn compare(
    name: &str,
    completed: bool,
    events: Option<Vec<Event>>,
    found: &mut BTreeMap<String, Option<Rule>>,
) {
    let Some(events) = events else {
        // Not one of ours: a chunk, or an event that is malformed and fatal before its order is.
        assert!(!completed || name.contains("chunk"), "{name} is readable");
        return;
    };
    let mut ledger = Ledger::new();
    let refused = events.iter().find_map(|event| ledger.admit(event).err());
    let refused = refused.or_else(|| ledger.end().err());
    match (completed, refused) {
        (true, Some(violation)) => {
            found.insert(name.to_owned(), Some(violation.rule));
        }
        (false, None) => {
            found.insert(name.to_owned(), None);
        }
        (true, None) => {
            // The second opinion is of one mind with the client itself.
            let mut client = Client::default();
            for event in &events {
                assert_eq!(client.observe(event), Ok(()), "{name}: {event:?}");
            }
        }
        (false, Some(_)) => {
            let mut client = Client::default();
            let accepts = events.iter().all(|event| client.observe(event).is_ok());
            assert!(!accepts || TOO_NULL.contains(&name), "{name}");
        }
    }
}

/// Every difference is listed, and every listed one is a difference.
fn settle(found: BTreeMap<String, Option<Rule>>, ours: impl Fn(&str) -> bool) {
    let tolerated = TOLERATED.iter().map(|(name, rule)| (*name, Some(*rule)));
    let listed = tolerated.chain(NOT_ORDER.iter().map(|name| (*name, None)));
    let listed: BTreeMap<String, Option<Rule>> = listed
        .filter(|(name, _)| ours(name))
        .map(|(name, rule)| (name.to_owned(), rule))
        .collect();
    assert_eq!(found, listed);
}

fn events(frames: &Value) -> Option<Vec<Event>> {
    let mut events = Vec::new();
    for frame in frames.as_array().unwrap() {
        match Decoded::from_value(frame.clone()) {
            Decoded::Event(
                Event::TextMessageChunk(_)
                | Event::ToolCallChunk(_)
                | Event::ReasoningMessageChunk(_),
            )
            | Decoded::Corrupt(_) => return None,
            Decoded::Event(event) => events.push(event),
            Decoded::Unknown { .. } => {}
        }
    }
    Some(events)
}

fn read(path: &std::path::Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The corpus, when there is one.
fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("APRON_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        println!("skipped: APRON_CORPUS is not set");
    }
    corpus
}
