//! Every recorded chat stream, byte for byte, against every judge.
//!
//! Needs `APRON_CORPUS`, and the official client also `APRON_JUDGES`; skips by name without.

use std::collections::BTreeMap;
use std::path::Path;

use conformance::judges::schema::Schema;
use conformance::judges::{ledger, official, peer};
use conformance::{Answer, Recording, Suite, frames, oracle, order, replay};
use serde_json::Value;

#[test]
fn a_recording_says_what_its_provider_said_and_every_rust_judge_agrees() {
    const SUITE: Suite = Suite::named("recordings");
    let Some(corpus) = SUITE.corpus() else { return };
    let schema = Schema::of(&corpus).unwrap();
    let replays = replays(&corpus);
    let (mut violations, mut events) = (Vec::new(), 0);
    for told in &replays {
        events += told.events.len();
        violations.extend(judge(told, &schema));
    }
    let errored = replays.iter().filter(|told| told.code().is_some()).count();
    SUITE.say(format_args!(
        "{} files, {events} events, {} finished, {} errored, {} violations",
        replays.len(),
        replays.len() - errored,
        errored,
        violations.len(),
    ));
    assert!(
        !replays.is_empty(),
        "there are no recordings under {}",
        corpus.display()
    );
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn the_recordings_that_fail_are_the_listed_ones() {
    const SUITE: Suite = Suite::named("recordings, errored");
    let Some(corpus) = SUITE.corpus() else { return };
    let replays = replays(&corpus);
    let listed = listed();
    let failed: BTreeMap<&str, &str> = replays
        .iter()
        .filter_map(|told| Some((&*told.recording.name, told.code()?)))
        .collect();
    let expected: BTreeMap<&str, &str> = listed
        .iter()
        .map(|(name, (code, _))| (*name, *code))
        .collect();
    assert_eq!(
        failed, expected,
        "errored.txt lists every recording that fails, with its code"
    );
    for (name, (code, reason)) in &listed {
        assert!(!reason.is_empty(), "errored.txt gives no reason for {name}");
        SUITE.say(format_args!("{name}: {code}: {reason}"));
    }
}

#[test]
fn the_official_client_hears_what_the_provider_said() {
    const SUITE: Suite = Suite::named("recordings, official client");
    let Some(corpus) = SUITE.corpus() else { return };
    let Some(judges) = SUITE.judges() else { return };
    let replays = replays(&corpus);
    let streams: Vec<Vec<Value>> = replays.iter().map(|told| told.events.clone()).collect();
    let verdicts = official::judge(&judges, &streams).unwrap();
    let mut violations = Vec::new();
    for (told, verdict) in replays.iter().zip(verdicts) {
        let difference = told.said.answer.difference(&verdict.answer);
        if let Some(why) = verdict.objection.or(difference) {
            violations.push(format!("{}: {why}", told.recording.name));
        }
    }
    SUITE.say(format_args!(
        "{} files, {} violations",
        replays.len(),
        violations.len()
    ));
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn how_the_bytes_are_cut_changes_nothing() {
    const SUITE: Suite = Suite::named("recordings, splits");
    let Some(corpus) = SUITE.corpus() else { return };
    let (mut splits, mut different) = (0, Vec::new());
    for told in replays(&corpus) {
        let bytes = &told.recording.bytes;
        // Steps that are coprime to most line lengths fall everywhere, also inside of characters.
        for step in [7, 61, 997] {
            let cuts: Vec<usize> = (step..bytes.len()).step_by(step).collect();
            splits += 1;
            if replay(bytes, &cuts, &told.tools) != told.events {
                different.push(format!("{} in pieces of {step}", told.recording.name));
            }
        }
    }
    SUITE.say(format_args!(
        "{splits} splits, {} different",
        different.len()
    ));
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// A recording, what its provider said, and what became of it.
struct Replayed {
    recording: Recording,
    said: oracle::Told,
    tools: Vec<String>,
    events: Vec<Value>,
}

impl Replayed {
    /// The code of the error that the run ended with.
    fn code(&self) -> Option<&str> {
        self.events.last()?["code"].as_str()
    }
}

fn replays(corpus: &Path) -> Vec<Replayed> {
    let recordings = Recording::of_chat(corpus).into_iter();
    recordings
        .map(|recording| {
            let said = oracle::listen(&frames(&recording.bytes));
            // The client has every tool that the model calls, as it had when this was recorded.
            let names = said.answer.calls.iter().map(|call| call.name.clone());
            let mut tools: Vec<String> = names.collect();
            tools.sort_unstable();
            tools.dedup();
            let events = replay(&recording.bytes, &[], &tools);
            Replayed {
                recording,
                said,
                tools,
                events,
            }
        })
        .collect()
}

/// What is wrong with a replay.
fn judge(told: &Replayed, schema: &Schema) -> Vec<String> {
    let events = &told.events;
    let mut wrong = order::violations(events);
    wrong.extend(
        schema
            .judge(events)
            .err()
            .map(|why| format!("schema: {why}")),
    );
    wrong.extend(
        ledger::judge(events)
            .err()
            .map(|why| format!("ledger: {why}")),
    );
    wrong.extend(told.said.answer.difference(&Answer::of_events(events)));
    match peer::judge(events) {
        Ok(answer) => wrong.extend(told.said.answer.difference(&answer)),
        Err(why) => wrong.push(format!("peer: {why}")),
    }
    let ended_well = told.code().is_none();
    if ended_well && (told.said.failed || !told.said.complete) {
        wrong.push("a success without a sign of completion".to_owned());
    }
    wrong
        .into_iter()
        .map(|why| format!("{}: {why}", told.recording.name))
        .collect()
}

/// The table of recordings that fail: the code and the reason for each.
fn listed() -> BTreeMap<&'static str, (&'static str, &'static str)> {
    let lines = include_str!("../errored.txt").lines();
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let table = rows.map(|row| {
        let mut columns = row.split("  ");
        let mut column = || columns.next().unwrap_or_default();
        (column(), (column(), column()))
    });
    table.collect()
}
