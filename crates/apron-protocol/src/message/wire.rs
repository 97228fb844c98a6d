//! How messages arrive: one flat shape for every role, read in a single pass, then sorted out.
//!
//! An internally tagged enum would buffer each message whole before it knew the role, and would
//! fail a whole list for one role it does not know. The flat shape costs one pass and is linear
//! also for a list of a hundred thousand unknown roles.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    ActivityMessage, AssistantMessage, Content, ContentPart, InstructionMessage, MediaPart,
    Message, PartSource, ReasoningMessage, TextPart, ToolCall, ToolMessage, UserMessage,
};
use crate::ids::{MessageId, SubagentRunId, ToolCallId};
use crate::notes::{NoteKind, Notes};

/// Every member that some role has. `Option` reads a null as absent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireMessage {
    role: String,
    id: Option<MessageId>,
    content: Option<WireContent>,
    tool_calls: Option<Vec<ToolCall>>,
    tool_call_id: Option<ToolCallId>,
    activity_type: Option<String>,
    name: Option<String>,
    error: Option<String>,
    encrypted_value: Option<String>,
    metadata: Option<Map<String, Value>>,
    subagent_run_id: Option<SubagentRunId>,
}

/// Content of any role: text, parts, or an activity's object.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum WireContent {
    Text(String),
    Parts(Vec<WirePart>),
    Object(Map<String, Value>),
}

/// Every member that some part has, those of the 0.x `binary` part included.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WirePart {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    source: Option<WireSource>,
    id: Option<String>,
    metadata: Option<Value>,
    mime_type: Option<String>,
    data: Option<String>,
    url: Option<String>,
    filename: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireSource {
    #[serde(rename = "type")]
    kind: String,
    value: Option<String>,
    mime_type: Option<String>,
    provider: Option<String>,
}

/// A known member is missing or has the wrong shape. Says which, never what it held.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Malformed(&'static str);

impl WireMessage {
    /// Sorts the members out by role; `None` for a role that 1.0 does not know.
    pub(crate) fn read(self, notes: &mut Notes) -> Result<Option<Message>, Malformed> {
        let Self {
            role,
            id,
            content,
            tool_calls,
            tool_call_id,
            activity_type,
            name,
            error,
            encrypted_value,
            metadata,
            subagent_run_id,
        } = self;
        if !matches!(
            role.as_str(),
            "developer" | "system" | "assistant" | "user" | "tool" | "activity" | "reasoning"
        ) {
            notes.add(NoteKind::UnknownRole, &role);
            return Ok(None);
        }
        let id = id.ok_or(Malformed("a message has no id"))?;
        let message = match role.as_str() {
            "developer" | "system" => {
                let content = plain(content, notes)?
                    .ok_or(Malformed("a developer or system message has no content"))?;
                let message = InstructionMessage {
                    id,
                    content,
                    name,
                    encrypted_value,
                    metadata,
                    subagent_run_id,
                };
                if role == "system" {
                    Message::System(message)
                } else {
                    Message::Developer(message)
                }
            }
            "assistant" => Message::Assistant(AssistantMessage {
                id,
                content: plain(content, notes)?,
                tool_calls: tool_calls.unwrap_or_default(),
                name,
                encrypted_value,
                metadata,
                subagent_run_id,
            }),
            "user" => {
                let content = content.ok_or(Malformed("a user message has no content"))?;
                let content = content.read(notes)?;
                Message::User(UserMessage {
                    id,
                    content,
                    name,
                    encrypted_value,
                    metadata,
                    subagent_run_id,
                })
            }
            "tool" => {
                let content = content.ok_or(Malformed("a tool message has no content"))?;
                let content = content.read(notes)?;
                let tool_call_id =
                    tool_call_id.ok_or(Malformed("a tool message has no toolCallId"))?;
                Message::Tool(ToolMessage {
                    id,
                    tool_call_id,
                    content,
                    error,
                    encrypted_value,
                    metadata,
                    subagent_run_id,
                })
            }
            "activity" => {
                let activity_type =
                    activity_type.ok_or(Malformed("an activity message has no activityType"))?;
                let Some(WireContent::Object(content)) = content else {
                    return Err(Malformed("an activity message's content is no object"));
                };
                Message::Activity(ActivityMessage {
                    id,
                    activity_type,
                    content,
                    metadata,
                    subagent_run_id,
                })
            }
            _ => Message::Reasoning(ReasoningMessage {
                id,
                content: plain(content, notes)?
                    .ok_or(Malformed("a reasoning message has no content"))?,
                encrypted_value,
                metadata,
                subagent_run_id,
            }),
        };
        Ok(Some(message))
    }
}

/// Reads a list and leaves out what 1.0 does not know.
pub(crate) fn read_all(
    wire: Vec<WireMessage>,
    notes: &mut Notes,
) -> Result<Vec<Message>, Malformed> {
    let mut messages = Vec::with_capacity(wire.len());
    for message in wire {
        messages.extend(message.read(notes)?);
    }
    Ok(messages)
}

/// Content of a role that speaks plain text. Parts are taken for their text: 0.x histories
/// (and TanStack's) carry assistant text that way.
fn plain(content: Option<WireContent>, notes: &mut Notes) -> Result<Option<String>, Malformed> {
    match content {
        None => Ok(None),
        Some(WireContent::Text(text)) => Ok(Some(text)),
        Some(parts @ WireContent::Parts(_)) => Ok(Some(parts.read(notes)?.to_text())),
        Some(WireContent::Object(_)) => Err(Malformed("a message's content is an object")),
    }
}

impl WireContent {
    pub(crate) fn read(self, notes: &mut Notes) -> Result<Content, Malformed> {
        match self {
            Self::Text(text) => Ok(Content::Text(text)),
            Self::Parts(wire) => {
                let mut parts = Vec::with_capacity(wire.len());
                for part in wire {
                    parts.extend(part.read(notes)?);
                }
                Ok(Content::Parts(parts))
            }
            Self::Object(_) => Err(Malformed("a message's content is an object")),
        }
    }
}

impl WirePart {
    /// Reads a part; `None` for a type, or a type of source, that 1.0 does not know.
    pub(crate) fn read(self, notes: &mut Notes) -> Result<Option<ContentPart>, Malformed> {
        let Self {
            kind,
            text,
            source,
            id,
            metadata,
            mime_type,
            data,
            url,
            filename,
        } = self;
        let wrap = match kind.as_str() {
            "text" => {
                let text = text.ok_or(Malformed("a text part has no text"))?;
                return Ok(Some(ContentPart::Text(TextPart { text, id, metadata })));
            }
            "image" => ContentPart::Image,
            "audio" => ContentPart::Audio,
            "video" => ContentPart::Video,
            "document" => ContentPart::Document,
            "binary" => {
                notes.add(NoteKind::UpgradedBinary, &kind);
                return upgrade(mime_type, data, url, id, filename).map(Some);
            }
            _ => {
                notes.add(NoteKind::UnknownPart, &kind);
                return Ok(None);
            }
        };
        let source = source.ok_or(Malformed("a media part has no source"))?;
        let Some(source) = source.read(notes)? else {
            return Ok(None);
        };
        Ok(Some(wrap(MediaPart {
            source,
            id,
            metadata,
        })))
    }
}

impl WireSource {
    fn read(self, notes: &mut Notes) -> Result<Option<PartSource>, Malformed> {
        let Self {
            kind,
            value,
            mime_type,
            provider,
        } = self;
        if !matches!(kind.as_str(), "data" | "url" | "file") {
            notes.add(NoteKind::UnknownSource, &kind);
            return Ok(None);
        }
        let value = value.ok_or(Malformed("a part's source has no value"))?;
        Ok(Some(match kind.as_str() {
            "data" => PartSource::Data {
                value,
                mime_type: mime_type.ok_or(Malformed("a data source has no mimeType"))?,
            },
            "url" => PartSource::Url { value, mime_type },
            _ => PartSource::File {
                value,
                provider,
                mime_type,
            },
        }))
    }
}

/// Turns a 0.x `binary` part into the media part that 1.0 has for it. The precedence is inline
/// bytes, then address, then handle.
fn upgrade(
    mime_type: Option<String>,
    data: Option<String>,
    url: Option<String>,
    id: Option<String>,
    filename: Option<String>,
) -> Result<ContentPart, Malformed> {
    let family = mime_type.as_deref().and_then(|kind| kind.split('/').next());
    let wrap = match family {
        Some("image") => ContentPart::Image,
        Some("audio") => ContentPart::Audio,
        Some("video") => ContentPart::Video,
        _ => ContentPart::Document,
    };
    let (source, id) = match (data, url, id) {
        (Some(value), _, id) => {
            let mime_type = mime_type.ok_or(Malformed("a binary part has no mimeType"))?;
            (PartSource::Data { value, mime_type }, id)
        }
        (None, Some(value), id) => (PartSource::Url { value, mime_type }, id),
        (None, None, Some(value)) => (
            PartSource::File {
                value,
                provider: None,
                mime_type,
            },
            None,
        ),
        (None, None, None) => return Err(Malformed("a binary part has no data, url or id")),
    };
    let metadata = filename.map(|name| serde_json::json!({ "filename": name }));
    Ok(wrap(MediaPart {
        source,
        id,
        metadata,
    }))
}
