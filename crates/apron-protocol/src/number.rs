//! Integers that a JavaScript peer can hold.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// 2^53 − 1, the largest integer every client keeps exact.
pub(crate) const MAX_SAFE: i64 = (1 << 53) - 1;

/// Reads an optional integer within ±(2^53 − 1). `1730000000000.0` and `1e3` are integers to a
/// JavaScript peer, so they are to us; `1.5` is an error.
pub(crate) fn safe_integer<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    Option::<Safe>::deserialize(deserializer).map(|safe| safe.map(|Safe(number)| number))
}

/// Reads an optional count: a safe integer that is not negative.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(number) = safe_integer(deserializer)? else {
        return Ok(None);
    };
    let count = u64::try_from(number).map_err(|_| D::Error::custom("a count is not negative"))?;
    Ok(Some(count))
}

/// Writes a count, clamped to what every client can hold.
pub(crate) fn write_count<S: Serializer>(
    count: &Option<u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    count
        .map(|count| count.min(MAX_SAFE.unsigned_abs()))
        .serialize(serializer)
}

struct Safe(i64);

impl<'de> Deserialize<'de> for Safe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SafeVisitor).map(Self)
    }
}

struct SafeVisitor;

impl Visitor<'_> for SafeVisitor {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer within ±(2^53 − 1)")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<i64, E> {
        if (-MAX_SAFE..=MAX_SAFE).contains(&number) {
            Ok(number)
        } else {
            Err(E::custom("integer outside ±(2^53 − 1)"))
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<i64, E> {
        i64::try_from(number)
            .map_err(|_| E::custom("integer outside ±(2^53 − 1)"))
            .and_then(|number| self.visit_i64(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<i64, E> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the value is checked to be whole"
        )]
        let whole = number as i64;
        #[expect(
            clippy::cast_precision_loss,
            reason = "beyond 2^53 the range check refuses it"
        )]
        let exact = whole as f64 == number;
        if exact {
            self.visit_i64(whole)
        } else {
            Err(E::custom("not an integer"))
        }
    }
}
