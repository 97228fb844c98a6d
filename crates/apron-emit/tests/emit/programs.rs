//! Random programs over everything that a run can say, in several tasks, read at any pace and
//! ended at any point.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use apron_emit::{
    BoxError, EndedToolCall, Failure, Outcome, Reasoning, Run, RunOptions, Step, Stopper,
    TextMessage, ToolCall, split, stream_with,
};
use apron_protocol::Event;
use futures_util::stream::{self as streams, StreamExt};
use futures_util::{FutureExt, Stream};
use proptest::prelude::*;

use crate::check::check;
use crate::script;
use crate::support::{Answer, Flag, Tasks, cases, input, yield_now};

/// One step of a task. Numbers name places that hold handles.
#[derive(Clone, Debug)]
enum Op {
    Text(usize),
    TextNamed(usize, &'static str),
    Reasoning(usize),
    Call(usize),
    CallNamed(usize, &'static str),
    Step(usize, &'static str),
    Push(usize),
    PushNothing(usize),
    /// Polls a push once and drops it.
    PushAbandoned(usize),
    EndMessage(usize),
    Encrypted(usize),
    End(usize),
    Answer(usize),
    Drop(usize),
    Forget(usize),
    Custom,
    Emit(Event),
    Relay(usize, Ending),
    /// Polls a relay so often and drops it.
    RelayAbandoned(usize, usize),
    Yield,
    Stop,
}

#[derive(Clone, Copy, Debug)]
enum Ending {
    Nothing,
    Done,
    Error,
    Fault,
}

/// How the agent ends when it has done its steps.
#[derive(Clone, Copy, Debug)]
enum Last {
    Success,
    Fail,
    Panic,
    Hang,
}

#[derive(Clone, Debug)]
struct Program {
    agent: Vec<Op>,
    last: Last,
    others: Vec<Vec<Op>>,
    /// Which of those who are awake goes next; a multiple of three lets the reader read.
    schedule: Vec<usize>,
    budget: usize,
    inline: bool,
    /// The reader leaves after so many events.
    leaves: Option<usize>,
}

fn any_op() -> impl Strategy<Value = Op> {
    let place = || 0..3_usize;
    let id = || prop::sample::select(vec!["m", "n", "c", "q", "r:a1", "r:c1", "r:r1"]);
    let ending = prop::sample::select(vec![
        Ending::Nothing,
        Ending::Done,
        Ending::Error,
        Ending::Fault,
    ]);
    prop_oneof![
        4 => place().prop_map(Op::Text),
        1 => (place(), id()).prop_map(|(place, id)| Op::TextNamed(place, id)),
        3 => place().prop_map(Op::Reasoning),
        3 => place().prop_map(Op::Call),
        1 => (place(), id()).prop_map(|(place, id)| Op::CallNamed(place, id)),
        1 => (place(), id()).prop_map(|(place, id)| Op::Step(place, id)),
        12 => place().prop_map(Op::Push),
        1 => place().prop_map(Op::PushNothing),
        2 => place().prop_map(Op::PushAbandoned),
        1 => place().prop_map(Op::EndMessage),
        1 => place().prop_map(Op::Encrypted),
        2 => place().prop_map(Op::End),
        2 => place().prop_map(Op::Answer),
        1 => place().prop_map(Op::Drop),
        1 => place().prop_map(Op::Forget),
        1 => Just(Op::Custom),
        3 => script::any_event().prop_map(Op::Emit),
        2 => (0..6_usize, ending).prop_map(|(lines, ending)| Op::Relay(lines, ending)),
        1 => (0..6_usize, 0..4_usize).prop_map(|(lines, polls)| Op::RelayAbandoned(lines, polls)),
        3 => Just(Op::Yield),
    ]
}

fn any_program() -> impl Strategy<Value = Program> {
    let ops = |most| prop::collection::vec(any_op(), 0..most);
    let last = prop::sample::select(vec![Last::Success, Last::Fail, Last::Panic, Last::Hang]);
    (
        ops(25),
        last,
        prop::collection::vec(ops(15), 0..3),
        prop::option::weighted(0.2, 0..25_usize),
        prop::collection::vec(any::<usize>(), 1..40),
        prop::sample::select(vec![0, 1, 300, 2_000, 100_000]),
        any::<bool>(),
        prop::option::weighted(0.1, 0..30_usize),
    )
        .prop_map(
            |(mut agent, last, others, stop, schedule, budget, inline, leaves)| {
                if let Some(at) = stop {
                    agent.insert(at.min(agent.len()), Op::Stop);
                }
                Program {
                    agent,
                    last,
                    others,
                    schedule,
                    budget,
                    inline,
                    leaves,
                }
            },
        )
}

/// What every handle has said and been told that it was sent.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<String>>>);

impl Record {
    fn handle(&self) -> usize {
        let mut said = self.0.lock().unwrap();
        said.push(String::new());
        said.len() - 1
    }

    fn word(&self, handle: usize) -> String {
        format!("<{handle}.{}>", self.0.lock().unwrap()[handle].len())
    }

    fn acknowledge(&self, handle: usize, word: &str) {
        self.0.lock().unwrap()[handle] += word;
    }
}

enum Handle {
    Text(TextMessage),
    Reasoning(Reasoning),
    Call(ToolCall),
    Ended(EndedToolCall),
    Step(Step),
}

/// A task in the middle of its steps.
struct Actor {
    run: Run,
    record: Record,
    places: [Option<(Handle, usize)>; 3],
}

impl Actor {
    fn new(run: Run, record: Record) -> Self {
        Self {
            run,
            record,
            places: [const { None }; 3],
        }
    }

    fn keep(&mut self, place: usize, handle: Handle) {
        self.places[place] = Some((handle, self.record.handle()));
    }

    async fn perform(&mut self, ops: Vec<Op>) {
        for op in ops {
            self.act(op).await;
        }
    }

    async fn act(&mut self, op: Op) {
        let run = self.run.clone();
        match op {
            Op::Text(place) => self.keep(place, Handle::Text(run.text())),
            Op::TextNamed(place, id) => self.keep(place, Handle::Text(run.text().with_id(id))),
            Op::Reasoning(place) => self.keep(place, Handle::Reasoning(run.reasoning())),
            Op::Call(place) => {
                if let Ok(call) = run.tool_call("f").await {
                    self.keep(place, Handle::Call(call));
                }
            }
            Op::CallNamed(place, id) => {
                if let Ok(call) = run.tool_call_with(id, "f", None).await {
                    self.keep(place, Handle::Call(call));
                }
            }
            Op::Step(place, name) => {
                if let Ok(step) = run.step(name).await {
                    self.keep(place, Handle::Step(step));
                }
            }
            Op::Push(place) => self.push(place).await,
            Op::PushNothing(place) => {
                if let Some((Handle::Text(text), _)) = &mut self.places[place] {
                    text.push("").await.unwrap();
                }
            }
            Op::PushAbandoned(place) => self.push_once(place),
            Op::EndMessage(place) => {
                if let Some((Handle::Reasoning(reasoning), _)) = &mut self.places[place] {
                    reasoning.end_message();
                }
            }
            Op::Encrypted(place) => {
                if let Some((Handle::Reasoning(reasoning), _)) = &mut self.places[place] {
                    let _ = reasoning.encrypted("secret").await;
                }
            }
            Op::End(place) => self.end(place).await,
            Op::Answer(place) => match self.places[place].take() {
                Some((Handle::Ended(call), _)) => {
                    let _ = call.result("answer").await;
                }
                Some((Handle::Call(call), _)) => {
                    let _ = call.result("answer").await;
                }
                other => self.places[place] = other,
            },
            Op::Drop(place) => self.places[place] = None,
            Op::Forget(place) => std::mem::forget(self.places[place].take()),
            Op::Custom => drop(run.custom("c", 1).await),
            Op::Emit(event) => drop(run.emit(event).await),
            Op::Relay(lines, ending) => drop(run.relay(self.source(lines, ending)).await),
            Op::RelayAbandoned(lines, polls) => {
                let mut relay = Box::pin(run.relay(self.source(lines, Ending::Done)));
                for _ in 0..polls {
                    if futures_util::poll!(&mut relay).is_ready() {
                        break;
                    }
                }
            }
            Op::Yield => yield_now().await,
            Op::Stop => run.stopper().stop(),
        }
    }

    async fn push(&mut self, place: usize) {
        let Some((handle, number)) = &mut self.places[place] else {
            return;
        };
        let word = self.record.word(*number);
        let pushed = match handle {
            Handle::Text(text) => text.push(&*word).await,
            Handle::Reasoning(reasoning) => reasoning.push(&*word).await,
            Handle::Call(call) => call.push(&*word).await,
            Handle::Ended(_) | Handle::Step(_) => return,
        };
        if pushed.is_ok() {
            self.record.acknowledge(*number, &word);
        }
    }

    fn push_once(&mut self, place: usize) {
        let Some((handle, number)) = &mut self.places[place] else {
            return;
        };
        let word = self.record.word(*number);
        let pushed = match handle {
            Handle::Text(text) => text.push(&*word).now_or_never(),
            Handle::Reasoning(reasoning) => reasoning.push(&*word).now_or_never(),
            Handle::Call(call) => call.push(&*word).now_or_never(),
            Handle::Ended(_) | Handle::Step(_) => return,
        };
        if let Some(Ok(())) = pushed {
            self.record.acknowledge(*number, &word);
        }
    }

    async fn end(&mut self, place: usize) {
        let Some((handle, number)) = self.places[place].take() else {
            return;
        };
        match handle {
            Handle::Text(text) => drop(text.end().await),
            Handle::Reasoning(reasoning) => drop(reasoning.end().await),
            Handle::Call(call) => {
                if let Ok(ended) = call.end().await {
                    self.places[place] = Some((Handle::Ended(ended), number));
                }
            }
            Handle::Ended(_) => {}
            Handle::Step(step) => drop(step.end().await),
        }
    }

    /// A source with ids of its own, which leaves open what it does not get to end.
    fn source(&self, lines: usize, ending: Ending) -> impl Stream<Item = Event> + Send + use<> {
        let id = format!("s{}", self.record.handle());
        let said = format!(
            "agent {id}; text {id}t @{id}; content {id}t; call {id}c; args {id}c; thought {id}q"
        );
        let mut said = script::events(&said);
        said.truncate(lines);
        match ending {
            Ending::Nothing => {}
            Ending::Done => said.extend(script::events("done")),
            Ending::Error => said.extend(script::events("error")),
            Ending::Fault => said.extend(script::events("content nowhere")),
        }
        streams::iter(said)
            .then(async |event| {
                yield_now().await;
                event
            })
            .boxed()
    }
}

async fn agent(run: Run, program: Program, record: Record) -> Answer {
    let mut actor = Actor::new(run, record);
    actor.perform(program.agent).await;
    match program.last {
        Last::Success => Ok(Outcome::success()),
        Last::Fail => Err(BoxError::from(Failure::new(
            "program",
            "As the program says.",
        ))),
        Last::Panic => std::panic::resume_unwind(Box::new("as the program says")),
        Last::Hang => std::future::pending().await,
    }
}

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
