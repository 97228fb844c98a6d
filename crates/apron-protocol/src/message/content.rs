//! What a message says: text, or parts of several media.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::part::{WireContent, WirePart, WireSource};
use crate::absent::nothing;
use crate::notes::Notes;
use crate::slot;

/// The content of a user message, a tool message or a tool result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[expect(clippy::exhaustive_enums, reason = "the protocol's union of two")]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Parts, in order.
    Parts(Vec<ContentPart>),
}

/// One part of a [`Content`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ContentPart {
    /// Text.
    Text(TextPart),
    /// A picture.
    Image(MediaPart),
    /// A sound.
    Audio(MediaPart),
    /// A film.
    Video(MediaPart),
    /// A document.
    Document(MediaPart),
}

/// A part of text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextPart {
    /// The text.
    pub text: String,
    /// The part's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Any JSON but null.
    #[serde(skip_serializing_if = "nothing")]
    pub metadata: Option<Value>,
}

/// A part that is not text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MediaPart {
    /// Where the bytes are.
    pub source: PartSource,
    /// The part's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Any JSON but null.
    #[serde(skip_serializing_if = "nothing")]
    pub metadata: Option<Value>,
}

/// Where the bytes of a [`MediaPart`] are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum PartSource {
    /// Inline, as base64.
    #[serde(rename_all = "camelCase")]
    Data {
        /// The bytes, base64.
        value: String,
        /// Their media type.
        mime_type: String,
    },
    /// At an address. A server never fetches it on its own.
    #[serde(rename_all = "camelCase")]
    Url {
        /// The address.
        value: String,
        /// The media type, when known.
        #[serde(skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
    },
    /// Behind a handle that a provider issued. Never fetched.
    #[serde(rename_all = "camelCase")]
    File {
        /// The handle.
        value: String,
        /// The provider that issued it.
        #[serde(skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        /// The media type, when known.
        #[serde(skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
    },
}

impl Content {
    /// All text in order, joined without a separator; media parts say nothing here.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => parts.iter().filter_map(ContentPart::as_text).collect(),
        }
    }

    /// True when there is no part and no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Parts(parts) => parts.is_empty(),
        }
    }
}

impl ContentPart {
    /// A part of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextPart::new(text))
    }

    /// The text, when the part is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(part) => Some(&part.text),
            Self::Image(_) | Self::Audio(_) | Self::Video(_) | Self::Document(_) => None,
        }
    }
}

impl TextPart {
    /// A part with the given text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            id: None,
            metadata: None,
        }
    }
}

impl MediaPart {
    /// A part with the given source.
    #[must_use]
    pub fn new(source: PartSource) -> Self {
        Self {
            source,
            id: None,
            metadata: None,
        }
    }
}

/// The setters that every part has.
macro_rules! setters {
    ($($name:ident)+) => {$(
        impl $name {
            /// Sets the part's own id.
            #[must_use]
            pub fn with_id(mut self, id: impl Into<String>) -> Self {
                self.id = Some(id.into());
                self
            }

            /// Sets the metadata, any JSON; `null` means none.
            #[must_use]
            pub fn with_metadata(mut self, metadata: impl Into<Value>) -> Self {
                self.metadata = Some(metadata.into()).filter(|metadata| !metadata.is_null());
                self
            }
        }
    )+};
}

setters! { TextPart MediaPart }

impl PartSource {
    /// Bytes inline, already in base64.
    #[must_use]
    pub fn data(base64: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Data {
            value: base64.into(),
            mime_type: mime_type.into(),
        }
    }

    /// An address, of unknown media type.
    #[must_use]
    pub fn url(address: impl Into<String>) -> Self {
        Self::Url {
            value: address.into(),
            mime_type: None,
        }
    }

    /// A handle that a provider issued, of unknown provider and media type.
    #[must_use]
    pub fn file(handle: impl Into<String>) -> Self {
        Self::File {
            value: handle.into(),
            provider: None,
            mime_type: None,
        }
    }
}

impl From<TextPart> for ContentPart {
    fn from(part: TextPart) -> Self {
        Self::Text(part)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentPart>> for Content {
    fn from(parts: Vec<ContentPart>) -> Self {
        Self::Parts(parts)
    }
}

impl FromIterator<ContentPart> for Content {
    fn from_iter<I: IntoIterator<Item = ContentPart>>(parts: I) -> Self {
        Self::Parts(parts.into_iter().collect())
    }
}

impl<'de> Deserialize<'de> for Content {
    /// Parts of an unknown type, or with a source of an unknown type, are left out.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |wire: WireContent| wire.read(&mut Notes::default());
        slot::whole(deserializer, "content", read)
    }
}

impl<'de> Deserialize<'de> for ContentPart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |wire: WirePart| wire.read(&mut Notes::default());
        slot::whole(deserializer, "part", read)?
            .ok_or_else(|| D::Error::custom("a content part of an unknown type"))
    }
}

impl<'de> Deserialize<'de> for PartSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |wire: WireSource| wire.read(&mut Notes::default());
        slot::whole(deserializer, "source", read)?
            .ok_or_else(|| D::Error::custom("a source of an unknown type"))
    }
}
