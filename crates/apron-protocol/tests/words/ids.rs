//! Ids are opaque strings.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use apron_protocol::{InterruptId, MessageId, RunId, SubagentRunId, ThreadId, ToolCallId};
use proptest::prelude::any;
use proptest::{prop_assert_eq, proptest};

macro_rules! assert_opaque {
    ($text:expr, $($name:ident)+) => {$(
        let id = $name::from($text);
        prop_assert_eq!(id.as_str(), $text);
        prop_assert_eq!(id.as_ref(), $text);
        prop_assert_eq!(id.to_string(), $text);
        prop_assert_eq!(format!("{id:?}"), format!("{:?}", $text));
        prop_assert_eq!(&$name::from($text.to_owned()), &id);
        prop_assert_eq!(&$name::from(&$text.to_owned()), &id);
        prop_assert_eq!(&$name::from(Cow::from($text)), &id);
        prop_assert_eq!(String::from(id.clone()), $text);
        let json = serde_json::to_string(&id).unwrap();
        prop_assert_eq!(&json, &serde_json::to_string($text).unwrap());
        prop_assert_eq!(serde_json::from_str::<$name>(&json).unwrap(), id);
    )+};
}

proptest! {
    #[test]
    fn any_string_is_an_id(text in any::<String>()) {
        let text = text.as_str();
        assert_opaque!(text, ThreadId RunId MessageId ToolCallId SubagentRunId InterruptId);
    }

    /// Ids are compared and hashed as their text, so a map of ids is searched by text.
    #[test]
    fn an_id_is_found_by_its_text(texts in proptest::collection::btree_set("\\PC{0,60}", 1..8)) {
        let hashed: HashMap<MessageId, &str> =
            texts.iter().map(|text| (text.into(), text.as_str())).collect();
        let sorted: BTreeMap<MessageId, &str> =
            texts.iter().map(|text| (text.into(), text.as_str())).collect();
        for text in &texts {
            prop_assert_eq!(hashed.get(text.as_str()), Some(&text.as_str()));
            prop_assert_eq!(sorted.get(text.as_str()), Some(&text.as_str()));
        }
        let mut plain: Vec<&str> = texts.iter().map(String::as_str).collect();
        plain.sort_unstable();
        prop_assert_eq!(sorted.into_values().collect::<Vec<_>>(), plain);
    }
}

/// The message that a client mints for a call without a parent.
#[test]
fn a_call_gives_its_id_to_a_message() {
    for text in ["c1", &"c".repeat(100)] {
        assert_eq!(
            MessageId::from(&ToolCallId::from(text)),
            MessageId::from(text)
        );
    }
}
