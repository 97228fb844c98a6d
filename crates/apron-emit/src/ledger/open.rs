//! What is open, in slots that a handle can name without a look-up.

use std::collections::HashMap;

use apron_protocol::{MessageId, SubagentRunId, Text, ToolCallId};

use super::names::Owner;

/// Names an open item: a place and how often it was used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Slot {
    place: u32,
    generation: u32,
}

/// An open item.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) item: Item,
    pub(super) owner: Owner,
    /// Counts openings, so that the newest is closed first.
    pub(super) number: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Text(MessageId),
    Call { id: ToolCallId, has_args: bool },
    Span(MessageId),
    Thought(MessageId),
    Step(Text),
    Subagent(SubagentRunId),
}

/// Kinds of items that are continued by id.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Which {
    Text,
    Call,
    Span,
    Thought,
}

impl Which {
    pub(super) fn is(self, item: &Item, id: &str) -> bool {
        match (self, item) {
            (Self::Text, Item::Text(open))
            | (Self::Span, Item::Span(open))
            | (Self::Thought, Item::Thought(open)) => *open == *id,
            (Self::Call, Item::Call { id: open, .. }) => *open == *id,
            _ => false,
        }
    }
}

#[derive(Debug, Default)]
struct Cell {
    generation: u32,
    open: Option<Open>,
}

/// The open items of a run.
#[derive(Debug, Default)]
pub(super) struct OpenItems {
    cells: Vec<Cell>,
    free: Vec<u32>,
    opened: u64,
    count: usize,
    /// The item continued last: the next delta is nearly always for it.
    last: Option<Slot>,
    /// Open steps by name, with their owners.
    steps: HashMap<Text, Vec<(Owner, Slot)>>,
}

impl OpenItems {
    pub(super) fn open(&mut self, item: Item, owner: Owner) -> Slot {
        self.opened += 1;
        self.count += 1;
        let step = match &item {
            Item::Step(name) => Some((name.clone(), owner.clone())),
            _ => None,
        };
        let open = Some(Open {
            item,
            owner,
            number: self.opened,
        });
        let place = self.free.pop().unwrap_or_else(|| {
            self.cells.push(Cell::default());
            // A run with 2^32 items open at once is out of memory first.
            u32::try_from(self.cells.len() - 1).unwrap_or(u32::MAX)
        });
        let mut generation = 0;
        if let Some(cell) = self.cells.get_mut(place as usize) {
            cell.open = open;
            generation = cell.generation;
        }
        let slot = Slot { place, generation };
        self.last = Some(slot);
        if let Some((name, owner)) = step {
            self.steps.entry(name).or_default().push((owner, slot));
        }
        slot
    }

    pub(super) fn get(&self, slot: Slot) -> Option<&Open> {
        self.cells
            .get(slot.place as usize)
            .filter(|cell| cell.generation == slot.generation)
            .and_then(|cell| cell.open.as_ref())
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut Open> {
        self.cells
            .get_mut(slot.place as usize)
            .filter(|cell| cell.generation == slot.generation)
            .and_then(|cell| cell.open.as_mut())
    }

    pub(super) fn close(&mut self, slot: Slot) -> Option<Open> {
        let cell = self.cells.get_mut(slot.place as usize)?;
        if cell.generation != slot.generation {
            return None;
        }
        let open = cell.open.take()?;
        cell.generation = cell.generation.wrapping_add(1);
        self.free.push(slot.place);
        self.count -= 1;
        if let Item::Step(name) = &open.item
            && let Some(same_name) = self.steps.get_mut(&**name)
        {
            same_name.retain(|(_, step)| *step != slot);
            if same_name.is_empty() {
                self.steps.remove(&**name);
            }
        }
        Some(open)
    }

    /// The slot of the item continued last, when it is still open and `is` holds: the next delta is
    /// nearly always for it, and one comparison is cheaper than a look-up.
    pub(super) fn last_if(&self, is: impl Fn(&Item) -> bool) -> Option<Slot> {
        self.last
            .filter(|last| self.get(*last).is_some_and(|open| is(&open.item)))
    }

    pub(super) fn continued(&mut self, slot: Slot) {
        self.last = Some(slot);
    }

    /// Where the step is open: steps are keyed by owner and name.
    pub(super) fn find_step(&self, name: &str, owner: &Owner) -> Option<Slot> {
        let same_name = self.steps.get(name)?;
        let own = same_name.iter().find(|(whose, _)| whose == owner)?;
        Some(own.1)
    }

    fn slots(&self) -> impl Iterator<Item = (Slot, &Open)> {
        self.cells.iter().enumerate().filter_map(|(place, cell)| {
            let place = u32::try_from(place).ok()?;
            Some((
                Slot {
                    place,
                    generation: cell.generation,
                },
                cell.open.as_ref()?,
            ))
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Every open item, newest first: what was opened inside another comes before it.
    pub(super) fn newest_first(&self) -> Vec<Slot> {
        let mut all: Vec<_> = self
            .slots()
            .map(|(slot, open)| (open.number, slot))
            .collect();
        all.sort_unstable_by_key(|(number, _)| std::cmp::Reverse(*number));
        all.into_iter().map(|(_, slot)| slot).collect()
    }

    /// The first open item in the order in which a client checks them at the end of a run.
    pub(super) fn first_of_client_order(&self) -> Option<&Open> {
        let rank = |open: &Open| match open.item {
            Item::Step(_) => 0,
            Item::Text(_) => 1,
            Item::Thought(_) => 2,
            Item::Span(_) => 3,
            Item::Call { .. } => 4,
            Item::Subagent(_) => 5,
        };
        self.slots()
            .map(|(_, open)| open)
            .min_by_key(|open| (rank(open), open.number))
    }

    pub(super) fn clear(&mut self) {
        for slot in self.newest_first() {
            self.close(slot);
        }
    }
}

impl Item {
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Text(id) | Self::Span(id) | Self::Thought(id) => id.as_str(),
            Self::Call { id, .. } => id.as_str(),
            Self::Step(name) => name,
            Self::Subagent(id) => id.as_str(),
        }
    }
}
