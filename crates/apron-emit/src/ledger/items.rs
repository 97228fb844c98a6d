//! Messages and reasoning: opening, continuing, ending, and to whom they belong.

use apron_protocol::{Common, MessageId};

use super::names::{Kind, Owner, Shape};
use super::open::{Item, Open, Slot, Which};
use super::{Ledger, Refusal, Rule, Verdict, refuse};

impl Ledger {
    /// Opens a message or span under `id`.
    pub(super) fn open_item<'e>(
        &mut self,
        id: &'e MessageId,
        kind: Kind,
        shape: Option<Shape>,
        item: Item,
        common: &Common,
    ) -> Verdict<'e> {
        let text = id.as_str();
        let is_span = matches!(item, Item::Span(_));
        let mut owner = owner_of(common);
        if let Some(name) = self.names.get(text) {
            let same_kind = match (name.kind, kind) {
                (Kind::Text(_), Kind::Text(_)) => true,
                (old, new) => old == new,
            };
            if name.history || !same_kind {
                return refuse(Rule::IdInUse, text);
            }
            let place = if is_span { name.span } else { name.slot };
            if place.is_some_and(|slot| self.is_open(slot)) {
                return refuse(Rule::AlreadyOpen, text);
            }
            let other_shape = name.shape.is_some() && name.shape != shape;
            if name.kind != kind || other_shape {
                return refuse(Rule::OtherShape, text);
            }
            if owner.is_some() && self.names.owner(name).is_some_and(|known| *known != owner) {
                return refuse(Rule::OtherOwner, text);
            }
            // A reopening without a tag keeps the owner that the item has.
            if let Some(told) = self.names.owner_told(name) {
                owner.clone_from(told);
            }
        }
        let slot = self.open.open(item, owner.clone());
        let name = self.names.enter(id, kind, &owner);
        name.shape = shape;
        if is_span {
            name.span = Some(slot);
        } else {
            name.slot = Some(slot);
        }
        Ok(Some(slot))
    }

    /// Continues what is open under `id`.
    pub(super) fn continue_item<'e>(
        &mut self,
        id: &'e MessageId,
        common: &Common,
        which: Which,
    ) -> Verdict<'e> {
        let slot = self.owned(id.as_str(), which, common)?;
        self.open.continued(slot);
        Ok(None)
    }

    /// Ends what is open under `id`.
    pub(super) fn end_item<'e>(
        &mut self,
        id: &'e MessageId,
        common: &Common,
        which: Which,
    ) -> Verdict<'e> {
        let slot = self.owned(id.as_str(), which, common)?;
        self.open.close(slot);
        Ok(None)
    }

    /// Where `id` is open; an explicit tag must be the owner that it has.
    pub(super) fn owned<'e>(
        &self,
        id: &'e str,
        which: Which,
        common: &Common,
    ) -> Result<Slot, Refusal<'e>> {
        let Some(slot) = self.find_open(id, which) else {
            return refuse(Rule::NotOpen, id);
        };
        let Some(tag) = common.subagent_run_id() else {
            return Ok(slot);
        };
        match self.open.get(slot) {
            Some(Open {
                owner: Some(owner), ..
            }) if owner == tag => Ok(slot),
            _ => refuse(Rule::OtherOwner, id),
        }
    }

    pub(super) fn find_open(&self, id: &str, which: Which) -> Option<Slot> {
        let is = |item: &Item| which.is(item, id);
        self.open.last_if(is).or_else(|| {
            let name = self.names.get(id)?;
            let slot = match which {
                Which::Span => name.span,
                Which::Text | Which::Call | Which::Thought => name.slot,
            }?;
            let open = self.open.get(slot)?;
            is(&open.item).then_some(slot)
        })
    }

    /// An explicit tag must be the owner that the id has, when that is known.
    pub(super) fn known_owner<'e>(&self, id: &'e str, common: &Common) -> Verdict<'e> {
        let owner = self.names.get(id).and_then(|name| self.names.owner(name));
        match (common.subagent_run_id(), owner) {
            (Some(tag), Some(owner)) if owner.as_ref() != Some(tag) => refuse(Rule::OtherOwner, id),
            _ => Ok(None),
        }
    }
}

pub(super) fn owner_of(common: &Common) -> Owner {
    common.subagent_run_id().cloned()
}
