//! A stream that stops anywhere: one terminal event, everything closed, nothing invented, and
//! never a success without a sign of completion.
//!
//! Recorded streams need `APRON_CORPUS`; the random ones need nothing.

use std::path::Path;

use conformance::judges::ledger;
use conformance::{Answer, Data, Framed, Recording, Sample, Suite, frames, oracle, order, replay};

/// Recordings that are cut after each frame.
const BY_FRAME: usize = 60;
/// Recordings that are cut after each byte.
const BY_BYTE: usize = 6;
/// No longer than this, in bytes: each cut is a replay of its own.
const LONGEST: usize = 24 * 1024;
/// Random streams that are cut after each byte.
const RANDOM: u64 = 20;

#[test]
fn a_recording_that_is_cut_after_any_frame_ends_once() {
    const SUITE: Suite = Suite::named("cuts, frames");
    let Some(corpus) = SUITE.corpus() else { return };
    let (mut cuts, mut finished, mut wrong) = (0, 0, Vec::new());
    let sample = sample(&corpus, BY_FRAME, LONGEST);
    for recording in &sample {
        let frames = frames(&recording.bytes);
        for at in 0..=frames.len() {
            let end = at.checked_sub(1).map_or(0, |last| frames[last].end);
            let code = check(&recording.bytes[..end], &frames[..at], &frames[..at]);
            cuts += 1;
            finished += usize::from(code == Ok(true));
            wrong.extend(
                code.err()
                    .map(|why| format!("{} cut at {end}: {why}", recording.name)),
            );
        }
    }
    SUITE.say(format_args!(
        "{} files, {cuts} cuts, {finished} complete, {} violations",
        sample.len(),
        wrong.len()
    ));
    assert!(
        !sample.is_empty() && wrong.is_empty(),
        "{}",
        wrong.join("\n")
    );
}

#[test]
fn a_recording_that_is_cut_after_any_byte_ends_once() {
    const SUITE: Suite = Suite::named("cuts, bytes");
    let Some(corpus) = SUITE.corpus() else { return };
    let (mut cuts, mut wrong) = (0, Vec::new());
    let sample = sample(&corpus, BY_BYTE, LONGEST / 4);
    for recording in &sample {
        for end in 0..=recording.bytes.len() {
            cuts += 1;
            let code = check_bytes(&recording.bytes[..end]);
            wrong.extend(
                code.err()
                    .map(|why| format!("{} cut at {end}: {why}", recording.name)),
            );
        }
    }
    SUITE.say(format_args!(
        "{} files, {cuts} cuts, {} violations",
        sample.len(),
        wrong.len()
    ));
    assert!(
        !sample.is_empty() && wrong.is_empty(),
        "{}",
        wrong.join("\n")
    );
}

#[test]
fn a_random_stream_that_is_cut_after_any_byte_ends_once() {
    const SUITE: Suite = Suite::named("cuts, random");
    let (mut cuts, mut wrong) = (0, Vec::new());
    for seed in 0..RANDOM {
        let sample = Sample::of(seed);
        for end in 0..=sample.bytes.len() {
            cuts += 1;
            let events = replay(&sample.bytes[..end], &[], &sample.tools);
            let verdict = ledger::judge(&events)
                .err()
                .into_iter()
                .chain(order::violations(&events));
            wrong.extend(verdict.map(|why| format!("seed {seed} cut at {end}: {why}")));
        }
    }
    SUITE.say(format_args!(
        "{RANDOM} streams, {cuts} cuts, {} violations",
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Replays `bytes`, of which `sure` are the whole frames and `all` those that may be read. True
/// for a success.
fn check(bytes: &[u8], sure: &[Framed], all: &[Framed]) -> Result<bool, String> {
    let (sure, all) = (oracle::listen(sure), oracle::listen(all));
    let names = all.answer.calls.iter().map(|call| call.name.clone());
    let events = replay(bytes, &[], &names.collect::<Vec<_>>());
    ledger::judge(&events)?;
    if let Some(first) = order::violations(&events).first() {
        return Err(first.clone());
    }
    let got = Answer::of_events(&events);
    let within =
        |least: &str, got: &str, most: &str| got.starts_with(least) && most.starts_with(got);
    if !within(&sure.answer.text, &got.text, &all.answer.text) {
        return Err(format!(
            "text: {:?} instead of {:?}",
            got.text, all.answer.text
        ));
    }
    if !within(
        &sure.answer.reasoning,
        &got.reasoning,
        &all.answer.reasoning,
    ) {
        return Err("reasoning differs".to_owned());
    }
    let finished = events
        .last()
        .is_some_and(|last| last["type"] == "RUN_FINISHED");
    if finished && (all.failed || !all.complete) {
        return Err("a success without a sign of completion".to_owned());
    }
    Ok(finished)
}

/// As [`check`], for bytes that may end inside of a frame.
fn check_bytes(bytes: &[u8]) -> Result<bool, String> {
    let all = frames(bytes);
    let whole = |frame: &&Framed| frame.complete || !matches!(frame.data, Data::Other(_));
    let sure: Vec<Framed> = all.iter().filter(|frame| frame.complete).cloned().collect();
    let readable: Vec<Framed> = all.iter().filter(whole).cloned().collect();
    check(bytes, &sure, &readable)
}

/// Some recordings from all over the list, none of them longer than `longest` bytes.
fn sample(corpus: &Path, count: usize, longest: usize) -> Vec<Recording> {
    let mut recordings = Recording::of_chat(corpus);
    recordings.retain(|recording| recording.bytes.len() <= longest);
    let step = (recordings.len() / count).max(1);
    recordings.into_iter().step_by(step).take(count).collect()
}
