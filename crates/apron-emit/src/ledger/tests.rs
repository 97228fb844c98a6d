//! The corpus of orders against the ledger, and what holds for every order.

use std::collections::HashSet;

use apron_protocol::{Event, RunAgentInput, ToolCallArgs};
use proptest::prelude::*;

use super::{Closing, Ledger, Rule};

#[path = "../../tests/emit/script.rs"]
mod script;
#[path = "../../tests/emit/words.rs"]
mod words;

use script::{Case, events};

fn corpus() -> Vec<Case> {
    let mut corpus = script::corpus();
    corpus.extend(two_kinds());
    corpus
}

/// One id, two kinds: every pair in both orders.
fn two_kinds() -> Vec<Case> {
    let kinds = [
        "text one; text-end one",
        "thought one; thought-end one",
        "span one; span-end one",
        "activity one",
        "call one; call-end one",
        "call c; call-end c; result one for c",
    ];
    let mut cases = Vec::new();
    for first in kinds {
        for second in kinds {
            let opener = second.split("; one").next().unwrap();
            let both = [first, second].map(|kind| kind.split(' ').next().unwrap());
            let reason = both.iter().all(|kind| ["thought", "span"].contains(kind));
            if first == second || reason {
                continue;
            }
            // The event that takes the id, and what must come before it.
            let mut second = events(opener);
            second.truncate(if opener.contains("result") { 3 } else { 1 });
            let before = format!("run; {first}");
            cases.push(Case {
                rule: "id-in-use".to_owned(),
                name: format!("{first}, then {opener}"),
                history: None,
                refused: [events(&before), second].concat(),
                legal: events(&format!("{before}; {}", opener.replace("one", "two"))),
            });
        }
    }
    assert_eq!(cases.len(), 28);
    cases
}

fn ledger(case: &Case) -> Ledger {
    let Some(history) = &case.history else {
        return Ledger::new();
    };
    let mut input = RunAgentInput::new("t", "r");
    input.messages.clone_from(history);
    Ledger::for_input(&input)
}

fn ledger_after(said: &[Event]) -> Ledger {
    let mut ledger = Ledger::new();
    said.iter().for_each(|event| ledger.admit(event).unwrap());
    ledger
}

#[test]
fn every_refused_order_names_its_rule_and_its_legal_twin_is_admitted() {
    for case in corpus() {
        let (last, before) = case.refused.split_last().unwrap();
        let mut judge = ledger(&case);
        for event in before {
            let admitted = judge.admit(event);
            assert_eq!(admitted, Ok(()), "{}: {event:?}", case.name);
        }
        let violation = judge.admit(last).expect_err(&case.name);
        assert_eq!(violation.rule.name(), case.rule, "{}", case.name);
        assert_eq!(violation.event, last.event_type());

        let mut judge = ledger(&case);
        for event in &case.legal {
            let admitted = judge.admit(event);
            assert_eq!(admitted, Ok(()), "{}, the legal twin", case.name);
        }
    }
}

#[test]
fn every_rule_has_a_refused_order() {
    let mut shown: HashSet<String> = corpus().into_iter().map(|case| case.rule).collect();
    // These two are no matter of one event: the one is broken below, the other in
    // `tests/emit/handles.rs`.
    shown.extend([Rule::Truncated, Rule::TerminalReserved].map(|rule| rule.name().to_owned()));
    for rule in Rule::ALL {
        assert!(shown.remove(rule.name()), "{rule} is never broken");
    }
    assert!(shown.is_empty(), "no such rules: {shown:?}");
}

#[test]
fn a_stream_ends_with_a_terminal_event() {
    assert_eq!(Ledger::new().end().unwrap_err().rule, Rule::Truncated);
    for cut in ["run", "run; text m; text-end m", "run; done; run r2"] {
        let ledger = ledger_after(&events(cut));
        assert_eq!(ledger.end().unwrap_err().rule, Rule::Truncated, "{cut}");
    }
    for whole in [
        "error",
        "run; done",
        "run; text m; error",
        "run; done; error",
    ] {
        assert_eq!(ledger_after(&events(whole)).end(), Ok(()), "{whole}");
    }
}

#[test]
fn a_refused_event_changes_nothing() {
    let corpus = corpus();
    let said = |case: &Case| [case.refused.clone(), case.legal.clone()].concat();
    let mut probes: Vec<Event> = Vec::new();
    for event in corpus.iter().flat_map(said) {
        if !probes.contains(&event) {
            probes.push(event);
        }
    }
    for case in &corpus {
        let (refused, before) = case.refused.split_last().unwrap();
        let twin = || {
            let mut ledger = ledger(case);
            before.iter().for_each(|event| ledger.admit(event).unwrap());
            ledger
        };
        for probe in &probes {
            let (mut seen, mut spared) = (twin(), twin());
            seen.admit(refused).unwrap_err();
            let name = &case.name;
            assert_eq!(seen.admit(probe), spared.admit(probe), "{name}: {probe:?}");
            let [seen, spared] = [seen, spared].map(|mut it| it.close_all(Closing::Done));
            assert_eq!(seen, spared, "{name}: {probe:?}");
        }
    }
}

#[test]
fn a_violation_says_what_was_done_and_what_to_do_instead() {
    let mut ledger = ledger_after(&events("run; text m1"));
    let violation = ledger.admit(&words::done()).unwrap_err();
    assert_eq!(
        violation.to_string(),
        r#"RUN_FINISHED refused by rule still-open ("m1"): end it first"#
    );
}

#[test]
fn what_is_open_is_named_in_the_order_in_which_clients_look() {
    let all = "run; agent a; call c; span q; thought p; text m; step s";
    let mut ledger = ledger_after(&events(all));
    for (name, end) in [
        ("s", "step-end s"),
        ("m", "text-end m"),
        ("p", "thought-end p"),
        ("q", "span-end q"),
        ("c", "call-end c"),
        ("a", "agent-end a"),
    ] {
        let violation = ledger.admit(&words::done()).unwrap_err();
        assert_eq!(violation.id.as_deref(), Some(name));
        ledger.admit(&events(end)[0]).unwrap();
    }
    ledger.admit(&words::done()).unwrap();
}

#[test]
fn what_is_open_is_closed_newest_first_and_with_its_owner() {
    let opened = events(
        "run; step plan; agent a; text m @a; call c under m @a; span q; thought q; step inner @a; \
         call d; args d",
    );
    let mut ledger = ledger_after(&opened);
    let closed = ledger.close_all(Closing::Done);
    let expected = "call-end d; step-end inner @a; thought-end q; span-end q; args c @a; \
         call-end c @a; text-end m @a; agent-end a; step-end plan";
    assert_eq!(closed, events(expected));
    assert!(ledger.is_closed());
    assert_eq!(ledger.close_all(Closing::Done), []);

    // The ends are themselves in order.
    let mut judge = ledger_after(&[opened, closed].concat());
    assert_eq!(judge.admit(&words::done()), Ok(()));
}

#[test]
fn a_subagent_that_a_stop_or_a_failure_cut_off_did_not_do_its_work() {
    for (why, code) in [
        (Closing::Failed, "run_failed"),
        (Closing::Cancelled, "cancelled"),
    ] {
        let closed = ledger_after(&events("run; agent a")).close_all(why);
        let [Event::SubagentError(error)] = closed.as_slice() else {
            panic!("{closed:?}");
        };
        assert_eq!(error.code.as_deref(), Some(code));
    }
}

#[test]
fn an_empty_argument_is_no_argument() {
    let mut ledger = ledger_after(&events("run; call c"));
    ledger.admit(&ToolCallArgs::new("c", "").into()).unwrap();
    assert_eq!(
        ledger.close_all(Closing::Done),
        events("args c; call-end c")
    );
}

#[test]
fn ten_thousand_open_items_of_a_kind_cost_no_search() {
    // Quadratic work would be 10^8 comparisons a kind.
    let ids = || (0..10_000).map(|number| number.to_string());
    for (open, close) in [
        ("text", "text-end"),
        ("call", "call-end"),
        ("thought", "thought-end"),
        ("step", "step-end"),
        ("agent", "agent-end"),
    ] {
        let mut ledger = ledger_after(&events("run"));
        for verb in [open, close] {
            for id in ids() {
                ledger.admit(&events(&format!("{verb} {id}"))[0]).unwrap();
            }
        }
        ledger.admit(&words::done()).unwrap();
    }
}

proptest! {
    #[test]
    fn a_ledger_that_saw_refused_events_judges_as_one_that_did_not(
        said in prop::collection::vec(script::any_event(), 0..80),
    ) {
        let (mut seen, mut spared) = (ledger_after(&events("run")), ledger_after(&events("run")));
        for event in &said {
            if seen.admit(event).is_ok() {
                prop_assert_eq!(spared.admit(event), Ok(()));
            }
        }
        let [seen, spared] = [seen, spared].map(|mut it| it.close_all(Closing::Failed));
        prop_assert_eq!(seen, spared);
    }

    #[test]
    fn after_closing_everything_an_active_run_may_finish(
        said in prop::collection::vec(script::any_event(), 0..80),
    ) {
        let mut ledger = ledger_after(&events("run"));
        let mut admitted = events("run");
        admitted.extend(said.into_iter().filter(|event| ledger.admit(event).is_ok()));
        if ledger.is_active() {
            let started = |event: &&Event| matches!(event, Event::RunStarted(_));
            let runs = admitted.iter().filter(started).count();
            let done = words::done_of("t", if runs == 1 { "r" } else { "r2" });
            admitted.extend(ledger.close_all(Closing::Done));
            prop_assert_eq!(ledger.admit(&done), Ok(()));
            // A ledger that reads the same stream agrees.
            prop_assert_eq!(ledger_after(&admitted).admit(&done), Ok(()));
        }
    }
}
