//! `apron replay`, the command: every recording in one go, a line each, as the oracle says.
//!
//! Needs `APRON_CORPUS` and the built command; skips by name without.

use std::path::Path;
use std::process::Command;

use conformance::judges::ledger;
use conformance::{Answer, Recording, Suite, frames, oracle, order};
use serde_json::Value;

#[test]
fn the_command_replays_every_recording() {
    const SUITE: Suite = Suite::named("replay command");
    let Some(corpus) = SUITE.corpus() else { return };
    let Some(command) = SUITE.command() else {
        return;
    };
    let streams = corpus.join("streams");
    let recordings = Recording::of_chat(&corpus);
    let told: Vec<oracle::Told> = recordings
        .iter()
        .map(|recording| oracle::listen(&frames(&recording.bytes)))
        .collect();
    let calls = told.iter().flat_map(|told| &told.answer.calls);
    let mut tools: Vec<&str> = calls.map(|call| &*call.name).collect();
    tools.sort_unstable();
    tools.dedup();
    let output = Command::new(&command)
        .args(["replay", "--api", "chat", "--format", "jsonl"])
        .args(["--tools", &tools.join(",")])
        .args(
            recordings
                .iter()
                .map(|recording| streams.join(&recording.name)),
        )
        .env("RUST_LOG", "off")
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "a run that fails is no failure of the command"
    );
    let lines: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines.len(), recordings.len(), "one line a file");
    let mut wrong = Vec::new();
    for ((recording, told), line) in recordings.iter().zip(&told).zip(&lines) {
        let name = &recording.name;
        let file = Path::new(line["file"].as_str().unwrap());
        assert!(file.ends_with(name), "{} instead of {name}", file.display());
        let events = line["events"].as_array().unwrap();
        let mut found = order::violations(events);
        found.extend(ledger::judge(events).err());
        found.extend(told.answer.difference(&Answer::of_events(events)));
        wrong.extend(found.into_iter().map(|why| format!("{name}: {why}")));
    }
    SUITE.say(format_args!(
        "{} files, {} violations",
        lines.len(),
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
