//! What an agent says about itself. Omitted means undeclared, not unsupported.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::input::Tool;
use crate::number;

/// What an agent can do. No transport of AG-UI 1.0 carries it; an endpoint of its own may.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentCapabilities {
    /// Who the agent is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<IdentityCapabilities>,
    /// How events travel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<TransportCapabilities>,
    /// What it does with tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolsCapabilities>,
    /// What it writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputCapabilities>,
    /// What it does with shared state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<StateCapabilities>,
    /// Work of several agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_agent: Option<MultiAgentCapabilities>,
    /// What it shows of its reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<ReasoningCapabilities>,
    /// Media beyond text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multimodal: Option<MultimodalCapabilities>,
    /// What it runs, and for how long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<ExecutionCapabilities>,
    /// How people take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_in_the_loop: Option<HumanInTheLoopCapabilities>,
    /// Data of the application's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom: Option<Map<String, Value>>,
}

/// Who the agent is.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct IdentityCapabilities {
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What kind of agent it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Who runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Where it is documented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// Data of the application's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// How events travel.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TransportCapabilities {
    /// Events are streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// A WebSocket is offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub websocket: Option<bool>,
    /// The protobuf form is offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_binary: Option<bool>,
    /// Push notifications are offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_notifications: Option<bool>,
    /// A lost stream can be taken up again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumable: Option<bool>,
}

/// What the agent does with tools.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolsCapabilities {
    /// Tools are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported: Option<bool>,
    /// The agent's own tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<Tool>>,
    /// Several calls at once are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_calls: Option<bool>,
    /// The client's tools are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_provided: Option<bool>,
}

/// What the agent writes.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutputCapabilities {
    /// Output can be bound to a schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<bool>,
    /// Media types it can write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported_mime_types: Option<Vec<String>>,
}

/// What the agent does with shared state.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StateCapabilities {
    /// State is sent whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<bool>,
    /// State is sent as changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deltas: Option<bool>,
    /// The agent remembers across runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<bool>,
    /// State outlives the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistent_state: Option<bool>,
}

/// Work of several agents.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MultiAgentCapabilities {
    /// Several agents work together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported: Option<bool>,
    /// Work is delegated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegation: Option<bool>,
    /// Work is handed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoffs: Option<bool>,
    /// The subagents there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagents: Option<Vec<SubagentInfo>>,
}

/// What the agent shows of its reasoning.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReasoningCapabilities {
    /// Reasoning is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported: Option<bool>,
    /// Reasoning is streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Encrypted reasoning is sent back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted: Option<bool>,
}

/// Media beyond text.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MultimodalCapabilities {
    /// Media it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<MultimodalInputCapabilities>,
    /// Media it writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<MultimodalOutputCapabilities>,
}

/// Media that the agent reads.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MultimodalInputCapabilities {
    /// Pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<bool>,
    /// Sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<bool>,
    /// Film.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<bool>,
    /// PDF documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdf: Option<bool>,
    /// Other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<bool>,
}

/// Media that the agent writes.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MultimodalOutputCapabilities {
    /// Pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<bool>,
    /// Sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<bool>,
}

/// What the agent runs, and for how long.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExecutionCapabilities {
    /// Code is run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_execution: Option<bool>,
    /// Code is run in a sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandboxed: Option<bool>,
    /// The most rounds of a run.
    #[serde(
        default,
        deserialize_with = "number::count",
        serialize_with = "number::write_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_iterations: Option<u64>,
    /// The longest a run may take, in milliseconds.
    #[serde(
        default,
        deserialize_with = "number::count",
        serialize_with = "number::write_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_execution_time: Option<u64>,
}

/// How people take part.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HumanInTheLoopCapabilities {
    /// People take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported: Option<bool>,
    /// People approve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<bool>,
    /// People step in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interventions: Option<bool>,
    /// People give feedback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<bool>,
    /// Runs end in interrupts and resume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupts: Option<bool>,
    /// People approve with edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve_with_edits: Option<bool>,
}

/// A subagent that the agent may call.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SubagentInfo {
    /// The subagent's name.
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl SubagentInfo {
    /// A subagent without a description.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
        }
    }

    /// Says what the subagent does.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}
