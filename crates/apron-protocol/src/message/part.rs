//! How content arrives: text, parts, or an activity's object.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess};
use serde_json::{Map, Value};

use super::{Content, ContentPart, MediaPart, PartSource, TextPart};
use crate::notes::{NoteKind, Notes};
use crate::slot::{Kind, Malformed, Slot, object_kind};
use crate::text::Text;

/// Content of any role. Parts are sorted out as they are read, so that a list of a hundred thousand
/// unknown ones is never held.
pub(super) enum WireContent {
    Text(String),
    Parts(Result<(Vec<ContentPart>, Notes), Malformed>),
    Object(Map<String, Value>),
}

/// Every member that some part has, those of the 0.x `binary` part included.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WirePart {
    #[serde(rename = "type")]
    kind: Slot<Text>,
    text: Slot<String>,
    source: Slot<WireSource>,
    id: Slot<String>,
    metadata: Option<Value>,
    mime_type: Slot<String>,
    data: Slot<String>,
    url: Slot<String>,
    filename: Slot<String>,
}

/// Every member that some source has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireSource {
    #[serde(rename = "type")]
    kind: Slot<Text>,
    value: Slot<String>,
    mime_type: Slot<String>,
    provider: Slot<String>,
}

object_kind!(WirePart);
object_kind!(WireSource);

impl Kind for WireContent {
    const WANTED: &'static str = "text or a list of parts";

    fn from_text(text: Cow<'_, str>) -> Option<Self> {
        Some(Self::Text(text.into_owned()))
    }

    fn from_object<'de, A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        let object = Map::from_object(object)?;
        Ok(object.map(Self::Object))
    }

    fn from_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut notes = Notes::default();
        let mut parts = Ok(Vec::new());
        let mut index = 0;
        while let Some(part) = list.next_element::<Slot<WirePart>>()? {
            if let Ok(good) = &mut parts {
                match part.element().and_then(|part| part.read(&mut notes)) {
                    Ok(part) => good.extend(part),
                    Err(fault) => parts = Err(fault.at(index)),
                }
            }
            index += 1;
        }
        Ok(Some(Self::Parts(parts.map(|parts| (parts, notes)))))
    }
}

impl WireContent {
    /// Content of a role that may speak in parts.
    pub(super) fn read(self, notes: &mut Notes) -> Result<Content, Malformed> {
        match self {
            Self::Text(text) => Ok(Content::Text(text)),
            Self::Parts(parts) => {
                let (parts, more) = parts.map_err(|fault| fault.within("content"))?;
                notes.append(more);
                Ok(Content::Parts(parts))
            }
            Self::Object(_) => Err(Malformed::wrong("content", Self::WANTED)),
        }
    }

    /// Content of a role that speaks plain text. Parts are taken for their text: 0.x histories
    /// (and TanStack's) carry assistant text that way.
    pub(super) fn plain(self, notes: &mut Notes) -> Result<String, Malformed> {
        match self.read(notes)? {
            Content::Text(text) => Ok(text),
            parts @ Content::Parts(_) => Ok(parts.to_text()),
        }
    }
}

impl Slot<WireContent> {
    /// Content of an activity.
    pub(super) fn object(self) -> Result<Map<String, Value>, Malformed> {
        match self {
            Self::Held(WireContent::Object(object)) => Ok(object),
            Self::Held(_) | Self::Wrong => Err(Malformed::wrong("content", "an object")),
            Self::Absent => Err(Malformed::missing("content")),
        }
    }
}

impl WirePart {
    /// Reads a part; `None` for a type, or a type of source, that 1.0 does not know.
    pub(super) fn read(self, notes: &mut Notes) -> Result<Option<ContentPart>, Malformed> {
        let kind = self.kind.required("type")?;
        let wrap = match kind.as_str() {
            "text" => {
                return Ok(Some(ContentPart::Text(TextPart {
                    text: self.text.required("text")?,
                    id: self.id.optional("id")?,
                    metadata: self.metadata,
                })));
            }
            "image" => ContentPart::Image,
            "audio" => ContentPart::Audio,
            "video" => ContentPart::Video,
            "document" => ContentPart::Document,
            "binary" => {
                let part = Binary {
                    mime_type: self.mime_type.optional("mimeType")?,
                    data: self.data.optional("data")?,
                    url: self.url.optional("url")?,
                    id: self.id.optional("id")?,
                    filename: self.filename.optional("filename")?,
                };
                notes.add(NoteKind::UpgradedBinary, &kind);
                return part.upgrade().map(Some);
            }
            _ => {
                notes.add(NoteKind::UnknownPart, &kind);
                return Ok(None);
            }
        };
        let source = self.source.required("source")?;
        let Some(source) = source.read(notes).map_err(|fault| fault.within("source"))? else {
            return Ok(None);
        };
        Ok(Some(wrap(MediaPart {
            source,
            id: self.id.optional("id")?,
            metadata: self.metadata,
        })))
    }
}

impl WireSource {
    /// Reads a source; `None` for a type that 1.0 does not know.
    pub(super) fn read(self, notes: &mut Notes) -> Result<Option<PartSource>, Malformed> {
        let kind = self.kind.required("type")?;
        Ok(Some(match kind.as_str() {
            "data" => PartSource::Data {
                value: self.value.required("value")?,
                mime_type: self.mime_type.required("mimeType")?,
            },
            "url" => PartSource::Url {
                value: self.value.required("value")?,
                mime_type: self.mime_type.optional("mimeType")?,
            },
            "file" => PartSource::File {
                value: self.value.required("value")?,
                provider: self.provider.optional("provider")?,
                mime_type: self.mime_type.optional("mimeType")?,
            },
            _ => {
                notes.add(NoteKind::UnknownSource, &kind);
                return Ok(None);
            }
        }))
    }
}

/// The 0.x part that carried any file.
struct Binary {
    mime_type: Option<String>,
    data: Option<String>,
    url: Option<String>,
    id: Option<String>,
    filename: Option<String>,
}

impl Binary {
    /// The media part that 1.0 has for it. The precedence is inline bytes, then address, then
    /// handle.
    fn upgrade(self) -> Result<ContentPart, Malformed> {
        let Self {
            mime_type,
            data,
            url,
            id,
            filename,
        } = self;
        let family = mime_type.as_deref().and_then(|kind| kind.split('/').next());
        let wrap = match family {
            Some("image") => ContentPart::Image,
            Some("audio") => ContentPart::Audio,
            Some("video") => ContentPart::Video,
            _ => ContentPart::Document,
        };
        let (source, id) = match (data, url, id) {
            (Some(value), _, id) => {
                let mime_type = mime_type.ok_or_else(|| Malformed::missing("mimeType"))?;
                (PartSource::Data { value, mime_type }, id)
            }
            (None, Some(value), id) => (PartSource::Url { value, mime_type }, id),
            (None, None, Some(value)) => {
                let source = PartSource::File {
                    value,
                    provider: None,
                    mime_type,
                };
                (source, None)
            }
            (None, None, None) => return Err(Malformed::missing("data, url or id")),
        };
        let metadata = filename.map(|name| serde_json::json!({ "filename": name }));
        Ok(wrap(MediaPart {
            source,
            id,
            metadata,
        }))
    }
}
