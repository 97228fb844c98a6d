//! Which tool call a delta belongs to.
//!
//! Providers number calls, name them, do both, one, or neither, and get each wrong in their own
//! way. [`Calls::take`] sorts a delta in; it emits nothing and knows no events.

use std::borrow::Cow;

use apron_protocol::{Text, ToolCallId};
use serde_json::value::RawValue;

use crate::chat::arguments::Arguments;
use crate::chat::chunk::CallDelta;
use crate::chat::tools::Tools;

/// The most calls in one answer. Real answers have a few dozen at most.
pub(in crate::chat) const LIMIT: usize = 1024;

/// The calls of one answer, in the order in which they came up.
#[derive(Debug, Default)]
pub(in crate::chat) struct Calls {
    pub(in crate::chat) list: Vec<Call>,
}

/// One call, as far as it is known.
#[derive(Debug, Default)]
pub(in crate::chat) struct Call {
    slot: Option<Slot>,
    /// The provider's own id: for matching deltas, and for the history.
    pub(in crate::chat) provider_id: Option<String>,
    /// As the provider says it.
    pub(in crate::chat) name: String,
    pub(in crate::chat) arguments: Arguments,
    /// What must go back with the call, verbatim.
    pub(in crate::chat) extra_content: Option<Box<RawValue>>,
    /// Our id, once the call was announced.
    pub(in crate::chat) id: Option<ToolCallId>,
    /// How many calls were announced before this one, once it was.
    pub(in crate::chat) rank: usize,
    /// The number of the chunk that touched the call last.
    touched: u64,
}

/// What a provider numbers calls by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::chat) enum Slot {
    Index(u64),
    /// The one call of the time before there were several.
    Legacy,
}

/// Where a delta stands.
#[derive(Clone, Copy, Debug)]
pub(in crate::chat) struct Place {
    /// The number of the chunk.
    pub(in crate::chat) chunk: u64,
    /// Its own slot, or the one that its position implies.
    pub(in crate::chat) slot: Option<Slot>,
    /// Its position, where that is all there is to go by.
    pub(in crate::chat) position: Option<usize>,
}

/// What became of a delta.
#[derive(Debug)]
pub(in crate::chat) struct Taken {
    /// The call's place in the list.
    pub(in crate::chat) at: usize,
    /// True when the delta opened the call.
    pub(in crate::chat) new: bool,
    /// What goes out at once, of a call that was announced.
    pub(in crate::chat) say: Option<Text>,
}

/// There are [`LIMIT`] calls already.
#[derive(Debug)]
pub(in crate::chat) struct TooMany;

impl Place {
    /// The place of a `function_call`, of which there is one.
    pub(in crate::chat) fn legacy(chunk: u64) -> Self {
        Self {
            chunk,
            slot: Some(Slot::Legacy),
            position: None,
        }
    }

    /// The place of entry `at` of `of` in a chunk: without index and id, several entries are told
    /// apart by position.
    pub(in crate::chat) fn of(delta: &CallDelta<'_>, chunk: u64, at: usize, of: usize) -> Self {
        let implied = of > 1 && delta.id.is_none() && delta.index.is_none();
        let position = implied.then_some(at);
        let index = delta
            .index
            .or_else(|| position.and_then(|at| u64::try_from(at).ok()));
        Self {
            chunk,
            slot: index.map(Slot::Index),
            position,
        }
    }
}

impl Calls {
    /// Sorts a delta in. `None` for one that says nothing, or nothing to any call.
    pub(in crate::chat) fn take(
        &mut self,
        delta: CallDelta<'_>,
        place: Place,
        tools: &Tools,
    ) -> Result<Option<Taken>, TooMany> {
        if delta.is_empty() {
            return Ok(None);
        }
        let found = self.find(&delta, place, tools);
        let new = found.is_none();
        let at = match found {
            Some(at) => at,
            None if self.list.len() >= LIMIT => return Err(TooMany),
            None => {
                self.list.push(Call {
                    slot: place.slot,
                    ..Call::default()
                });
                self.list.len() - 1
            }
        };
        let Some(call) = self.list.get_mut(at) else {
            return Ok(None);
        };
        let say = call.add(delta, place.chunk, tools);
        Ok(Some(Taken { at, new, say }))
    }

    /// The call that a delta continues; `None` when it opens one.
    fn find(&self, delta: &CallDelta<'_>, place: Place, tools: &Tools) -> Option<usize> {
        let Some(id) = delta.id.as_deref() else {
            return self.find_without_id(delta, place, tools);
        };
        let same_id = |call: &Call| call.provider_id.as_deref() == Some(id);
        if let Some(at) = self.list.iter().position(same_id) {
            return Some(at);
        }
        let at = match place.slot {
            Some(slot) => self.last_in(slot)?,
            // A new id without index is a new call, unless it belongs to the one before, late.
            None if delta.function.name.is_some() => return None,
            None => {
                let last = self.list.len().checked_sub(1)?;
                let late = |call: &&Call| call.provider_id.is_none();
                self.list.get(last).filter(late).map(|_| last)?
            }
        };
        let call = self.list.get(at)?;
        let Some(name) = delta.function.name.as_deref() else {
            // The id is late, or rotates from chunk to chunk.
            return Some(at);
        };
        let continues = if call.provider_id.is_none() {
            !call.arguments.closed()
        } else {
            // The slot is used again, unless a provider rotates ids and repeats names at once.
            call.name == name && call.arguments.begun() && !call.arguments.closed()
        };
        continues.then_some(at)
    }

    fn find_without_id(&self, delta: &CallDelta<'_>, place: Place, tools: &Tools) -> Option<usize> {
        let name = delta.function.name.as_deref();
        if let Some(slot) = place.slot {
            let at = self.last_in(slot).or(place.position)?;
            let call = self.list.get(at)?;
            let opens = name.is_some_and(|name| call.is_over(name, delta, place.chunk, tools));
            return (!opens).then_some(at);
        }
        let last = self.list.len().checked_sub(1)?;
        let Some(name) = name else {
            return Some(last);
        };
        let call = self.list.get(last)?;
        let repeats = call.name == name && call.arguments.begun() && !call.arguments.closed();
        repeats.then_some(last)
    }

    /// The newest call in a slot; providers use one slot for several in turn.
    fn last_in(&self, slot: Slot) -> Option<usize> {
        self.list.iter().rposition(|call| call.slot == Some(slot))
    }
}

impl Call {
    /// True when the call may be announced: its name is whole.
    pub(in crate::chat) fn ready(&self, tools: &Tools) -> bool {
        !self.name.is_empty()
            && (self.arguments.begun() || (tools.knows(&self.name) && !tools.extend(&self.name)))
    }

    /// True when a delta with a name, but without an id, in this call's slot is for the next call.
    fn is_over(&self, name: &str, delta: &CallDelta<'_>, chunk: u64, tools: &Tools) -> bool {
        let other = !self.name.is_empty() && self.name != name;
        if self.arguments.closed() {
            return match delta.function.arguments.as_deref() {
                // Under the same name, what cannot begin an object goes on with one.
                Some(arguments) => {
                    let begins = arguments.trim_start().starts_with('{');
                    other || (begins && !self.arguments.has(arguments))
                }
                None => other,
            };
        }
        if self.arguments.begun() || !other {
            return false;
        }
        // Two names and no arguments: two pieces of one name, unless something speaks against it.
        self.touched == chunk
            || (tools.knows(&self.name)
                && tools.knows(name)
                && !tools.knows(&format!("{}{name}", self.name)))
    }

    fn add(&mut self, delta: CallDelta<'_>, chunk: u64, tools: &Tools) -> Option<Text> {
        self.touched = chunk;
        if self.provider_id.is_none() {
            self.provider_id = delta.id.map(Cow::into_owned);
        }
        if let Some(name) = delta.function.name
            && self.id.is_none()
        {
            self.add_name(&name, tools);
        }
        if let Some(extra) = delta.extra_content {
            self.extra_content = Some(extra.to_owned());
        }
        self.arguments.push(delta.function.arguments?)
    }

    /// Takes the name, or a piece of it, or the same again.
    fn add_name(&mut self, name: &str, tools: &Tools) {
        if self.name.is_empty() {
            name.clone_into(&mut self.name);
            return;
        }
        if self.name == name || self.arguments.begun() {
            return;
        }
        let joined = format!("{}{name}", self.name);
        if tools.knows(&joined) {
            self.name = joined;
        } else if tools.knows(&self.name) {
            // It is whole already.
        } else if tools.knows(name) {
            name.clone_into(&mut self.name);
        } else {
            self.name = joined;
        }
    }
}

#[cfg(test)]
mod tests;
