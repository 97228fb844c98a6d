//! Driving runs by hand, and telling streams in few words.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use apron_emit::{BoxError, Ending, Error, Outcome, Rule, Run, RunOptions, split, stream};
use apron_protocol::{Content, Event, RunAgentInput, RunOutcome, TokenUsage};
use futures_util::Stream;

pub(crate) type Answer = Result<Outcome, BoxError>;

pub(crate) fn input() -> RunAgentInput {
    RunAgentInput::new("t", "r")
}

/// A waker that counts.
#[derive(Default)]
pub(crate) struct Flag {
    woken: AtomicBool,
    wakes: AtomicUsize,
}

impl Flag {
    pub(crate) fn take(&self) -> bool {
        self.woken.swap(false, Ordering::SeqCst)
    }

    pub(crate) fn wakes(&self) -> usize {
        self.wakes.load(Ordering::SeqCst)
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::SeqCst);
        self.wakes.fetch_add(1, Ordering::SeqCst);
    }
}

/// One poll of a future, whatever it wakes.
pub(crate) fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// One poll of a stream, whatever it wakes.
pub(crate) fn next_once<S: Stream + Unpin>(stream: &mut S) -> Poll<Option<S::Item>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

/// Reads to the end. Panics when nobody is left to wake the reader, so that nothing hangs.
pub(crate) fn drain<S: Stream>(stream: S) -> Vec<S::Item> {
    let mut stream = pin!(stream);
    let flag = Arc::new(Flag::default());
    let waker = Waker::from(Arc::clone(&flag));
    let mut items = Vec::new();
    loop {
        match stream.as_mut().poll_next(&mut Context::from_waker(&waker)) {
            Poll::Ready(Some(item)) => items.push(item),
            Poll::Ready(None) => return items,
            Poll::Pending => assert!(flag.take(), "nobody wakes the reader"),
        }
    }
}

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Puts tasks on the hand executor, also from inside a task.
#[derive(Clone, Default)]
pub(crate) struct Spawner(Arc<Mutex<VecDeque<Job>>>);

impl Spawner {
    pub(crate) fn spawn(&self, job: impl Future<Output = ()> + Send + 'static) {
        self.0.lock().unwrap().push_back(Box::pin(job));
    }
}

/// An executor that polls what was woken, in the order that its caller picks.
#[derive(Default)]
pub(crate) struct Tasks {
    tasks: Vec<(Option<Job>, Arc<Awake>)>,
    awake: Arc<Mutex<VecDeque<usize>>>,
    spawner: Spawner,
}

/// The waker of a task: puts it in the queue, once.
struct Awake {
    task: usize,
    queued: AtomicBool,
    queue: Arc<Mutex<VecDeque<usize>>>,
}

impl Wake for Awake {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, Ordering::SeqCst) {
            self.queue.lock().unwrap().push_back(self.task);
        }
    }
}

impl Tasks {
    pub(crate) fn spawner(&self) -> Spawner {
        self.spawner.clone()
    }

    pub(crate) fn spawn(&mut self, job: impl Future<Output = ()> + Send + 'static) -> usize {
        let task = self.tasks.len();
        let awake = Arc::new(Awake {
            task,
            queued: AtomicBool::new(false),
            queue: Arc::clone(&self.awake),
        });
        Arc::clone(&awake).wake();
        self.tasks.push((Some(Box::pin(job)), awake));
        task
    }

    /// Drops a task.
    pub(crate) fn abort(&mut self, task: usize) {
        self.tasks[task].0 = None;
    }

    pub(crate) fn is_done(&self, task: usize) -> bool {
        self.tasks[task].0.is_none()
    }

    /// Polls until nobody is awake.
    pub(crate) fn run(&mut self) {
        while self.step(0) {}
    }

    /// Polls one of those who are awake; false when all sleep.
    pub(crate) fn step(&mut self, choose: usize) -> bool {
        loop {
            let Some(job) = self.spawner.0.lock().unwrap().pop_front() else {
                break;
            };
            self.spawn(job);
        }
        let task = {
            let mut awake = self.awake.lock().unwrap();
            let choice = choose % awake.len().max(1);
            awake.remove(choice)
        };
        let Some(task) = task else { return false };
        let (job, awake) = &mut self.tasks[task];
        awake.queued.store(false, Ordering::SeqCst);
        let waker = Waker::from(Arc::clone(awake));
        let polled = job
            .as_mut()
            .map(|job| job.as_mut().poll(&mut Context::from_waker(&waker)));
        if polled.is_some_and(|polled| polled.is_ready()) {
            *job = None;
        }
        true
    }
}

/// Runs an agent in both ways; they say the same.
pub(crate) fn both<Fut>(agent: impl Fn(Run) -> Fut + Clone + Send + 'static) -> Vec<Event>
where
    Fut: Future<Output = Answer> + Send + 'static,
{
    let inline = drain(stream(input(), agent.clone()));
    let mut tasks = Tasks::default();
    let (driver, events) = split(input(), RunOptions::new(), agent);
    tasks.spawn(driver);
    assert_eq!(read(&mut tasks, events), inline);
    inline
}

/// Runs the tasks and reads the events to their end.
pub(crate) fn read<S: Stream>(tasks: &mut Tasks, events: S) -> Vec<S::Item> {
    let mut events = pin!(events);
    let flag = Arc::new(Flag::default());
    let waker = Waker::from(Arc::clone(&flag));
    let mut items = Vec::new();
    loop {
        match events.as_mut().poll_next(&mut Context::from_waker(&waker)) {
            Poll::Ready(Some(item)) => items.push(item),
            Poll::Ready(None) => return items,
            Poll::Pending => {
                tasks.run();
                assert!(flag.take(), "nobody wakes the reader");
            }
        }
    }
}

/// Pending once, and awake again: what executors call a yield.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A stream in the words of `ordering.txt`, with what was said.
pub(crate) fn tell(events: &[Event]) -> String {
    let told: Vec<String> = events.iter().map(tell_one).collect();
    told.join("; ")
}

fn tell_one(event: &Event) -> String {
    let told = match event {
        Event::RunStarted(_) => "run".to_owned(),
        Event::RunFinished(event) => match &event.outcome {
            Some(RunOutcome::Success {
                pending_tool_call_ids: ids,
            }) if ids.is_empty() => "done".to_owned(),
            Some(RunOutcome::Success {
                pending_tool_call_ids: ids,
            }) => {
                let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
                format!("done pending {}", ids.join(" "))
            }
            Some(RunOutcome::Interrupt { interrupts }) => {
                let ids: Vec<&str> = interrupts.iter().map(|it| it.id.as_str()).collect();
                format!("done interrupt {}", ids.join(" "))
            }
            Some(RunOutcome::Cancelled) => "done cancelled".to_owned(),
            other => format!("done {other:?}"),
        },
        Event::RunError(event) => format!("error {}", event.code.as_deref().unwrap_or("-")),
        Event::TextMessageStart(event) => format!("text {}", event.message_id),
        Event::TextMessageContent(event) => format!("content {} {}", event.message_id, event.delta),
        Event::TextMessageEnd(event) => format!("text-end {}", event.message_id),
        Event::ToolCallStart(event) => match &event.parent_message_id {
            Some(parent) => format!("call {} under {parent}", event.tool_call_id),
            None => format!("call {}", event.tool_call_id),
        },
        Event::ToolCallArgs(event) => format!("args {} {}", event.tool_call_id, event.delta),
        Event::ToolCallEnd(event) => format!("call-end {}", event.tool_call_id),
        Event::ToolCallResult(event) => {
            let content = match &event.content {
                Content::Text(text) => text,
                Content::Parts(_) => "parts",
            };
            format!(
                "result {} for {} {content}",
                event.message_id, event.tool_call_id
            )
        }
        Event::ReasoningStart(event) => format!("span {}", event.message_id),
        Event::ReasoningEnd(event) => format!("span-end {}", event.message_id),
        Event::ReasoningMessageStart(event) => format!("thought {}", event.message_id),
        Event::ReasoningMessageContent(event) => {
            format!("thinking {} {}", event.message_id, event.delta)
        }
        Event::ReasoningMessageEnd(event) => format!("thought-end {}", event.message_id),
        Event::ReasoningEncryptedValue(event) => {
            format!("hidden {} {}", event.entity_id, event.encrypted_value)
        }
        Event::StepStarted(event) => format!("step {}", event.step_name),
        Event::StepFinished(event) => format!("step-end {}", event.step_name),
        Event::SubagentStarted(event) => format!("agent {}", event.subagent_run_id),
        Event::SubagentFinished(event) => format!("agent-end {}", event.subagent_run_id),
        Event::SubagentError(event) => format!("agent-error {}", event.subagent_run_id),
        Event::Custom(event) => format!("custom {}", event.name),
        Event::Raw(_) => "raw".to_owned(),
        other => other.event_type().to_string(),
    };
    match event.subagent_run_id() {
        Some(owner) if !told.starts_with("agent") => format!("{told} @{owner}"),
        _ => told,
    }
}

/// How many random cases a property takes: few by default, more in CI.
pub(crate) fn cases() -> u32 {
    let cases = std::env::var("APRON_PROP_CASES").ok();
    cases.map_or(256, |cases| cases.parse().unwrap())
}

/// Tokens of a model.
pub(crate) fn used(model: &str, tokens: u64) -> TokenUsage {
    let mut usage = TokenUsage::new("provider", model);
    usage.input_tokens = Some(tokens);
    usage
}

/// Options with a hook that notes how the run ended.
pub(crate) fn noting() -> (RunOptions, Arc<Mutex<Vec<String>>>) {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&noted);
    let options = RunOptions::new().on_end(move |ending| {
        notes.lock().unwrap().push(match ending {
            Ending::Finished(_) => "finished".to_owned(),
            Ending::Failed(failure) => format!("failed {}", failure.code()),
            Ending::Cancelled => "cancelled".to_owned(),
            Ending::Disconnected => "disconnected".to_owned(),
            other => format!("{other:?}"),
        });
    });
    (options, noted)
}

/// The rule that was broken.
pub(crate) fn rule_of<T: std::fmt::Debug>(refused: Result<T, Error>) -> Rule {
    match refused {
        Err(Error::Violation(violation)) => violation.rule,
        other => panic!("{other:?}"),
    }
}
