//! What a provider wants back in a later request, on its way through the client.
//!
//! AG-UI carries one opaque string for it: `REASONING_ENCRYPTED_VALUE`, which comes back as the
//! `encryptedValue` of a reasoning message, an assistant message or a tool call. Ours is JSON with
//! a namespace, so that a value of another origin is told apart. What comes back is from the
//! client, so it may be forged: it is only ever put where the provider put it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Data that goes back to the provider verbatim.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Envelope {
    /// The provider's name, when the options give one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<String>,
    /// OpenRouter's `reasoning_details`, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasoning_details: Vec<Map<String, Value>>,
    /// Venice's `reasoning_encrypted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_encrypted: Option<String>,
    /// Google's `extra_content`, which holds a thought signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extra_content: Option<Value>,
}

/// The form on the wire.
#[derive(Deserialize, Serialize)]
struct Wire<T> {
    #[serde(rename = "v")]
    version: u32,
    #[serde(rename = "p")]
    namespace: String,
    #[serde(flatten)]
    envelope: T,
}

impl Envelope {
    /// The envelope as an encrypted value; `None` when it is over [`LIMIT`].
    pub(crate) fn seal(&self) -> Option<String> {
        let wire = Wire {
            version: VERSION,
            namespace: NAMESPACE.to_owned(),
            envelope: self,
        };
        let text = serde_json::to_string(&wire).ok()?;
        (text.len() <= LIMIT).then_some(text)
    }

    /// Reads an encrypted value; `None` when it is not one of ours.
    pub(crate) fn open(text: &str) -> Option<Self> {
        if text.len() > LIMIT {
            return None;
        }
        let wire: Wire<Self> = serde_json::from_str(text).ok()?;
        (wire.version == VERSION && wire.namespace == NAMESPACE).then_some(wire.envelope)
    }
}

const VERSION: u32 = 1;
const NAMESPACE: &str = "openai.chat";

/// Bytes that an envelope may have. Those that were seen have 1 to 3 KB an item.
pub(crate) const LIMIT: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_can_be_opened() {
        let envelope = Envelope {
            provider: Some("p".to_owned()),
            reasoning_encrypted: Some("E".to_owned()),
            ..Envelope::default()
        };
        let text = envelope.seal().unwrap();
        assert_eq!(Envelope::open(&text), Some(envelope));
    }

    #[test]
    fn what_is_not_ours_stays_shut() {
        for text in [
            "",
            "ciphertext",
            "{}",
            r#"{"v":2,"p":"openai.chat"}"#,
            r#"{"v":1,"p":"other"}"#,
        ] {
            assert_eq!(Envelope::open(text), None, "{text}");
        }
    }

    #[test]
    fn an_oversize_envelope_is_not_sent() {
        let envelope = Envelope {
            reasoning_encrypted: Some("x".repeat(LIMIT)),
            ..Envelope::default()
        };
        assert_eq!(envelope.seal(), None);
    }
}
