//! The text of a delta.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

/// A piece of streamed text, owned.
///
/// Up to 24 bytes live inline (most deltas of a model are shorter); a longer [`String`] is taken
/// over without a copy. It dereferences to [`str`].
#[derive(Clone, Default, Eq, Hash, Ord, PartialEq, PartialOrd, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Text(CompactString);

impl Text {
    /// An empty text.
    #[must_use]
    pub const fn new() -> Self {
        Self(CompactString::const_new(""))
    }

    /// The text as a slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Appends `more`.
    pub fn push_str(&mut self, more: &str) {
        self.0.push_str(more);
    }

    /// Bytes on the heap; 0 while the text is inline.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        if self.0.is_heap_allocated() {
            self.0.capacity()
        } else {
            0
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(CompactString::new(text))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        // `CompactString::from` keeps the allocation of a long string and inlines a short one.
        Self(CompactString::from(text))
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<char> for Text {
    fn from(letter: char) -> Self {
        Self::from(&*letter.encode_utf8(&mut [0; 4]))
    }
}

impl From<std::borrow::Cow<'_, str>> for Text {
    fn from(text: std::borrow::Cow<'_, str>) -> Self {
        match text {
            std::borrow::Cow::Borrowed(text) => Self::from(text),
            std::borrow::Cow::Owned(text) => Self::from(text),
        }
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.0.into_string()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
