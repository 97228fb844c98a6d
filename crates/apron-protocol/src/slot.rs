//! Members that are read whatever their kind.
//!
//! A message's role says which members it has, and may come last. Until it is known, a member of
//! the wrong kind is no error: a role that does not have the member must ignore it, as any other
//! unknown material. So reading fails only where the text is no JSON, and judging comes after. An
//! event's type is looked up the same way.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::ids::{MessageId, SubagentRunId, ToolCallId};
use crate::text::Text;

/// A member, before it is known whether its object has it.
pub(crate) enum Slot<T> {
    /// Left out, or null.
    Absent,
    /// Of a kind that `T` can be read from.
    Held(T),
    /// Of another kind.
    Wrong,
}

/// A known member is missing or of the wrong kind. Says where, never what it held.
#[derive(Debug, thiserror::Error)]
#[error("{place} {fault}")]
pub(crate) struct Malformed {
    place: String,
    fault: String,
}

/// Which kinds of JSON a `T` can be read from. What is not overridden makes the slot
/// [`Slot::Wrong`].
pub(crate) trait Kind: Sized {
    /// What is expected, with its article.
    const WANTED: &'static str;

    fn from_text(_: Cow<'_, str>) -> Option<Self> {
        None
    }

    fn from_object<'de, A: MapAccess<'de>>(mut object: A) -> Result<Option<Self>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn from_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Reads a whole value by its slot; `name` stands for it in an error about its kind.
pub(crate) fn whole<'de, D: Deserializer<'de>, T: Kind, U>(
    deserializer: D,
    name: &str,
    read: impl FnOnce(T) -> Result<U, Malformed>,
) -> Result<U, D::Error> {
    // Not as an `Option`, so that a missing member is reported as missing.
    let slot: Slot<T> = deserializer.deserialize_any(SlotVisitor(PhantomData))?;
    slot.element()
        .map_err(|fault| fault.within(name))
        .and_then(read)
        .map_err(D::Error::custom)
}

impl<T: Kind> Slot<T> {
    /// The member, if the object has it.
    pub(crate) fn optional(self, member: &str) -> Result<Option<T>, Malformed> {
        match self {
            Self::Held(value) => Ok(Some(value)),
            Self::Absent => Ok(None),
            Self::Wrong => Err(Malformed::wrong(member, T::WANTED)),
        }
    }

    /// The member, which the object must have.
    pub(crate) fn required(self, member: &str) -> Result<T, Malformed> {
        self.optional(member)?
            .ok_or_else(|| Malformed::missing(member))
    }

    /// The value, whatever else the slot might be.
    pub(crate) fn held(self) -> Option<T> {
        match self {
            Self::Held(value) => Some(value),
            Self::Absent | Self::Wrong => None,
        }
    }

    /// Leaves [`Slot::Absent`] behind.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Absent)
    }

    /// An element of a list, where a null is as wrong as any other kind.
    pub(crate) fn element(self) -> Result<T, Malformed> {
        self.held().ok_or_else(|| Malformed::wrong("", T::WANTED))
    }
}

impl Malformed {
    pub(crate) fn missing(place: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            fault: "is missing".to_owned(),
        }
    }

    pub(crate) fn wrong(place: impl Into<String>, wanted: &str) -> Self {
        Self {
            place: place.into(),
            fault: format!("is not {wanted}"),
        }
    }

    /// The same fault, seen from the object that holds `parent`.
    pub(crate) fn within(self, parent: impl fmt::Display) -> Self {
        let Self { place, fault } = self;
        let place = if place.is_empty() || place.starts_with('[') {
            format!("{parent}{place}")
        } else {
            format!("{parent}.{place}")
        };
        Self { place, fault }
    }

    /// The same fault, seen from the list.
    pub(crate) fn at(self, index: usize) -> Self {
        self.within(format_args!("[{index}]"))
    }
}

impl<'de, T: Kind> Deserialize<'de> for Slot<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As an `Option`: a missing member and a null are both absent.
        deserializer.deserialize_option(SlotVisitor(PhantomData))
    }
}

struct SlotVisitor<T>(PhantomData<T>);

impl<'de, T: Kind> Visitor<'de> for SlotVisitor<T> {
    type Value = Slot<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WANTED)
    }

    fn visit_none<E>(self) -> Result<Slot<T>, E> {
        Ok(Slot::Absent)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Slot<T>, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_unit<E>(self) -> Result<Slot<T>, E> {
        Ok(Slot::Absent)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }

    fn visit_str<E>(self, text: &str) -> Result<Slot<T>, E> {
        Ok(T::from_text(Cow::Borrowed(text)).into())
    }

    fn visit_string<E>(self, text: String) -> Result<Slot<T>, E> {
        Ok(T::from_text(Cow::Owned(text)).into())
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Slot<T>, A::Error> {
        T::from_object(object).map(Slot::from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Slot<T>, A::Error> {
        T::from_list(list).map(Slot::from)
    }
}

impl<T> From<Option<T>> for Slot<T> {
    fn from(read: Option<T>) -> Self {
        read.map_or(Self::Wrong, Self::Held)
    }
}

macro_rules! text_kinds {
    ($($name:ty)+) => {$(
        impl Kind for $name {
            const WANTED: &'static str = "a string";

            fn from_text(text: Cow<'_, str>) -> Option<Self> {
                Some(text.into())
            }
        }
    )+};
}

// A name (a role, a type) is read as `Text`, which holds the known ones without an allocation.
text_kinds! { String Text MessageId ToolCallId SubagentRunId }

impl Kind for Map<String, Value> {
    const WANTED: &'static str = "an object";

    fn from_object<'de, A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

/// Lets an object of slots be the value of a slot.
macro_rules! object_kind {
    ($name:ty) => {
        impl crate::slot::Kind for $name {
            const WANTED: &'static str = "an object";

            fn from_object<'de, A: serde::de::MapAccess<'de>>(
                object: A,
            ) -> Result<Option<Self>, A::Error> {
                let object = serde::de::value::MapAccessDeserializer::new(object);
                serde::Deserialize::deserialize(object).map(Some)
            }
        }
    };
}
pub(crate) use object_kind;
