//! Agents, tasks, readers, stops and panics at once.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use apron_protocol::{Custom, Event, RunAgentInput};
use futures_util::stream::{self as streams, StreamExt};
use futures_util::{FutureExt, poll};
use shuttle::future::{JoinHandle, block_on, spawn};

use crate::check::check;
use crate::error::Error;
use crate::options::{Ending, RunOptions};
use crate::outcome::Outcome;
use crate::run::{Run, Stopper};
use crate::stream::{split, stream_with};

/// Tries `race` in many orders.
fn in_any_order(race: impl Fn() + Send + Sync + 'static) {
    let orders = std::env::var("APRON_SCHEDULES").ok();
    let orders = orders.map_or(2_000, |orders| orders.parse().unwrap());
    // Half of them are wild, half change the running thread at few and chosen places.
    let race = Arc::new(race);
    let wild = Arc::clone(&race);
    shuttle::check_random(move || wild(), orders / 2);
    shuttle::check_pct(move || race(), orders / 2, 3);
}

fn input() -> RunAgentInput {
    RunAgentInput::new("t", "r")
}

/// Room for the start and one event, so that whoever speaks soon waits.
fn narrow() -> RunOptions {
    RunOptions::new().with_budget(150)
}

/// Speaks two words and gives one up half-way. True when all it said was sent.
async fn speak(run: Run) -> Result<(), Error> {
    let mut text = run.text();
    text.push("one").await?;
    let abandoned = text.push("abandoned").now_or_never();
    text.push("two").await?;
    abandoned.unwrap_or(Ok(()))
}

/// Tasks that may outlive the agent, joined before an order is over.
#[derive(Clone, Default)]
struct Crew {
    tasks: Arc<Mutex<Vec<JoinHandle<()>>>>,
    working: Arc<Mutex<Working>>,
}

#[derive(Default)]
struct Working {
    tasks: usize,
    foreman: Option<Waker>,
}

impl Crew {
    fn spawn(&self, job: impl Future<Output = ()> + Send + 'static) {
        self.working.lock().unwrap().tasks += 1;
        let working = Arc::clone(&self.working);
        let task = spawn(async move {
            job.await;
            let foreman = {
                let mut working = working.lock().unwrap();
                working.tasks -= 1;
                working.foreman.take()
            };
            if let Some(foreman) = foreman {
                foreman.wake();
            }
        });
        self.tasks.lock().unwrap().push(task);
    }

    /// Has another task speak; how far it comes is nobody's concern.
    fn speak(&self, run: &Run) {
        let run = run.clone();
        self.spawn(async move {
            let _ = speak(run).await;
        });
    }

    /// Waits for all, from inside an agent. (A join handle of the scheduler's wakes under a lock of
    /// its own, which the waker of a stream does not bear.)
    fn done(&self) -> impl Future<Output = ()> + Send + use<> {
        let working = Arc::clone(&self.working);
        std::future::poll_fn(move |context| {
            let mut working = working.lock().unwrap();
            if working.tasks == 0 {
                return Poll::Ready(());
            }
            working.foreman = Some(context.waker().clone());
            Poll::Pending
        })
    }

    fn join(self) {
        loop {
            let Some(task) = self.tasks.lock().unwrap().pop() else {
                break;
            };
            block_on(task).unwrap();
        }
    }
}

fn words(events: &[Event]) -> usize {
    let word = |event: &&Event| matches!(event, Event::TextMessageContent(event) if *event.delta != *"abandoned");
    events.iter().filter(word).count()
}

#[test]
fn tasks_and_agent_inside_the_stream() {
    in_any_order(|| {
        let crew = Crew::default();
        let hired = crew.clone();
        let stream = stream_with(input(), narrow(), move |run| async move {
            hired.speak(&run);
            hired.speak(&run);
            speak(run.clone()).await?;
            hired.done().await;
            Ok(Outcome::success())
        });
        let events: Vec<Event> = block_on(stream.collect());
        crew.join();
        check(&events);
        assert_eq!(words(&events), 6);
    });
}

#[test]
fn tasks_agent_and_reader_each_on_their_own() {
    in_any_order(|| {
        let crew = Crew::default();
        let hired = crew.clone();
        let (driver, events) = split(input(), narrow(), move |run| async move {
            hired.speak(&run);
            hired.speak(&run);
            let source = streams::iter([Event::from(Custom::new("c", 1))]);
            let outcome = run.relay(source).await?;
            hired.done().await;
            Ok(outcome)
        });
        let driver = spawn(driver);
        let events: Vec<Event> = block_on(events.collect());
        block_on(driver).unwrap();
        crew.join();
        check(&events);
        assert_eq!(words(&events), 4);
    });
}

/// What a hook was told.
fn noting() -> (RunOptions, Arc<Mutex<Vec<&'static str>>>) {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&noted);
    let options = narrow().on_end(move |ending| {
        notes.lock().unwrap().push(match ending {
            Ending::Finished(_) => "finished",
            Ending::Failed(_) => "failed",
            Ending::Cancelled => "cancelled",
            Ending::Disconnected => "disconnected",
        });
    });
    (options, noted)
}

#[test]
fn a_stop_at_any_time() {
    in_any_order(|| {
        let (options, noted) = noting();
        let crew = Crew::default();
        let hired = crew.clone();
        let (give, given) = shuttle::sync::mpsc::channel::<Stopper>();
        let (driver, events) = split(input(), options, move |run| async move {
            give.send(run.stopper()).unwrap();
            let child = run.clone();
            hired.spawn(async move {
                // Hears of the stop, and of the end that came without one.
                child.cancelled().await;
                assert!(child.is_cancelled());
            });
            // The run ends while the task may still speak.
            hired.speak(&run);
            speak(run).await?;
            Ok(Outcome::success())
        });
        let driver = spawn(driver);
        let stopper = shuttle::thread::spawn(move || given.recv().unwrap().stop());
        let events: Vec<Event> = block_on(events.collect());
        block_on(driver).unwrap();
        stopper.join().unwrap();
        crew.join();
        check(&events);
        let noted = noted.lock().unwrap();
        assert!(
            *noted == ["finished"] || *noted == ["cancelled"],
            "{noted:?}"
        );
    });
}

#[test]
fn a_stop_of_an_agent_that_waits_for_ever_inside_the_stream() {
    in_any_order(|| {
        let (give, given) = shuttle::sync::mpsc::channel::<Stopper>();
        let stream = stream_with(input(), narrow(), move |run| async move {
            give.send(run.stopper()).unwrap();
            speak(run.clone()).await?;
            std::future::pending::<()>().await;
            Ok(Outcome::success())
        });
        let stopper = shuttle::thread::spawn(move || given.recv().unwrap().stop());
        let events: Vec<Event> = block_on(stream.collect());
        stopper.join().unwrap();
        check(&events);
    });
}

#[test]
fn a_reader_that_leaves_at_any_time() {
    in_any_order(|| {
        let (options, noted) = noting();
        let crew = Crew::default();
        let hired = crew.clone();
        let (driver, mut events) = split(input(), options, move |run| async move {
            hired.speak(&run);
            hired.speak(&run);
            speak(run.clone()).await?;
            run.cancelled().await;
            Ok(Outcome::success())
        });
        let driver = spawn(driver);
        let reader = spawn(async move {
            for _ in 0..3 {
                let _ = events.next().await;
            }
            drop(events);
        });
        block_on(reader).unwrap();
        block_on(driver).unwrap();
        // Nobody waits for ever.
        crew.join();
        assert_eq!(*noted.lock().unwrap(), ["disconnected"]);
    });
}

#[test]
fn a_driver_that_is_dropped_at_any_time() {
    in_any_order(|| {
        let crew = Crew::default();
        let hired = crew.clone();
        let (driver, events) = split(input(), narrow(), move |run| async move {
            hired.speak(&run);
            speak(run.clone()).await?;
            run.cancelled().await;
            Ok(Outcome::success())
        });
        let driver = spawn(async move {
            let mut driver = Box::pin(driver);
            for _ in 0..3 {
                if poll!(&mut driver).is_ready() {
                    break;
                }
                shuttle::future::yield_now().await;
            }
        });
        let events: Vec<Event> = block_on(events.collect());
        block_on(driver).unwrap();
        crew.join();
        check(&events);
    });
}

#[test]
fn a_panic_of_the_agent_while_others_wait() {
    in_any_order(|| {
        let (options, noted) = noting();
        let crew = Crew::default();
        let hired = crew.clone();
        let (driver, events) = split(input(), options, move |run| async move {
            hired.speak(&run);
            hired.speak(&run);
            speak(run).await?;
            // As a panic, without its report.
            std::panic::resume_unwind(Box::new("planned"))
        });
        let driver = spawn(driver);
        let events: Vec<Event> = block_on(events.collect());
        block_on(driver).unwrap();
        crew.join();
        check(&events);
        assert_eq!(*noted.lock().unwrap(), ["failed"]);
    });
}
