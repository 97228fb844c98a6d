//! RFC 6902 operations.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One operation of a JSON Patch (RFC 6902). Members beyond the operation's own are legal and kept.
/// (In a hand-made `extra`, leave out the names of the operation's own members.)
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "RFC 6902 has six operations")]
pub enum PatchOperation {
    /// Adds a member or inserts an element; replaces a member that exists.
    Add(ValueOperation),
    /// Removes a member or an element.
    Remove(PathOperation),
    /// Replaces a value that exists.
    Replace(ValueOperation),
    /// Moves a value.
    Move(FromOperation),
    /// Copies a value.
    Copy(FromOperation),
    /// Fails the patch unless the value is equal.
    Test(ValueOperation),
}

/// An operation with a place and a value.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ValueOperation {
    /// The place.
    pub path: JsonPointer,
    /// The value; `null` is a value.
    pub value: Value,
    /// Further members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// An operation with a place alone.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PathOperation {
    /// The place.
    pub path: JsonPointer,
    /// Further members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// An operation from one place to another.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FromOperation {
    /// The place the value comes from.
    pub from: JsonPointer,
    /// The place it goes to.
    pub path: JsonPointer,
    /// Further members.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A JSON Pointer (RFC 6901); the empty one is the whole document.
#[derive(Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct JsonPointer(String);

/// The text is no JSON Pointer: it lacks the leading slash or has a stray `~`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("no JSON pointer")]
#[non_exhaustive]
pub struct InvalidPointer;

impl JsonPointer {
    /// The whole document.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// The place of `key` below this one; the key is escaped.
    #[must_use]
    pub fn child(&self, key: &str) -> Self {
        let mut text = String::with_capacity(self.0.len() + key.len() + 1);
        text.push_str(&self.0);
        let mut pointer = Self(text);
        pointer.push(key);
        pointer
    }

    /// Goes on to `key` below; the key is escaped.
    pub fn push(&mut self, key: &str) {
        self.0.push('/');
        for letter in key.chars() {
            match letter {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                letter => self.0.push(letter),
            }
        }
    }

    /// The keys from the root down, unescaped.
    pub fn keys(&self) -> impl Iterator<Item = String> + '_ {
        self.0
            .split('/')
            .skip(1)
            .map(|key| key.replace("~1", "/").replace("~0", "~"))
    }

    /// The pointer as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<K: AsRef<str>> FromIterator<K> for JsonPointer {
    /// The place that `keys` lead to from the root; they are escaped.
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut pointer = Self::root();
        for key in keys {
            pointer.push(key.as_ref());
        }
        pointer
    }
}

impl FromStr for JsonPointer {
    type Err = InvalidPointer;

    fn from_str(text: &str) -> Result<Self, InvalidPointer> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for JsonPointer {
    type Error = InvalidPointer;

    fn try_from(text: String) -> Result<Self, InvalidPointer> {
        let slashed = text.is_empty() || text.starts_with('/');
        let escaped = text
            .split('~')
            .skip(1)
            .all(|rest| rest.starts_with(['0', '1']));
        if slashed && escaped {
            Ok(Self(text))
        } else {
            Err(InvalidPointer)
        }
    }
}

impl fmt::Display for JsonPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for JsonPointer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl PatchOperation {
    /// Adds `value` at `path`.
    #[must_use]
    pub fn add(path: JsonPointer, value: impl Into<Value>) -> Self {
        Self::Add(ValueOperation {
            path,
            value: value.into(),
            extra: Map::new(),
        })
    }

    /// Removes what is at `path`.
    #[must_use]
    pub fn remove(path: JsonPointer) -> Self {
        Self::Remove(PathOperation {
            path,
            extra: Map::new(),
        })
    }

    /// Replaces what is at `path` by `value`.
    #[must_use]
    pub fn replace(path: JsonPointer, value: impl Into<Value>) -> Self {
        Self::Replace(ValueOperation {
            path,
            value: value.into(),
            extra: Map::new(),
        })
    }

    /// Moves what is at `from` to `path`.
    #[must_use]
    pub fn move_value(from: JsonPointer, path: JsonPointer) -> Self {
        Self::Move(FromOperation {
            from,
            path,
            extra: Map::new(),
        })
    }

    /// Copies what is at `from` to `path`.
    #[must_use]
    pub fn copy_value(from: JsonPointer, path: JsonPointer) -> Self {
        Self::Copy(FromOperation {
            from,
            path,
            extra: Map::new(),
        })
    }

    /// Fails the patch unless `value` is at `path`.
    #[must_use]
    pub fn test(path: JsonPointer, value: impl Into<Value>) -> Self {
        Self::Test(ValueOperation {
            path,
            value: value.into(),
            extra: Map::new(),
        })
    }

    /// The place that the operation changes or tests.
    #[must_use]
    pub fn path(&self) -> &JsonPointer {
        match self {
            Self::Add(operation) | Self::Replace(operation) | Self::Test(operation) => {
                &operation.path
            }
            Self::Remove(operation) => &operation.path,
            Self::Move(operation) | Self::Copy(operation) => &operation.path,
        }
    }
}

/// Reads operations and leaves out those of an unknown kind; a known one that lacks a member is an
/// error.
pub(crate) fn operations<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<PatchOperation>, D::Error> {
    let items = Vec::<Map<String, Value>>::deserialize(deserializer)?;
    let known = |item: &Map<String, Value>| {
        let Some(Value::String(op)) = item.get("op") else {
            return true;
        };
        matches!(
            op.as_str(),
            "add" | "remove" | "replace" | "move" | "copy" | "test"
        )
    };
    items
        .into_iter()
        .filter(known)
        .map(|item| serde_json::from_value(Value::Object(item)).map_err(D::Error::custom))
        .collect()
}
