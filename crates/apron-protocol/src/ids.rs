//! Opaque identifiers.
//!
//! Every id of the protocol is a string that its issuer chose: `lc_run--1234`, a UUID, 300
//! characters with slashes. None is parsed, trimmed or normalised here. Ids are cloned into every
//! delta, so up to 40 bytes are kept inline (a UUID, `call_` + 24, `{uuid}:a12`); a longer one is
//! shared behind an [`Arc`].

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrayvec::ArrayString;
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// Bytes an id may have before it is shared on the heap.
const INLINE: usize = 40;

#[derive(Clone)]
enum Repr {
    Inline(ArrayString<INLINE>),
    Shared(Arc<str>),
}

impl Repr {
    fn new(text: &str) -> Self {
        ArrayString::from(text).map_or_else(|_| Self::Shared(Arc::from(text)), Self::Inline)
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Inline(text) => text.as_str(),
            Self::Shared(text) => text,
        }
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Repr;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<Repr, E> {
        Ok(Repr::new(text))
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        ///
        /// Opaque: any string round-trips byte for byte. Cheap to clone (see the module).
        #[derive(Clone)]
        pub struct $name(Repr);

        impl $name {
            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Repr::new(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Repr::new(&text))
            }
        }

        impl From<&String> for $name {
            fn from(text: &String) -> Self {
                Self(Repr::new(text))
            }
        }

        impl From<Cow<'_, str>> for $name {
            fn from(text: Cow<'_, str>) -> Self {
                Self(Repr::new(&text))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.as_str().to_owned()
            }
        }

        impl From<&Self> for $name {
            fn from(id: &Self) -> Self {
                id.clone()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.as_str() == other.as_str()
            }
        }

        impl Eq for $name {}

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.as_str().cmp(other.as_str())
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.as_str().hash(state);
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(IdVisitor).map(Self)
            }
        }
    )+};
}

ids! {
    /// Names a conversation: `threadId`.
    ThreadId;
    /// Names one run on a thread: `runId`. A client must not use it twice on a thread.
    RunId;
    /// Names a message: text, reasoning, activity or tool result. All share one space with
    /// [`ToolCallId`], because a client keeps them in one list.
    MessageId;
    /// Names a tool call: `toolCallId`.
    ToolCallId;
    /// Names one invocation of a subagent: `subagentRunId`. Absent means the run's own agent.
    SubagentRunId;
    /// Names an interrupt within a run.
    InterruptId;
}

impl From<&ToolCallId> for MessageId {
    /// The id of the assistant message that a client mints for a call without a parent.
    fn from(call: &ToolCallId) -> Self {
        Self(call.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_string_round_trips_byte_for_byte() {
        let long = "x".repeat(300);
        for text in [
            "",
            "lc_run--1234",
            "mytool:host:9c",
            "a/b c",
            "é😀\u{2028}\n",
            &long,
        ] {
            let id = MessageId::from(text);
            assert_eq!(id.as_str(), text);
            let json = serde_json::to_string(&id).unwrap();
            assert_eq!(serde_json::from_str::<MessageId>(&json).unwrap(), id);
        }
    }

    #[test]
    fn forty_bytes_stay_inline_and_an_id_is_six_words() {
        assert_eq!(size_of::<MessageId>(), 48);
        assert!(matches!(MessageId::from("x".repeat(40)).0, Repr::Inline(_)));
        assert!(matches!(MessageId::from("x".repeat(41)).0, Repr::Shared(_)));
    }

    #[test]
    fn an_id_is_not_a_number() {
        assert!(serde_json::from_str::<RunId>("12").is_err());
    }
}
