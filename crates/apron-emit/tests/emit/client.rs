//! The order that the official client 1.0.0 checks, written down a second time and from its side:
//! it shares no code with the ledger, so that the one can judge the other.

use std::collections::{HashMap, HashSet};

use apron_protocol::{
    Event, Message, ReasoningEncryptedValueSubtype, SubagentRunId, ToolCallStart,
};

/// `None` is the run's own agent.
type Owner = Option<SubagentRunId>;

/// Follows one stream.
#[derive(Debug, Default)]
pub(crate) struct Client {
    started: bool,
    ended: Option<End>,
    run: Run,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum End {
    Finished,
    Errored,
}

/// What a client forgets when another run starts.
#[derive(Debug, Default)]
struct Run {
    texts: HashSet<String>,
    calls: HashSet<String>,
    spans: HashSet<String>,
    thoughts: HashSet<String>,
    steps: HashSet<(Owner, String)>,
    agents: HashSet<SubagentRunId>,
    past_agents: HashSet<SubagentRunId>,
    message_owners: HashMap<String, Owner>,
    call_owners: HashMap<String, Owner>,
    reasoning_owners: HashMap<String, Owner>,
    activity_owners: HashMap<String, Owner>,
}

type Verdict = Result<(), &'static str>;

fn ensure(holds: bool, complaint: &'static str) -> Verdict {
    if holds { Ok(()) } else { Err(complaint) }
}

impl Client {
    /// True when nothing is open.
    pub(crate) fn is_closed(&self) -> bool {
        self.run.is_closed()
    }

    pub(crate) fn observe(&mut self, event: &Event) -> Verdict {
        let starts = matches!(event, Event::RunStarted(_));
        let fails = matches!(event, Event::RunError(_));
        ensure(
            self.ended != Some(End::Errored) || starts,
            "the run has already errored",
        )?;
        let finished = self.ended == Some(End::Finished);
        ensure(!finished || starts || fails, "the run has already finished")?;
        ensure(
            self.started || self.ended.is_some() || starts || fails,
            "first event",
        )?;
        match event {
            Event::RunStarted(start) => {
                ensure(
                    !self.started || self.ended.is_some(),
                    "a run is still active",
                )?;
                *self = Self {
                    started: true,
                    ..Self::default()
                };
                if let Some(input) = &start.input {
                    for message in &input.messages {
                        self.run.learn(message, false);
                    }
                }
            }
            Event::RunFinished(_) => {
                ensure(self.run.is_closed(), "something is still active")?;
                self.ended = Some(End::Finished);
            }
            Event::RunError(_) => self.ended = Some(End::Errored),
            event => self.run.observe(event)?,
        }
        Ok(())
    }
}

impl Run {
    fn is_closed(&self) -> bool {
        let Self {
            texts,
            calls,
            spans,
            thoughts,
            steps,
            agents,
            ..
        } = self;
        [texts, calls, spans, thoughts]
            .iter()
            .all(|open| open.is_empty())
            && steps.is_empty()
            && agents.is_empty()
    }

    fn observe(&mut self, event: &Event) -> Verdict {
        let tag = event.subagent_run_id().cloned();
        match event {
            Event::TextMessageStart(start) => open(
                &mut self.texts,
                &mut self.message_owners,
                start.message_id.as_str(),
                tag,
            ),
            Event::TextMessageContent(event) => continues(
                &self.texts,
                &self.message_owners,
                event.message_id.as_str(),
                &tag,
            ),
            Event::TextMessageEnd(event) => close(
                &mut self.texts,
                &self.message_owners,
                event.message_id.as_str(),
                &tag,
            ),
            Event::ToolCallStart(start) => self.call(start, tag),
            Event::ToolCallArgs(event) => continues(
                &self.calls,
                &self.call_owners,
                event.tool_call_id.as_str(),
                &tag,
            ),
            Event::ToolCallEnd(event) => close(
                &mut self.calls,
                &self.call_owners,
                event.tool_call_id.as_str(),
                &tag,
            ),
            Event::ToolCallResult(event) => {
                self.message_owners
                    .insert(event.message_id.to_string(), tag);
                Ok(())
            }
            Event::ReasoningStart(event) => open(
                &mut self.spans,
                &mut self.reasoning_owners,
                event.message_id.as_str(),
                tag,
            ),
            Event::ReasoningEnd(event) => close(
                &mut self.spans,
                &self.reasoning_owners,
                event.message_id.as_str(),
                &tag,
            ),
            Event::ReasoningMessageStart(event) => open(
                &mut self.thoughts,
                &mut self.reasoning_owners,
                event.message_id.as_str(),
                tag,
            ),
            Event::ReasoningMessageContent(event) => continues(
                &self.thoughts,
                &self.reasoning_owners,
                event.message_id.as_str(),
                &tag,
            ),
            Event::ReasoningMessageEnd(event) => close(
                &mut self.thoughts,
                &self.reasoning_owners,
                event.message_id.as_str(),
                &tag,
            ),
            Event::ReasoningEncryptedValue(event) => {
                let id = event.entity_id.as_str();
                let owner = match event.subtype {
                    ReasoningEncryptedValueSubtype::ToolCall => self.call_owners.get(id),
                    ReasoningEncryptedValueSubtype::Message => self
                        .message_owners
                        .get(id)
                        .or_else(|| self.reasoning_owners.get(id)),
                };
                agrees(owner, &tag)
            }
            Event::StepStarted(event) => {
                let step = (tag, event.step_name.to_string());
                ensure(self.steps.insert(step), "the step is already active")
            }
            Event::StepFinished(event) => {
                let step = (tag, event.step_name.to_string());
                ensure(self.steps.remove(&step), "the step was not started")
            }
            Event::SubagentStarted(event) => {
                let id = &event.subagent_run_id;
                ensure(!self.agents.contains(id), "the subagent is already active")?;
                ensure(
                    !self.past_agents.contains(id),
                    "the subagent has already finished",
                )?;
                let known = |id| self.agents.contains(id) || self.past_agents.contains(id);
                let parent = event.parent_subagent_run_id.as_ref();
                ensure(parent.is_none_or(known), "the parent has not been started")?;
                self.agents.insert(id.clone());
                Ok(())
            }
            Event::SubagentFinished(event) => self.agent_ends(&event.subagent_run_id),
            Event::SubagentError(event) => self.agent_ends(&event.subagent_run_id),
            Event::ActivitySnapshot(event) => {
                let id = event.message_id.to_string();
                if event.replace != Some(false) || !self.activity_owners.contains_key(&id) {
                    self.activity_owners.insert(id, tag);
                }
                Ok(())
            }
            Event::ActivityDelta(event) => {
                agrees(self.activity_owners.get(event.message_id.as_str()), &tag)
            }
            Event::MessagesSnapshot(event) => {
                event
                    .messages
                    .iter()
                    .for_each(|message| self.learn(message, true));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn call(&mut self, start: &ToolCallStart, tag: Owner) -> Verdict {
        let id = start.tool_call_id.as_str();
        ensure(!self.calls.contains(id), "the call is already in progress")?;
        let known = self.call_owners.get(id);
        let parent = start
            .parent_message_id
            .as_ref()
            .map(|parent| parent.as_str());
        let parent = parent.filter(|parent| !parent.is_empty());
        let parents = parent.and_then(|parent| self.message_owners.get(parent));
        agrees(parents, &tag)?;
        agrees(known, &tag)?;
        if let (None, Some(known), Some(parents)) = (&tag, known, parents) {
            ensure(known == parents, "the parent is not of the call's owner")?;
        }
        let owner = known
            .or(tag.is_some().then_some(&tag))
            .or(parents)
            .cloned()
            .flatten();
        if let Some(parent) = parent {
            self.message_owners
                .entry(parent.to_owned())
                .or_insert_with(|| owner.clone());
        }
        self.calls.insert(id.to_owned());
        self.call_owners.insert(id.to_owned(), owner);
        Ok(())
    }

    fn agent_ends(&mut self, id: &SubagentRunId) -> Verdict {
        ensure(self.agents.remove(id), "no active subagent found")?;
        self.past_agents.insert(id.clone());
        Ok(())
    }

    fn learn(&mut self, message: &Message, overwrite: bool) {
        let owner = message.subagent_run_id().cloned();
        let note = |owners: &mut HashMap<String, Owner>, id: &str| {
            if overwrite || !owners.contains_key(id) {
                owners.insert(id.to_owned(), owner.clone());
            }
        };
        match message {
            Message::Activity(_) => note(&mut self.activity_owners, message.id().as_str()),
            Message::Reasoning(_) => note(&mut self.reasoning_owners, message.id().as_str()),
            _ => note(&mut self.message_owners, message.id().as_str()),
        }
        if let Message::Assistant(assistant) = message {
            for call in &assistant.tool_calls {
                note(&mut self.call_owners, call.id.as_str());
            }
        }
    }
}

/// An explicit tag must be the owner that is known; no tag never disagrees.
fn agrees(owner: Option<&Owner>, tag: &Owner) -> Verdict {
    ensure(
        tag.is_none() || owner.is_none_or(|owner| owner == tag),
        "another owner",
    )
}

fn open(
    open: &mut HashSet<String>,
    owners: &mut HashMap<String, Owner>,
    id: &str,
    tag: Owner,
) -> Verdict {
    ensure(!open.contains(id), "already in progress")?;
    agrees(owners.get(id), &tag)?;
    owners.entry(id.to_owned()).or_insert(tag);
    open.insert(id.to_owned());
    Ok(())
}

fn continues(
    open: &HashSet<String>,
    owners: &HashMap<String, Owner>,
    id: &str,
    tag: &Owner,
) -> Verdict {
    ensure(open.contains(id), "nothing active found")?;
    agrees(owners.get(id), tag)
}

fn close(
    open: &mut HashSet<String>,
    owners: &HashMap<String, Owner>,
    id: &str,
    tag: &Owner,
) -> Verdict {
    continues(open, owners, id, tag)?;
    open.remove(id);
    Ok(())
}
