//! The official TypeScript client, fed many streams in one process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::answer::Answer;

/// What the client made of one stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// What it objects to: an error that ended the run, or warnings.
    pub objection: Option<String>,
    /// What its messages say.
    pub answer: Answer,
}

/// Has client 1.0.0 reduce every stream, in order. `judges` is the folder that `APRON_JUDGES`
/// names, with its packages installed.
///
/// # Errors
///
/// When the client cannot be run, or does not answer for each stream.
pub fn judge(judges: &Path, streams: &[Vec<Value>]) -> Result<Vec<Verdict>, String> {
    let mut child = Command::new("node")
        .arg("reduce-agui.mjs")
        .current_dir(judges)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|err| format!("node cannot be run: {err}"))?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("node has no pipes".to_owned());
    };
    let lines: Vec<String> = streams.iter().enumerate().map(line).collect();
    let writer = thread::spawn(move || lines.iter().try_for_each(|line| writeln!(stdin, "{line}")));
    let mut verdicts = Vec::with_capacity(streams.len());
    for line in BufReader::new(stdout).lines() {
        let line = line.map_err(|err| err.to_string())?;
        let reply: Value = serde_json::from_str(&line).map_err(|err| format!("{err}: {line}"))?;
        if reply["seed"] != json!(verdicts.len()) {
            return Err(format!("an answer is missing before {}", reply["seed"]));
        }
        verdicts.push(verdict(&reply));
    }
    let status = child.wait().map_err(|err| err.to_string())?;
    let written = writer
        .join()
        .map_err(|_| "the writer panicked".to_owned())?;
    if verdicts.len() != streams.len() {
        let (got, all) = (verdicts.len(), streams.len());
        return Err(format!(
            "{got} of {all} streams answered; {status}, {written:?}"
        ));
    }
    Ok(verdicts)
}

fn line((at, events): (usize, &Vec<Value>)) -> String {
    let start = &events[0];
    let input = json!({"threadId": start["threadId"], "runId": start["runId"]});
    json!({"seed": at, "input": input, "events": events}).to_string()
}

fn verdict(reply: &Value) -> Verdict {
    let warnings = reply["warnings"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let objection = match (&reply["ok"], warnings) {
        (Value::Bool(true), []) => None,
        (Value::Bool(true), [first, ..]) => Some(format!("warning: {first}")),
        _ => Some(format!("{}: {}", reply["stage"], reply["error"])),
    };
    let messages = reply["messages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    Verdict {
        objection,
        answer: Answer::of_messages(messages),
    }
}
