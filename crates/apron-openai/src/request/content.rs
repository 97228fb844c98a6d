//! What people and tools say, in the provider's content parts.

use std::borrow::Cow;

use apron_protocol::{Content, ContentPart, MediaPart, PartSource, ToolMessage};
use serde::Serialize;

use super::options::ClientFiles;
use super::repair::{Repair, Repairs};

/// Content as it goes out: text, or parts when there is more than text.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum WireContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<WirePart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum WirePart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl<'a> },
    InputAudio { input_audio: InputAudio<'a> },
    File { file: File<'a> },
}

#[derive(Serialize)]
pub(super) struct ImageUrl<'a> {
    url: Cow<'a, str>,
}

#[derive(Serialize)]
pub(super) struct InputAudio<'a> {
    data: &'a str,
    format: &'static str,
}

#[derive(Serialize)]
pub(super) struct File<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_data: Option<String>,
}

impl<'a> WireContent<'a> {
    /// Reads what a person said; `None` when nothing is left of it.
    pub(super) fn of_user(
        content: &'a Content,
        files: ClientFiles,
        repairs: &mut Repairs,
    ) -> Option<Self> {
        let parts = match content {
            Content::Text(text) => return (!text.is_empty()).then(|| Self::Text(text.into())),
            Content::Parts(parts) => parts,
        };
        let mut wire = Vec::with_capacity(parts.len());
        for part in parts {
            match WirePart::of(part, files) {
                Some(part) => wire.push(part),
                None => repairs.add(Repair::DroppedPart),
            }
        }
        Self::of_parts(wire)
    }

    /// Text when the parts are nothing else, since some providers read no parts at all.
    fn of_parts(parts: Vec<WirePart<'a>>) -> Option<Self> {
        if parts.is_empty() {
            return None;
        }
        if !parts
            .iter()
            .all(|part| matches!(part, WirePart::Text { .. }))
        {
            return Some(Self::Parts(parts));
        }
        let texts = parts.into_iter().filter_map(WirePart::into_text);
        let text = texts.reduce(|all, text| Cow::Owned(format!("{all}\n{text}")));
        text.filter(|text| !text.is_empty()).map(Self::Text)
    }

    /// Both, one after the other, as one message would say it.
    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Text(first), Self::Text(second)) => {
                Self::Text(Cow::Owned(format!("{first}\n\n{second}")))
            }
            (first, second) => {
                let mut parts = first.into_parts();
                parts.extend(second.into_parts());
                Self::Parts(parts)
            }
        }
    }

    fn into_parts(self) -> Vec<WirePart<'a>> {
        match self {
            Self::Text(text) => vec![WirePart::Text { text }],
            Self::Parts(parts) => parts,
        }
    }
}

impl<'a> WirePart<'a> {
    /// `None` for a part that the chat API cannot carry or the client may not send.
    fn of(part: &'a ContentPart, files: ClientFiles) -> Option<Self> {
        match part {
            ContentPart::Text(part) => Some(Self::Text {
                text: part.text.as_str().into(),
            }),
            ContentPart::Image(part) => Self::image(part, files),
            ContentPart::Audio(part) => Self::audio(part, files),
            ContentPart::Document(part) => Self::document(part, files),
            // Video has no place in the API, and neither has what 1.0 does not know.
            _ => None,
        }
    }

    fn image(part: &'a MediaPart, files: ClientFiles) -> Option<Self> {
        let url = match &part.source {
            PartSource::Data { value, mime_type } => {
                Cow::Owned(format!("data:{mime_type};base64,{value}"))
            }
            PartSource::Url { value, .. } => Cow::Borrowed(fetchable(value)?),
            PartSource::File { .. } => return Self::file(part, files),
            _ => return None,
        };
        Some(Self::ImageUrl {
            image_url: ImageUrl { url },
        })
    }

    fn audio(part: &'a MediaPart, files: ClientFiles) -> Option<Self> {
        match &part.source {
            PartSource::Data { value, mime_type } => Some(Self::InputAudio {
                input_audio: InputAudio {
                    data: value,
                    format: audio_format(mime_type)?,
                },
            }),
            _ => Self::file(part, files),
        }
    }

    fn document(part: &'a MediaPart, files: ClientFiles) -> Option<Self> {
        match &part.source {
            PartSource::Data { value, mime_type } if essence(mime_type) == "application/pdf" => {
                Some(Self::File {
                    file: File {
                        file_id: None,
                        filename: Some(filename(part)),
                        file_data: Some(format!("data:application/pdf;base64,{value}")),
                    },
                })
            }
            _ => Self::file(part, files),
        }
    }

    fn file(part: &'a MediaPart, files: ClientFiles) -> Option<Self> {
        match (&part.source, files) {
            (PartSource::File { value, .. }, ClientFiles::Keep) => Some(Self::File {
                file: File {
                    file_id: Some(value),
                    filename: None,
                    file_data: None,
                },
            }),
            _ => None,
        }
    }

    fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text { text } => Some(text),
            Self::ImageUrl { .. } | Self::InputAudio { .. } | Self::File { .. } => None,
        }
    }
}

/// What a tool answered. The API takes text only; of a failure without an answer, the error.
pub(super) fn of_result<'a>(message: &'a ToolMessage, repairs: &mut Repairs) -> Cow<'a, str> {
    let text = match &message.content {
        Content::Text(text) => Cow::Borrowed(text.as_str()),
        Content::Parts(parts) => {
            let mut text = String::new();
            for part in parts {
                match part.as_text() {
                    Some(more) => {
                        if !text.is_empty() {
                            text.push('\n');
                        }
                        text.push_str(more);
                    }
                    None => repairs.add(Repair::DroppedPart),
                }
            }
            Cow::Owned(text)
        }
    };
    match &message.error {
        Some(error) if text.is_empty() => {
            Cow::Owned(serde_json::json!({"error": error}).to_string())
        }
        _ => text,
    }
}

/// An address that a provider may fetch. Others would be read by something that trusts us.
fn fetchable(url: &str) -> Option<&str> {
    let starts = |scheme: &str| {
        url.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    (starts("https://") || starts("data:image/")).then_some(url)
}

fn audio_format(mime_type: &str) -> Option<&'static str> {
    match essence(mime_type) {
        "audio/wav" | "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => Some("wav"),
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        _ => None,
    }
}

/// The media type without its parameters.
fn essence(mime_type: &str) -> &str {
    mime_type.split(';').next().unwrap_or_default().trim()
}

/// The API wants a name with a file's bytes; AG-UI keeps one in the metadata, if at all.
fn filename(part: &MediaPart) -> Cow<'_, str> {
    let name = |key| part.metadata.as_ref()?.get(key)?.as_str();
    name("filename")
        .or_else(|| name("name"))
        .filter(|name| !name.is_empty())
        .unwrap_or("document.pdf")
        .into()
}
