//! Tools that the provider runs itself, inside a chat answer: Groq's `executed_tools`.

use std::collections::VecDeque;

use apron_emit::Ids;
use apron_protocol::{
    Event, MessageId, ToolCallArgs, ToolCallEnd, ToolCallId, ToolCallResult, ToolCallStart,
};
use serde::de::MapAccess;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::citations::plain;
use super::turn::METADATA_KEY;
use crate::lenient::{Lenient, Member, Members};

/// The tools that were run in one answer. Each comes up at least twice: with its arguments, and
/// again with its output.
#[derive(Debug, Default)]
pub(super) struct Hosted(Vec<Run>);

#[derive(Debug)]
struct Run {
    index: u64,
    call: ToolCallId,
    answered: bool,
}

/// One entry of `executed_tools`.
#[derive(Default)]
pub(super) struct Executed<'a> {
    index: Option<u64>,
    name: Option<String>,
    arguments: Option<&'a RawValue>,
    output: Option<&'a RawValue>,
    search_results: Option<&'a RawValue>,
}

impl Executed<'_> {
    /// Reads the entries; anything but a list of objects is empty.
    pub(super) fn parse(raw: &RawValue) -> Vec<Executed<'_>> {
        let items: Vec<Lenient<Executed<'_>>> = serde_json::from_str(raw.get()).unwrap_or_default();
        items
            .into_iter()
            .filter_map(|Lenient(entry)| entry)
            .collect()
    }

    /// True when it says what was asked or what came out.
    fn says_something(&self) -> bool {
        self.arguments.is_some() || self.has_output()
    }

    fn has_output(&self) -> bool {
        self.output.is_some() || self.search_results.is_some()
    }
}

impl Hosted {
    /// True when the entry opens a call, so that open messages must be closed first.
    pub(super) fn opens(&self, entry: &Executed<'_>, at: usize) -> bool {
        entry.says_something() && self.run_of(entry, at).is_none()
    }

    /// Takes one entry: the call when it is new, its result when that is there.
    pub(super) fn take(
        &mut self,
        entry: &Executed<'_>,
        at: usize,
        parent: impl FnOnce(&mut dyn Ids) -> MessageId,
        ids: &mut dyn Ids,
        out: &mut VecDeque<Event>,
    ) {
        if !entry.says_something() {
            return;
        }
        let place = match self.run_of(entry, at) {
            Some(place) => place,
            None => {
                let parent = parent(ids);
                let call = ids.tool_call(None);
                open(&call, parent, entry, out);
                self.0.push(Run {
                    index: index_of(entry, at),
                    call,
                    answered: false,
                });
                self.0.len() - 1
            }
        };
        if let Some(run) = self.0.get_mut(place)
            && entry.has_output()
            && !run.answered
        {
            run.answered = true;
            let output = entry.output.map(plain).unwrap_or_default();
            let id = ids.tool_result(&run.call);
            let mut result = ToolCallResult::new(id, &run.call, output.into_owned());
            if let Some(found) = entry.search_results
                && let Ok(found) = serde_json::from_str::<Value>(found.get())
            {
                let metadata = json!({ "hosted": true, "searchResults": found });
                result = result.with_metadata(METADATA_KEY, metadata);
            }
            out.push_back(result.into());
        }
    }

    /// Answers what was never answered, so that no client waits for it.
    pub(super) fn finish(&mut self, ids: &mut dyn Ids, out: &mut VecDeque<Event>) {
        for run in self.0.iter_mut().filter(|run| !run.answered) {
            run.answered = true;
            let id = ids.tool_result(&run.call);
            out.push_back(ToolCallResult::new(id, &run.call, NO_RESULT).into());
        }
    }

    fn run_of(&self, entry: &Executed<'_>, at: usize) -> Option<usize> {
        let index = index_of(entry, at);
        self.0.iter().position(|run| run.index == index)
    }
}

fn index_of(entry: &Executed<'_>, at: usize) -> u64 {
    entry.index.or_else(|| u64::try_from(at).ok()).unwrap_or(0)
}

fn open(call: &ToolCallId, parent: MessageId, entry: &Executed<'_>, out: &mut VecDeque<Event>) {
    let name = entry.name.as_deref().unwrap_or(UNNAMED);
    let start = ToolCallStart::new(call, name)
        .with_parent_message_id(parent)
        .with_metadata(METADATA_KEY, json!({ "hosted": true }));
    let arguments = entry.arguments.map(plain).unwrap_or_default();
    let arguments = if arguments.trim().is_empty() {
        "{}".into()
    } else {
        arguments
    };
    out.push_back(start.into());
    out.push_back(ToolCallArgs::new(call, arguments).into());
    out.push_back(ToolCallEnd::new(call).into());
}

impl<'de> Members<'de> for Executed<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "index" => self.index = value.integer()?,
            "name" => self.name = value.text()?.map(Into::into).or(self.name.take()),
            "type" => self.name = self.name.take().or(value.text()?.map(Into::into)),
            "arguments" => self.arguments = value.raw()?,
            "output" => self.output = value.raw()?,
            "search_results" => self.search_results = value.raw()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}

const UNNAMED: &str = "executed_tool";
const NO_RESULT: &str = "The provider reported no result.";
