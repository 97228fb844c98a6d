//! Reading JSON in one pass without ever failing on a member of the wrong type.
//!
//! Derived `Deserialize` fails a whole object for one odd member, or for a member that comes twice.
//! Providers send both, so chunks are read through [`Members`]: each known member is asked for in
//! the form it should have, and anything else counts as absent. Only text that is no JSON fails.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

/// The part of a visitor that every lenient one shares: a bool, a number and null mean `$nothing`.
macro_rules! scalars_are {
    ($nothing:expr) => {
        fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}
pub(crate) use scalars_are;

/// An object that is read member by member. A member that comes twice is set twice.
pub(crate) trait Members<'de>: Default {
    /// Takes `value` when `name` is known, and skips it otherwise.
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error>;
}

/// The value of one member, not yet read. It must be read or skipped.
pub(crate) struct Member<'m, 'de, A> {
    map: &'m mut A,
    of: PhantomData<&'de ()>,
}

impl<'de, A: MapAccess<'de>> Member<'_, 'de, A> {
    /// Passes over the value, at any depth.
    pub(crate) fn skip(self) -> Result<(), A::Error> {
        self.map.next_value::<IgnoredAny>().map(drop)
    }

    /// The value as it stands, `None` for null.
    pub(crate) fn raw(self) -> Result<Option<&'de RawValue>, A::Error> {
        let raw: &RawValue = self.map.next_value()?;
        Ok((raw.get() != "null").then_some(raw))
    }

    /// A string that is not empty.
    pub(crate) fn text(self) -> Result<Option<Cow<'de, str>>, A::Error> {
        let Leaf(text) = self.map.next_value()?;
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// A number without fraction that is not negative, also as a string.
    pub(crate) fn integer(self) -> Result<Option<u64>, A::Error> {
        // Through the raw text, since another crate may turn on `serde_json/arbitrary_precision`,
        // under which a number reaches a visitor as something else.
        Ok(self.raw()?.and_then(|raw| integer(raw.get())))
    }

    /// An object; `None` for anything else.
    pub(crate) fn object<T: Members<'de>>(self) -> Result<Option<T>, A::Error> {
        let Lenient(object) = self.map.next_value()?;
        Ok(object)
    }

    /// As [`object`](Self::object), in place, for what is too large to be moved about.
    pub(crate) fn fill<T: Members<'de>>(self, object: &mut Option<T>) -> Result<(), A::Error> {
        let is_object = self
            .map
            .next_value_seed(Fill(object.insert(T::default())))?;
        if !is_object {
            *object = None;
        }
        Ok(())
    }

    /// A value that is lenient itself.
    pub(crate) fn read<T: Deserialize<'de>>(self) -> Result<T, A::Error> {
        self.map.next_value()
    }

    /// The elements of an array, given one by one; nothing for anything else.
    pub(crate) fn each<T: Deserialize<'de>>(self, take: impl FnMut(T)) -> Result<(), A::Error> {
        self.map.next_value_seed(EachSeed(take, PhantomData))
    }
}

/// An object, or `None` for anything else.
pub(crate) struct Lenient<T>(pub(crate) Option<T>);

impl<'de, T: Members<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = T::default();
        let is_object = Fill(&mut object).deserialize(deserializer)?;
        Ok(Self(is_object.then_some(object)))
    }
}

/// Reads text into `object`; false when it is JSON, but no object.
pub(crate) fn fill<'de, T: Members<'de>>(
    text: &'de str,
    object: &mut T,
) -> Result<bool, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let is_object = Fill(object).deserialize(&mut json)?;
    json.end()?;
    Ok(is_object)
}

/// Reads the members of a map that was entered already.
pub(crate) fn members<'de, A: MapAccess<'de>, T: Members<'de>>(
    mut map: A,
    object: &mut T,
) -> Result<(), A::Error> {
    while let Some(Key(name)) = map.next_key()? {
        let value = Member {
            map: &mut map,
            of: PhantomData,
        };
        object.member(&name, value)?;
    }
    Ok(())
}

/// A count written as a number, a whole float, or a string of either.
pub(crate) fn integer(text: &str) -> Option<u64> {
    let text = text.trim_matches(['"', ' ']);
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let number: f64 = text.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole, not negative and within 2^53"
    )]
    let whole =
        ((0.0..=MAX_SAFE).contains(&number) && number.fract() == 0.0).then_some(number as u64);
    whole
}

/// 2^53 − 1, beyond which a float is no count.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// A member's name, borrowed unless it has escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Leaf(text) = Leaf::deserialize(deserializer)?;
        Ok(Self(text.unwrap_or_default()))
    }
}

/// A string, borrowed unless it has escapes; `None` for anything else.
pub(crate) struct Leaf<'de>(pub(crate) Option<Cow<'de, str>>);

impl<'de> Deserialize<'de> for Leaf<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LeafVisitor)
    }
}

struct LeafVisitor;

impl<'de> Visitor<'de> for LeafVisitor {
    type Value = Leaf<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Leaf<'de>, E> {
        Ok(Leaf(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Leaf<'de>, E> {
        Ok(Leaf(Some(Cow::Owned(text.to_owned()))))
    }

    scalars_are!(Leaf(None));

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Leaf<'de>, A::Error> {
        IgnoredAny.visit_seq(seq)?;
        Ok(Leaf(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Leaf<'de>, A::Error> {
        IgnoredAny.visit_map(map)?;
        Ok(Leaf(None))
    }
}

/// Fills an object in place; false when there is something else in its place.
struct Fill<'t, T>(&'t mut T);

impl<'de, T: Members<'de>> DeserializeSeed<'de> for Fill<'_, T> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Members<'de>> Visitor<'de> for Fill<'_, T> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<bool, A::Error> {
        members(map, self.0).map(|()| true)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<bool, A::Error> {
        IgnoredAny.visit_seq(seq).map(|_| false)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    scalars_are!(false);
}

struct EachSeed<F, T>(F, PhantomData<T>);

impl<'de, T: Deserialize<'de>, F: FnMut(T)> DeserializeSeed<'de> for EachSeed<F, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T)> Visitor<'de> for EachSeed<F, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while let Some(element) = seq.next_element()? {
            (self.0)(element);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        IgnoredAny.visit_map(map).map(drop)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    scalars_are!(());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_numbers_and_strings() {
        for (text, count) in [
            ("0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("\"7\"", Some(7)),
            ("5.0", Some(5)),
            ("1e3", Some(1000)),
            ("1.5", None),
            ("-1", None),
            ("1e300", None),
            ("null", None),
            ("\"NaN\"", None),
            ("\"inf\"", None),
            ("[1]", None),
        ] {
            assert_eq!(integer(text), count, "{text}");
        }
    }

    #[derive(Default)]
    struct Pair<'a>(Option<Cow<'a, str>>, Vec<Option<Cow<'a, str>>>);

    impl<'de> Members<'de> for Pair<'de> {
        fn member<A: MapAccess<'de>>(
            &mut self,
            name: &str,
            value: Member<'_, 'de, A>,
        ) -> Result<(), A::Error> {
            match name {
                "a" => self.0 = value.text()?,
                "b" => value.each(|Leaf(text)| self.1.push(text))?,
                _ => value.skip()?,
            }
            Ok(())
        }
    }

    #[track_caller]
    fn read(text: &str) -> (Option<String>, usize) {
        let Lenient(pair) = serde_json::from_str::<Lenient<Pair<'_>>>(text).unwrap();
        let pair = pair.unwrap_or_default();
        (pair.0.map(Cow::into_owned), pair.1.len())
    }

    #[test]
    fn members_of_the_wrong_type_count_as_absent() {
        for odd in [
            "null",
            "true",
            "7",
            "-7",
            "1.5",
            "{\"x\":[{}]}",
            "[[1],{}]",
            "\"\"",
        ] {
            assert_eq!(
                read(&format!("{{\"a\":{odd},\"c\":{odd}}}")).0,
                None,
                "{odd}"
            );
        }
        for odd in ["null", "true", "7", "-7", "1.5", "{\"x\":[{}]}", "\"x\""] {
            assert_eq!(read(&format!("{{\"b\":{odd}}}")).1, 0, "{odd}");
            assert_eq!(read(odd).0, None);
        }
    }

    #[test]
    fn a_member_that_comes_twice_is_its_last() {
        assert_eq!(read(r#"{"a":"x","a":"y"}"#).0.as_deref(), Some("y"));
        assert_eq!(read(r#"{"\u0061":"\u0078"}"#).0.as_deref(), Some("x"));
    }
}
