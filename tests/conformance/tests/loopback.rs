//! `apron serve` over loopback, with its scripted provider, judged from outside by real clients.
//!
//! Needs `APRON_JUDGES` and the built command; skips by name without.

use std::fmt::Write as _;
use std::path::Path;
use std::thread;

use conformance::judges::live::{Bench, Judge, Scenario, Verdict};
use conformance::{Refusing, Served, Suite};
use serde_json::json;

const SUITE: Suite = Suite::named("loopback");

#[test]
fn every_scenario_satisfies_every_judge() {
    let Some(judges) = SUITE.judges() else { return };
    let Some(command) = SUITE.command() else {
        return;
    };
    let server = Served::start(&command).unwrap();
    let listed = server.get_json("/scenarios").unwrap();
    let listed = listed.as_array().unwrap();
    for name in REQUIRED {
        let there = listed.iter().any(|entry| entry["name"] == *name);
        assert!(there, "the server lists no scenario {name}");
    }
    let mut scenarios = Vec::new();
    for entry in listed {
        match LEFT_OUT.iter().find(|(name, _)| entry["name"] == *name) {
            Some((name, why)) => SUITE.say(format_args!("{name} is left out: {why}")),
            None => scenarios.extend(Scenario::of(entry)),
        }
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loopback");
    let bench = &Bench::new(judges, server.run_url(), folder);
    let mut report = Report::default();
    // The calls are answered as a client would, for one more run on the same thread.
    let calls = scenarios
        .iter()
        .find(|scenario| scenario.name == "tools")
        .unwrap();
    scenarios.push(bench.answered(calls));
    for scenario in &scenarios {
        // It says the same words whatever the scenario.
        let once = |judge: &Judge| *judge != Judge::Transport || scenario.name == "text";
        let judges: Vec<Judge> = Judge::ALL.into_iter().filter(once).collect();
        let verdicts: Vec<Verdict> = thread::scope(|scope| {
            let ask = |&judge| scope.spawn(move || bench.ask(judge, scenario));
            let asked: Vec<_> = judges.iter().map(ask).collect();
            asked
                .into_iter()
                .map(|asked| asked.join().unwrap())
                .collect()
        });
        for (judge, verdict) in judges.into_iter().zip(&verdicts) {
            report.add(judge, &scenario.name, verdict);
        }
    }
    SUITE.say(format_args!("{}\n{}", report.summary(), report.table));
    assert!(report.wrong.is_empty(), "{}", report.wrong.join("\n"));
}

#[test]
fn no_judge_is_satisfied_by_a_broken_stream() {
    const SUITE: Suite = Suite::named("loopback, broken stream");
    let Some(judges) = SUITE.judges() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken");
    let scenario = Scenario::of(&json!({"name": "text", "prompt": "Hello"})).remove(0);
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    for judge in Judge::ALL {
        let (url, served) = Refusing::new(200, headers.clone(), BROKEN).start();
        let verdict = Bench::new(judges.clone(), url, folder.clone()).ask(judge, &scenario);
        served.join().unwrap();
        assert_ne!(
            verdict.exit,
            Some(0),
            "{judge:?} is satisfied: {}",
            verdict.said
        );
    }
    SUITE.say(format_args!("{} judges object", Judge::ALL.len()));
}

/// A run with a frame that is no JSON.
const BROKEN: &str = concat!(
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t1\",\"runId\":\"r-text\"}\n\n",
    "data: {oops\n\n",
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t1\",\"runId\":\"r-text\"}\n\n",
);

/// What the server must be able to show.
const REQUIRED: &[&str] = &["text", "reasoning", "tools", "error", "cut", "slow"];

/// The scenarios that fail at the provider, and so must end in `RUN_ERROR`; all others succeed.
const FAILING: &[&str] = &["error", "cut", "refused"];

/// In every secret that the scripted provider puts into its error messages.
const CANARIES: &[&str] = &["canary", "10.11.12.13"];

/// A scenario that no judge has the patience for, and why.
const LEFT_OUT: &[(&str, &str)] = &[(
    "hang",
    "it is silent until the idle timeout of a minute; tests/roundtrip has it",
)];

/// Verdicts that are wrong about AG-UI 1.0: judge, scenario, a phrase of what it says, and why it
/// does not count. Anything else that a judge says still does.
const EXCEPTIONS: &[(Judge, &str, &str, &str)] = &[];

#[derive(Default)]
struct Report {
    verdicts: usize,
    excepted: usize,
    table: String,
    wrong: Vec<String>,
}

impl Report {
    fn add(&mut self, judge: Judge, scenario: &str, verdict: &Verdict) {
        self.verdicts += 1;
        if let Some(why) = faults(judge, scenario, verdict) {
            self.wrong.push(format!("{judge:?}, {scenario}: {why}"));
        }
        let exception = EXCEPTIONS.iter().find(|(who, what, phrase, _)| {
            *who == judge && *what == scenario && verdict.said.contains(phrase)
        });
        let word = match (verdict.exit, exception) {
            (Some(0), _) => "satisfied",
            (_, Some((_, _, _, why))) => {
                self.excepted += 1;
                why
            }
            (exit, None) => {
                let said: Vec<&str> = verdict.said.lines().rev().take(12).collect();
                let said: Vec<&str> = said.into_iter().rev().collect();
                self.wrong.push(format!(
                    "{judge:?}, {scenario}: {exit:?}\n{}",
                    said.join("\n")
                ));
                "NOT SATISFIED"
            }
        };
        let _ = writeln!(
            self.table,
            "  {scenario:<16} {:<10} {word}",
            format!("{judge:?}")
        );
    }

    fn summary(&self) -> String {
        let Self {
            verdicts,
            excepted,
            wrong,
            ..
        } = self;
        format!(
            "{verdicts} verdicts, {excepted} excepted, {} objections",
            wrong.len()
        )
    }
}

/// What is wrong whatever the judge thinks of it.
fn faults(judge: Judge, scenario: &str, verdict: &Verdict) -> Option<String> {
    let leaked = CANARIES
        .iter()
        .find(|canary| verdict.said.contains(**canary));
    if let Some(canary) = leaked {
        return Some(format!(
            "{canary:?} of the provider's own reached the client"
        ));
    }
    let terminal = if FAILING.contains(&scenario) {
        "RUN_ERROR"
    } else {
        "RUN_FINISHED"
    };
    let said = format!("\"terminal\":\"{terminal}\"");
    let tells = matches!(judge, Judge::Official | Judge::Older | Judge::TanStack);
    (tells && !verdict.said.contains(&said)).then(|| format!("it did not end with {terminal}"))
}
