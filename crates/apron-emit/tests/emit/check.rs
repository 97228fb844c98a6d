//! What must hold for every stream that a run sends to its end: written without the ledger.

use std::collections::{BTreeMap, HashMap, HashSet};

use apron_protocol::{Event, RunOutcome};

use crate::client::Client;

/// Panics unless the stream of one run is whole and in order.
pub(crate) fn check(events: &[Event]) {
    assert!(
        matches!(events.first(), Some(Event::RunStarted(_))),
        "{events:?}"
    );
    let terminals = events.iter().filter(|event| event.is_terminal()).count();
    assert_eq!(terminals, 1, "{events:?}");
    assert!(events.last().unwrap().is_terminal(), "{events:?}");

    let mut client = Client::default();
    for event in events {
        if matches!(event, Event::RunError(_)) {
            // A failure ends everything by itself; we close it all the same.
            assert!(client.is_closed(), "open at the failure: {events:?}");
        }
        assert_eq!(client.observe(event), Ok(()), "{event:?} in {events:?}");
    }
    one_id_one_kind(events);
    calls_are_answered_after_their_end_and_once(events);
    for event in events {
        let delta = match event {
            Event::TextMessageContent(event) => &event.delta,
            Event::ToolCallArgs(event) => &event.delta,
            Event::ReasoningMessageContent(event) => &event.delta,
            _ => continue,
        };
        assert!(!delta.is_empty(), "{event:?}");
    }
}

fn one_id_one_kind(events: &[Event]) {
    let mut kinds: HashMap<&str, &str> = HashMap::new();
    for event in events {
        let (id, kind) = match event {
            Event::TextMessageStart(event) => (event.message_id.as_str(), "text"),
            Event::ReasoningStart(event) => (event.message_id.as_str(), "reasoning"),
            Event::ReasoningMessageStart(event) => (event.message_id.as_str(), "reasoning"),
            Event::ActivitySnapshot(event) => (event.message_id.as_str(), "activity"),
            Event::ToolCallStart(event) => (event.tool_call_id.as_str(), "call"),
            Event::ToolCallResult(event) => (event.message_id.as_str(), "result"),
            _ => continue,
        };
        let known = *kinds.entry(id).or_insert(kind);
        assert_eq!(known, kind, "{id}: {events:?}");
    }
}

fn calls_are_answered_after_their_end_and_once(events: &[Event]) {
    let mut open = HashSet::new();
    let mut started = Vec::new();
    let mut answered = HashSet::new();
    let mut arguments: BTreeMap<&str, String> = BTreeMap::new();
    for event in events {
        match event {
            Event::ToolCallStart(event) => {
                let id = event.tool_call_id.as_str();
                open.insert(id);
                if !started.contains(&id) {
                    started.push(id);
                }
                arguments.entry(id).or_default();
            }
            Event::ToolCallArgs(event) => {
                *arguments.get_mut(event.tool_call_id.as_str()).unwrap() += &event.delta;
            }
            Event::ToolCallEnd(event) => {
                assert!(open.remove(event.tool_call_id.as_str()));
            }
            Event::ToolCallResult(event) => {
                let id = event.tool_call_id.as_str();
                assert!(
                    !open.contains(id) && answered.insert(id),
                    "{id}: {events:?}"
                );
            }
            Event::RunFinished(event) => {
                if let Some(RunOutcome::Success {
                    pending_tool_call_ids,
                }) = &event.outcome
                {
                    let pending: Vec<&str> = started
                        .iter()
                        .copied()
                        .filter(|id| !answered.contains(id))
                        .collect();
                    let named: Vec<&str> =
                        pending_tool_call_ids.iter().map(|id| id.as_str()).collect();
                    assert_eq!(named, pending, "{events:?}");
                }
            }
            _ => {}
        }
    }
    assert!(
        arguments.values().all(|arguments| !arguments.is_empty()),
        "{arguments:?}"
    );
}
