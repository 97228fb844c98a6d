//! Absent is absent: how optional members are left out, and how nulls are read.

use serde::de::{Deserialize, Deserializer};
use serde_json::Value;

/// Reads a null as the default, for members whose absence is an empty list or text.
pub(crate) fn null_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// True when an optional member that may be any JSON *but* null has nothing to write. The fields
/// are public, so a `Some(Value::Null)` is possible; on the wire it must not be.
pub(crate) fn nothing(value: &Option<Value>) -> bool {
    value.as_ref().is_none_or(Value::is_null)
}
