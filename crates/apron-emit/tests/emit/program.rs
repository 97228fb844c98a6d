//! Programs: what a task may do with a run, at random.

use std::sync::{Arc, Mutex};

use apron_emit::{
    BoxError, EndedToolCall, Failure, Outcome, Reasoning, Run, Step, TextMessage, ToolCall,
};
use apron_protocol::Event;
use futures_util::stream::{self as streams, StreamExt};
use futures_util::{FutureExt, Stream};
use proptest::prelude::*;

use crate::script;
use crate::support::{Answer, yield_now};

/// One step of a task. Numbers name places that hold handles.
#[derive(Clone, Debug)]
pub(crate) enum Op {
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
pub(crate) enum Ending {
    Nothing,
    Done,
    Error,
    Fault,
}

/// How the agent ends when it has done its steps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Last {
    Success,
    Fail,
    Panic,
    Hang,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) agent: Vec<Op>,
    pub(crate) last: Last,
    pub(crate) others: Vec<Vec<Op>>,
    /// Which of those who are awake goes next; a multiple of three lets the reader read.
    pub(crate) schedule: Vec<usize>,
    pub(crate) budget: usize,
    pub(crate) inline: bool,
    /// The reader leaves after so many events.
    pub(crate) leaves: Option<usize>,
}

pub(crate) fn any_op() -> impl Strategy<Value = Op> {
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

pub(crate) fn any_program() -> impl Strategy<Value = Program> {
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
pub(crate) struct Record(pub(crate) Arc<Mutex<Vec<String>>>);

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

pub(crate) enum Handle {
    Text(TextMessage),
    Reasoning(Reasoning),
    Call(ToolCall),
    Ended(EndedToolCall),
    Step(Step),
}

/// A task in the middle of its steps.
pub(crate) struct Actor {
    run: Run,
    record: Record,
    places: [Option<(Handle, usize)>; 3],
}

impl Actor {
    pub(crate) fn new(run: Run, record: Record) -> Self {
        Self {
            run,
            record,
            places: [const { None }; 3],
        }
    }

    fn keep(&mut self, place: usize, handle: Handle) {
        self.places[place] = Some((handle, self.record.handle()));
    }

    pub(crate) async fn perform(&mut self, ops: Vec<Op>) {
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

pub(crate) async fn agent(run: Run, program: Program, record: Record) -> Answer {
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
