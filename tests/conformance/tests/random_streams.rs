//! Random streams with the habits of real providers: the answer, the order and the end must be
//! right for each.
//!
//! `APRON_PROP_CASES` is how many; `APRON_PROP_SEED` repeats one and prints it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use conformance::judges::schema::Schema;
use conformance::judges::{ledger, official, peer};
use conformance::{Answer, Call, End, ROWS, Sample, Suite, cases, order, replay, seed, usage_of};
use serde_json::Value;

/// Streams tried when `APRON_PROP_CASES` says nothing: enough for every row many times over.
const CASES: u64 = 20_000;
/// Streams that the official client reads in one process.
const OFFICIAL: u64 = 2_000;
/// Streams whose events are held against the schema.
const SCHEMA: u64 = 5_000;

#[test]
fn a_random_stream_says_what_was_told_in_order_and_ends_once() {
    const SUITE: Suite = Suite::named("random streams");
    if let Some(seed) = seed() {
        show(&Sample::of(seed));
        return;
    }
    let (cases, start) = (cases(CASES), Instant::now());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicU64::new(0);
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| work(&next, cases)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    let tally = tallies.into_iter().fold(Tally::default(), Tally::plus);
    SUITE.say(format_args!(
        "{} streams, {} events, {} finished, {} errored, {} violations, {} of {} rows, {:.1} s",
        tally.streams,
        tally.events,
        tally.finished,
        tally.errored,
        tally.failures.len(),
        tally.rows.len(),
        ROWS.count(),
        start.elapsed().as_secs_f64(),
    ));
    let mut failures = tally.failures;
    failures.sort_unstable();
    for (seed, why) in failures.iter().take(5) {
        SUITE.say(format_args!("{why}\n  repeat: {REPEAT}={seed} {COMMAND}"));
    }
    assert!(
        failures.is_empty(),
        "{} of {cases} streams went wrong",
        failures.len()
    );
    if cases >= CASES {
        for row in ROWS {
            let seen = tally.rows.get(&row).copied().unwrap_or(0);
            assert!(
                seen >= 20,
                "row {row} of the table was told only {seen} times"
            );
        }
    }
}

#[test]
fn the_official_client_hears_a_random_stream_as_it_was_told() {
    const SUITE: Suite = Suite::named("random streams, official client");
    let Some(judges) = SUITE.judges() else { return };
    // Other streams than those above.
    let samples: Vec<Sample> = (0..OFFICIAL).map(|at| Sample::of(at + (1 << 40))).collect();
    let streams: Vec<Vec<Value>> = samples
        .iter()
        .map(|sample| replay(&sample.bytes, &sample.cuts, &sample.tools))
        .collect();
    let verdicts = official::judge(&judges, &streams).unwrap();
    let mut violations = Vec::new();
    for (sample, verdict) in samples.iter().zip(verdicts) {
        let difference = sample.expected.answer.difference(&verdict.answer);
        if let Some(why) = verdict.objection.or(difference) {
            violations.push(format!(
                "{why}\n  repeat: {REPEAT}={} {COMMAND}",
                sample.seed
            ));
        }
    }
    SUITE.say(format_args!(
        "{} streams, {} violations",
        samples.len(),
        violations.len()
    ));
    assert!(
        violations.is_empty(),
        "{}",
        violations[..violations.len().min(5)].join("\n")
    );
}

#[test]
fn every_event_of_a_random_stream_fits_the_schema() {
    const SUITE: Suite = Suite::named("random streams, schema");
    let Some(corpus) = SUITE.corpus() else { return };
    let schema = Schema::of(&corpus).unwrap();
    let mut violations = Vec::new();
    for seed in 0..SCHEMA {
        let sample = Sample::of(seed);
        let events = replay(&sample.bytes, &sample.cuts, &sample.tools);
        if let Err(why) = schema.judge(&events) {
            violations.push(format!("{why}\n  repeat: {REPEAT}={seed} {COMMAND}"));
        }
    }
    SUITE.say(format_args!(
        "{SCHEMA} streams, {} violations",
        violations.len()
    ));
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[derive(Default)]
struct Tally {
    streams: u64,
    events: usize,
    finished: u64,
    errored: u64,
    /// How often each row was told.
    rows: BTreeMap<u8, u64>,
    failures: Vec<(u64, String)>,
}

impl Tally {
    fn plus(mut self, other: Self) -> Self {
        self.streams += other.streams;
        self.events += other.events;
        self.finished += other.finished;
        self.errored += other.errored;
        for (row, count) in other.rows {
            *self.rows.entry(row).or_default() += count;
        }
        self.failures.extend(other.failures);
        self
    }
}

fn work(next: &AtomicU64, cases: u64) -> Tally {
    let mut tally = Tally::default();
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= cases {
            return tally;
        }
        let sample = Sample::of(seed);
        let events =
            std::panic::catch_unwind(|| replay(&sample.bytes, &sample.cuts, &sample.tools));
        let verdict = match &events {
            Ok(events) => judge(&sample, events),
            Err(_) => Err("a panic".to_owned()),
        };
        tally.streams += 1;
        tally.events += events.map_or(0, |events| events.len());
        match sample.expected.end {
            End::Finished => tally.finished += 1,
            End::Failed(_) => tally.errored += 1,
        }
        for &row in &sample.rows {
            *tally.rows.entry(row).or_default() += 1;
        }
        if let Err(why) = verdict {
            tally.failures.push((seed, why));
        }
    }
}

/// Whether the events are what the sample expects.
fn judge(sample: &Sample, events: &[Value]) -> Result<(), String> {
    let expected = &sample.expected;
    ledger::judge(events).map_err(|why| format!("ledger: {why}"))?;
    if let Some(first) = order::violations(events).first() {
        return Err(format!("order: {first}"));
    }
    peer::judge(events).map_err(|why| format!("peer: {why}"))?;
    if events
        .iter()
        .any(|event| event.to_string().contains("canary"))
    {
        return Err("the provider's error text reached the client".to_owned());
    }
    let last = events.last().ok_or("no events")?;
    let end = match (expected.end, last["code"].as_str()) {
        (End::Finished, None) => last["type"] == "RUN_FINISHED",
        (End::Failed(code), Some(got)) => code == got,
        _ => false,
    };
    if !end {
        return Err(format!("end: expected {:?}, got {last}", expected.end));
    }
    let (mut wanted, mut got) = (expected.answer.clone(), Answer::of_events(events));
    if expected.end != End::Finished {
        // Whether a call is announced before its arguments is only settled when it gets some, or
        // when the answer is complete.
        let bare = |call: &Call| matches!(&*call.arguments, "" | "{}");
        wanted.calls.retain(|call| !bare(call));
        got.calls.retain(|call| !bare(call));
    }
    if let Some(why) = wanted.difference(&got) {
        return Err(why);
    }
    let usage = usage_of(events);
    if usage != expected.usage {
        return Err(format!(
            "usage: expected {:?}, got {usage:?}",
            expected.usage
        ));
    }
    if expected.end == End::Finished {
        judge_success(sample, events)?;
    }
    Ok(())
}

/// What only a success says: which calls wait, and what must go back to the provider.
fn judge_success(sample: &Sample, events: &[Value]) -> Result<(), String> {
    let expected = &sample.expected;
    let ids = |kind: &str| -> Vec<&str> {
        let of_kind = events.iter().filter(|event| event["type"] == kind);
        of_kind
            .filter_map(|event| event["toolCallId"].as_str())
            .collect()
    };
    let calls = ids("TOOL_CALL_START");
    let waits = calls
        .iter()
        .zip(&expected.pending)
        .filter(|(_, waits)| **waits);
    let waiting: Vec<&str> = waits.map(|(id, _)| *id).collect();
    let last = events.last().unwrap_or(&Value::Null);
    let named = last.pointer("/outcome/pendingToolCallIds");
    let named: Vec<&str> = named
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if named != waiting {
        return Err(format!("pending: expected {waiting:?}, got {named:?}"));
    }
    let secrets = |subtype: &str| {
        let encrypted = |event: &&Value| event["type"] == "REASONING_ENCRYPTED_VALUE";
        events
            .iter()
            .filter(encrypted)
            .filter(|event| event["subtype"] == subtype)
            .count()
    };
    let got = (secrets("tool-call"), secrets("message"));
    let wanted = (expected.signatures, usize::from(expected.secret));
    if got != wanted {
        return Err(format!(
            "encrypted values: expected {wanted:?}, got {got:?}"
        ));
    }
    Ok(())
}

/// Prints one stream, its events and the verdict.
fn show(sample: &Sample) {
    const SUITE: Suite = Suite::named("random streams");
    let bytes = String::from_utf8_lossy(&sample.bytes);
    SUITE.say(format_args!(
        "seed {}, rows {:?}, tools {:?}",
        sample.seed, sample.rows, sample.tools
    ));
    SUITE.say(format_args!("the provider sends\n{bytes}"));
    let events = replay(&sample.bytes, &sample.cuts, &sample.tools);
    for event in &events {
        SUITE.say(event);
    }
    SUITE.say(format_args!("expected is {:#?}", sample.expected));
    let verdict = judge(sample, &events);
    assert_eq!(verdict, Ok(()));
}

const REPEAT: &str = "APRON_PROP_SEED";
const COMMAND: &str = "cargo test -p conformance --test random_streams a_random";
