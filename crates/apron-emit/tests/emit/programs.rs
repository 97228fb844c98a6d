//! Random programs over everything that a run can say, in several tasks, read at any pace and
//! ended at any point.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use apron_emit::{Run, RunOptions, Stopper, split, stream_with};
use apron_protocol::Event;
use futures_util::Stream;
use proptest::prelude::*;

use crate::check::check;
use crate::program::{Actor, Last, Op, Program, Record, agent, any_program};
use crate::support::{Flag, Tasks, cases, input};

/// Runs a program and gives what was read, whether it was read to its end, and the record.
fn execute(program: &Program) -> (Vec<Event>, bool, Record) {
    let record = Record::default();
    let stopper: Arc<Mutex<Option<Stopper>>> = Arc::default();
    let mut tasks = Tasks::default();
    let act = {
        let (program, record, stopper) = (program.clone(), record.clone(), Arc::clone(&stopper));
        let spawner = tasks.spawner();
        move |run: Run| {
            *stopper.lock().unwrap() = Some(run.stopper());
            for ops in program.others.clone() {
                let mut actor = Actor::new(run.clone(), record.clone());
                spawner.spawn(async move { actor.perform(ops).await });
            }
            agent(run, program, record)
        }
    };
    let options = RunOptions::new().with_budget(program.budget);
    let events: Pin<Box<dyn Stream<Item = Event>>> = if program.inline {
        Box::pin(stream_with(input(), options, act))
    } else {
        let (driver, events) = split(input(), options, act);
        tasks.spawn(driver);
        Box::pin(events)
    };

    let mut events = Some(events);
    let mut read = Vec::new();
    let mut ended = false;
    let flag = Arc::new(Flag::default());
    let waker = Waker::from(Arc::clone(&flag));
    let mut awake = true;
    for turn in 0.. {
        assert!(turn < 1_000_000, "it goes on for ever");
        let choice = program.schedule[turn % program.schedule.len()];
        let reads = choice.is_multiple_of(3);
        awake |= flag.take();
        if !reads && tasks.step(choice) {
            continue;
        }
        let Some(stream) = events.as_mut().filter(|_| awake && !ended) else {
            if tasks.step(choice) {
                continue;
            }
            awake |= flag.take();
            if ended || events.is_none() {
                break;
            }
            if !awake {
                // Everybody sleeps; an agent that hangs is waiting for this.
                let stopper = stopper.lock().unwrap().take();
                assert!(matches!(program.last, Last::Hang), "nobody is awake");
                stopper.expect("one stop is enough").stop();
            }
            continue;
        };
        match stream.as_mut().poll_next(&mut Context::from_waker(&waker)) {
            Poll::Ready(Some(event)) => read.push(event),
            Poll::Ready(None) => ended = true,
            Poll::Pending => awake = false,
        }
        if program.leaves.is_some_and(|leaves| read.len() >= leaves) && !ended {
            events = None;
        }
    }
    (read, ended, record)
}

/// The deltas on the wire that the handle with this number has sent.
fn heard(events: &[Event], number: usize) -> String {
    let ours = format!("<{number}.");
    let deltas = events.iter().filter_map(|event| match event {
        Event::TextMessageContent(event) => Some(event.delta.as_str()),
        Event::ToolCallArgs(event) => Some(event.delta.as_str()),
        Event::ReasoningMessageContent(event) => Some(event.delta.as_str()),
        _ => None,
    });
    deltas.filter(|delta| delta.starts_with(&ours)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn every_program_makes_a_whole_stream_of_what_it_was_told_was_sent(
        program in any_program(),
    ) {
        let (events, ended, record) = execute(&program);
        let said = record.0.lock().unwrap();
        if !ended {
            // Who leaves early has read the beginning of what was said.
            for (number, said) in said.iter().enumerate() {
                prop_assert!(said.starts_with(&heard(&events, number)));
            }
            return Ok(());
        }
        check(&events);
        for (number, said) in said.iter().enumerate() {
            prop_assert_eq!(&heard(&events, number), said);
        }
        let stopped = program.agent.iter().any(|op| matches!(op, Op::Stop));
        let last = crate::support::tell(&events[events.len() - 1..]);
        match program.last {
            // A panic in the very poll that stops is a fault all the same.
            Last::Panic if stopped && last == "error internal_error" => {}
            _ if stopped => prop_assert_eq!(last, "done cancelled"),
            Last::Success => prop_assert!(last.starts_with("done") && last != "done cancelled"),
            Last::Fail => prop_assert_eq!(last, "error program"),
            Last::Panic => prop_assert_eq!(last, "error internal_error"),
            Last::Hang => prop_assert_eq!(last, "done cancelled"),
        }
    }
}

#[test]
fn a_stream_is_polled_to_its_end_by_any_pace() {
    // The harness itself: a program that says one word says one word.
    let program = Program {
        agent: vec![Op::Text(0), Op::Push(0)],
        last: Last::Success,
        others: vec![vec![Op::Custom]],
        schedule: vec![3, 1],
        budget: 1,
        inline: true,
        leaves: None,
    };
    let (events, ended, record) = execute(&program);
    assert!(ended);
    assert_eq!(*record.0.lock().unwrap(), ["<0.0>"]);
    assert_eq!(heard(&events, 0), "<0.0>");
}
