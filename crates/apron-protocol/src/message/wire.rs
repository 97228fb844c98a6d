//! How messages arrive: one flat shape for every role, read in a single pass, then sorted out.
//!
//! An internally tagged enum would buffer each message whole before it knew the role, and would
//! fail a whole list for one role it does not know. The flat shape costs one pass, and a message is
//! sorted out before the next is read, so a list of a hundred thousand unknown roles costs no
//! memory.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::part::WireContent;
use super::{
    ActivityMessage, AssistantMessage, FunctionCall, InstructionMessage, Message, ReasoningMessage,
    ToolCall, ToolCallKind, ToolMessage, UserMessage,
};
use crate::ids::{MessageId, SubagentRunId, ToolCallId};
use crate::notes::{NoteKind, Notes};
use crate::slot::{Kind, Malformed, Slot, object_kind};
use crate::text::Text;

/// A message list as it is read: messages of an unknown role are left out, with a note.
pub(crate) struct Messages {
    pub(crate) list: Vec<Message>,
    pub(crate) notes: Notes,
}

/// Every member that some role has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireMessage {
    role: Slot<Text>,
    id: Slot<MessageId>,
    content: Slot<WireContent>,
    tool_calls: Slot<WireCalls>,
    tool_call_id: Slot<ToolCallId>,
    activity_type: Slot<String>,
    name: Slot<String>,
    error: Slot<String>,
    encrypted_value: Slot<String>,
    metadata: Slot<Map<String, Value>>,
    subagent_run_id: Slot<SubagentRunId>,
}

/// The tool calls of a message, sorted out as they are read.
struct WireCalls(Result<Vec<ToolCall>, Malformed>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireCall {
    id: Slot<ToolCallId>,
    #[serde(rename = "type")]
    kind: Slot<Text>,
    function: Slot<WireFunction>,
    encrypted_value: Slot<String>,
    metadata: Slot<Map<String, Value>>,
}

#[derive(Deserialize)]
pub(super) struct WireFunction {
    name: Slot<String>,
    arguments: Slot<String>,
}

object_kind!(WireMessage);
object_kind!(WireCall);
object_kind!(WireFunction);

impl<'de> Deserialize<'de> for Messages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(MessagesVisitor)
    }
}

struct MessagesVisitor;

impl<'de> Visitor<'de> for MessagesVisitor {
    type Value = Messages;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut wire: A) -> Result<Messages, A::Error> {
        let mut list = Vec::new();
        let mut notes = Notes::default();
        let mut index = 0;
        while let Some(message) = wire.next_element::<Slot<WireMessage>>()? {
            let message = message.element().and_then(|wire| wire.read(&mut notes));
            let message =
                message.map_err(|fault| A::Error::custom(fault.at(index).within("messages")))?;
            list.extend(message);
            index += 1;
        }
        Ok(Messages { list, notes })
    }
}

impl WireMessage {
    /// Sorts the members out by role; `None` for a role that 1.0 does not know.
    pub(super) fn read(mut self, notes: &mut Notes) -> Result<Option<Message>, Malformed> {
        let role = self.role.take().required("role")?;
        Ok(Some(match role.as_str() {
            "developer" => Message::Developer(self.instruction(notes)?),
            "system" => Message::System(self.instruction(notes)?),
            "assistant" => Message::Assistant(self.assistant(notes)?),
            "user" => Message::User(self.user(notes)?),
            "tool" => Message::Tool(self.tool(notes)?),
            "activity" => Message::Activity(self.activity()?),
            "reasoning" => Message::Reasoning(self.reasoning(notes)?),
            _ => {
                notes.add(NoteKind::UnknownRole, &role);
                return Ok(None);
            }
        }))
    }

    fn instruction(self, notes: &mut Notes) -> Result<InstructionMessage, Malformed> {
        Ok(InstructionMessage {
            id: self.id.required("id")?,
            content: self.content.required("content")?.plain(notes)?,
            name: self.name.optional("name")?,
            encrypted_value: self.encrypted_value.optional("encryptedValue")?,
            metadata: self.metadata.optional("metadata")?,
            subagent_run_id: self.subagent_run_id.optional("subagentRunId")?,
        })
    }

    fn assistant(self, notes: &mut Notes) -> Result<AssistantMessage, Malformed> {
        let content = self.content.optional("content")?;
        let calls = self.tool_calls.optional("toolCalls")?;
        Ok(AssistantMessage {
            id: self.id.required("id")?,
            content: content.map(|content| content.plain(notes)).transpose()?,
            tool_calls: calls.map_or_else(|| Ok(Vec::new()), |WireCalls(calls)| calls)?,
            name: self.name.optional("name")?,
            encrypted_value: self.encrypted_value.optional("encryptedValue")?,
            metadata: self.metadata.optional("metadata")?,
            subagent_run_id: self.subagent_run_id.optional("subagentRunId")?,
        })
    }

    fn user(self, notes: &mut Notes) -> Result<UserMessage, Malformed> {
        Ok(UserMessage {
            id: self.id.required("id")?,
            content: self.content.required("content")?.read(notes)?,
            name: self.name.optional("name")?,
            encrypted_value: self.encrypted_value.optional("encryptedValue")?,
            metadata: self.metadata.optional("metadata")?,
            subagent_run_id: self.subagent_run_id.optional("subagentRunId")?,
        })
    }

    fn tool(self, notes: &mut Notes) -> Result<ToolMessage, Malformed> {
        Ok(ToolMessage {
            id: self.id.required("id")?,
            tool_call_id: self.tool_call_id.required("toolCallId")?,
            content: self.content.required("content")?.read(notes)?,
            error: self.error.optional("error")?,
            encrypted_value: self.encrypted_value.optional("encryptedValue")?,
            metadata: self.metadata.optional("metadata")?,
            subagent_run_id: self.subagent_run_id.optional("subagentRunId")?,
        })
    }

    fn activity(self) -> Result<ActivityMessage, Malformed> {
        Ok(ActivityMessage {
            id: self.id.required("id")?,
            activity_type: self.activity_type.required("activityType")?,
            content: self.content.object()?,
            metadata: self.metadata.optional("metadata")?,
            subagent_run_id: self.subagent_run_id.optional("subagentRunId")?,
        })
    }

    fn reasoning(self, notes: &mut Notes) -> Result<ReasoningMessage, Malformed> {
        Ok(ReasoningMessage {
            id: self.id.required("id")?,
            content: self.content.required("content")?.plain(notes)?,
            encrypted_value: self.encrypted_value.optional("encryptedValue")?,
            metadata: self.metadata.optional("metadata")?,
            subagent_run_id: self.subagent_run_id.optional("subagentRunId")?,
        })
    }
}

impl Kind for WireCalls {
    const WANTED: &'static str = "a list";

    fn from_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut calls = Ok(Vec::new());
        let mut index = 0;
        while let Some(call) = list.next_element::<Slot<WireCall>>()? {
            if let Ok(good) = &mut calls {
                match call.element().and_then(WireCall::read) {
                    Ok(call) => good.push(call),
                    Err(fault) => calls = Err(fault.at(index).within("toolCalls")),
                }
            }
            index += 1;
        }
        Ok(Some(Self(calls)))
    }
}

impl WireCall {
    pub(super) fn read(self) -> Result<ToolCall, Malformed> {
        // Absent is forgiven: there is one kind, and 0.x histories leave it out.
        if let Some(kind) = self.kind.optional("type")?
            && kind != "function"
        {
            return Err(Malformed::wrong("type", "\"function\""));
        }
        let function = self.function.required("function")?;
        let function = function.read().map_err(|fault| fault.within("function"))?;
        Ok(ToolCall {
            id: self.id.required("id")?,
            kind: ToolCallKind::Function,
            function,
            encrypted_value: self.encrypted_value.optional("encryptedValue")?,
            metadata: self.metadata.optional("metadata")?,
        })
    }
}

impl WireFunction {
    pub(super) fn read(self) -> Result<FunctionCall, Malformed> {
        Ok(FunctionCall {
            name: self.name.required("name")?,
            arguments: self.arguments.required("arguments")?,
        })
    }
}
