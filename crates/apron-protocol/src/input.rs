//! What a client asks for: the body of the POST.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::absent::{nothing, null_is_default};
use crate::error::Error;
use crate::ids::{InterruptId, RunId, ThreadId};
use crate::message::{Message, Messages};
use crate::notes::Notes;
use crate::object::{Object, objects};
use crate::version::ProtocolVersion;

/// The request of a run: `RunAgentInput`.
///
/// [`RunAgentInput::from_slice`] reads it as a 1.0 server must: unknown members are ignored, nulls
/// of optional members are absent, messages of an unknown role and parts of an unknown type are
/// left out with a note, and a malformed known member is an error.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunAgentInput {
    /// The conversation.
    pub thread_id: ThreadId,
    /// The run to be.
    pub run_id: RunId,
    /// The version the client speaks. Clients before 1.0 send none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The run this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<RunId>,
    /// The shared state as the client holds it; absent is `{}`.
    #[serde(skip_serializing_if = "nothing")]
    pub state: Option<Value>,
    /// The conversation so far. Client-supplied, so forgeable: it is a claim, not a record.
    pub messages: Vec<Message>,
    /// Tools that the client runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Facts for the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<Context>,
    /// Data for the application. Never a channel for credentials or provider options.
    #[serde(skip_serializing_if = "nothing")]
    pub forwarded_props: Option<Value>,
    /// Answers to interrupts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resume: Vec<ResumeEntry>,
}

/// A tool that the client runs.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tool {
    /// The name that a call must use.
    pub name: String,
    /// What the tool does, for the model. A null or absent one is read as empty.
    #[serde(default, deserialize_with = "null_is_default")]
    pub description: String,
    /// JSON Schema of the arguments; any JSON but null.
    #[serde(skip_serializing_if = "nothing")]
    pub parameters: Option<Value>,
    /// Data of the application's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// A fact for the model.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Context {
    /// What the value is.
    pub description: String,
    /// The value.
    pub value: String,
}

/// The answer to an interrupt.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResumeEntry {
    /// The interrupt that is answered.
    pub interrupt_id: InterruptId,
    /// Whether the person answered or called it off.
    pub status: ResumeStatus,
    /// The answer; any JSON but null.
    #[serde(skip_serializing_if = "nothing")]
    pub payload: Option<Value>,
    /// Data of the application's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// Whether an interrupt was answered.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "a closed enum of the protocol")]
pub enum ResumeStatus {
    /// Answered.
    Resolved,
    /// Called off.
    Cancelled,
}

/// How the input arrives. `Option` reads a null as absent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    thread_id: ThreadId,
    run_id: RunId,
    protocol_version: Option<String>,
    parent_run_id: Option<RunId>,
    state: Option<Value>,
    messages: Messages,
    #[serde(default, deserialize_with = "objects")]
    tools: Vec<Tool>,
    #[serde(default, deserialize_with = "objects")]
    context: Vec<Context>,
    forwarded_props: Option<Value>,
    #[serde(default, deserialize_with = "objects")]
    resume: Vec<ResumeEntry>,
}

impl RunAgentInput {
    /// An input with the given ids, this crate's protocol version and nothing else.
    #[must_use]
    pub fn new(thread_id: impl Into<ThreadId>, run_id: impl Into<RunId>) -> Self {
        Self {
            thread_id: thread_id.into(),
            run_id: run_id.into(),
            protocol_version: Some(crate::PROTOCOL_VERSION.to_owned()),
            parent_run_id: None,
            state: None,
            messages: Vec::new(),
            tools: Vec::new(),
            context: Vec::new(),
            forwarded_props: None,
            resume: Vec::new(),
        }
    }

    /// Reads a request body, and says what was left out or changed.
    ///
    /// Linear in the size of the body. Nesting deeper than 128 is refused, unless it is in an unknown
    /// member, which is skipped without recursion.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] when the body is no JSON or a known member is missing or malformed. The
    /// error names the place; it may quote the body, so it is for the log and not for the wire.
    pub fn from_slice(body: &[u8]) -> Result<(Self, Notes), Error> {
        serde_json::from_slice(body)
            .map(|Object(wire): Object<Wire>| wire.sort_out())
            .map_err(Error::input)
    }

    /// The version the client declares, when it is of the form `major.minor`.
    #[must_use]
    pub fn version(&self) -> Option<ProtocolVersion> {
        self.protocol_version
            .as_deref()
            .and_then(|version| version.parse().ok())
    }

    /// Adds a message.
    #[must_use]
    pub fn with_message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// Sets the run that this one continues.
    #[must_use]
    pub fn with_parent_run_id(mut self, id: impl Into<RunId>) -> Self {
        self.parent_run_id = Some(id.into());
        self
    }

    /// Sets the shared state; `null` means none.
    #[must_use]
    pub fn with_state(mut self, state: impl Into<Value>) -> Self {
        self.state = Some(state.into()).filter(|state| !state.is_null());
        self
    }

    /// Adds a fact for the model.
    #[must_use]
    pub fn with_context(mut self, context: Context) -> Self {
        self.context.push(context);
        self
    }

    /// Sets the data for the application; `null` means none.
    #[must_use]
    pub fn with_forwarded_props(mut self, props: impl Into<Value>) -> Self {
        self.forwarded_props = Some(props.into()).filter(|props| !props.is_null());
        self
    }

    /// Adds an answer to an interrupt.
    #[must_use]
    pub fn with_resume(mut self, entry: ResumeEntry) -> Self {
        self.resume.push(entry);
        self
    }

    /// Adds a tool that the client runs.
    #[must_use]
    pub fn with_tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }
}

impl Tool {
    /// A tool without parameters.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters: None,
            metadata: None,
        }
    }

    /// Sets the JSON Schema of the arguments; `null` means none.
    #[must_use]
    pub fn with_parameters(mut self, schema: Value) -> Self {
        self.parameters = (!schema.is_null()).then_some(schema);
        self
    }

    /// Sets one key of the tool's metadata.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let metadata = self.metadata.get_or_insert_default();
        metadata.insert(key.into(), value.into());
        self
    }
}

impl Context {
    /// A fact for the model.
    #[must_use]
    pub fn new(description: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            value: value.into(),
        }
    }
}

impl ResumeEntry {
    /// An answer; `null` means none.
    #[must_use]
    pub fn resolved(interrupt_id: impl Into<InterruptId>, payload: Value) -> Self {
        Self {
            interrupt_id: interrupt_id.into(),
            status: ResumeStatus::Resolved,
            payload: (!payload.is_null()).then_some(payload),
            metadata: None,
        }
    }

    /// The interrupt is called off.
    #[must_use]
    pub fn cancelled(interrupt_id: impl Into<InterruptId>) -> Self {
        Self {
            interrupt_id: interrupt_id.into(),
            status: ResumeStatus::Cancelled,
            payload: None,
            metadata: None,
        }
    }

    /// Sets one key of the answer's metadata.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let metadata = self.metadata.get_or_insert_default();
        metadata.insert(key.into(), value.into());
        self
    }
}

impl Wire {
    fn sort_out(self) -> (RunAgentInput, Notes) {
        let Messages { list, notes } = self.messages;
        let input = RunAgentInput {
            thread_id: self.thread_id,
            run_id: self.run_id,
            protocol_version: self.protocol_version,
            parent_run_id: self.parent_run_id,
            state: self.state,
            messages: list,
            tools: self.tools,
            context: self.context,
            forwarded_props: self.forwarded_props,
            resume: self.resume,
        };
        (input, notes)
    }
}

impl<'de> Deserialize<'de> for RunAgentInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Object(wire) = Object::<Wire>::deserialize(deserializer)?;
        Ok(wire.sort_out().0)
    }
}
