//! From an AG-UI conversation to the body of a chat-completions request.

mod content;
mod forward;
mod hosted;
mod ids;
mod messages;
mod names;
mod options;
mod refusal;
mod render;
mod repair;
mod tools;
mod turns;
mod wire;

use std::fmt;
use std::sync::Arc;

use apron_protocol::{RunAgentInput, Tool};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

use self::forward::{Forward, OWN};
pub use self::names::ToolNames;
use self::options::Settings;
pub use self::options::{
    CallIds, ClientContext, ClientFiles, ClientInstructions, Flavor, InstructionRole,
    MissingResults, ReasoningReplay, ToolChoice,
};
pub use self::refusal::Refusal;
pub use self::repair::{Repair, Repairs};

/// Makes a request out of what a client sent: its messages, tools and context.
///
/// The request is for `model`, streams, and asks for a usage report. What it needs to be accepted
/// by a provider is mended when it is written (see [`Repair`]). It holds a copy of the messages.
///
/// # Examples
///
/// ```
/// use apron_openai::chat;
/// use apron_protocol::{Message, RunAgentInput};
///
/// let input = RunAgentInput::new("thread", "run").with_message(Message::user("1", "Hi"));
/// let body = chat::request(&input, "gpt-5-mini").system("Be kind.").temperature(0.2).to_body();
/// assert_eq!(body["messages"][0]["content"], "Be kind.");
/// assert_eq!(body["messages"][1]["role"], "user");
/// assert_eq!(body["stream"], true);
/// ```
pub fn request(input: &RunAgentInput, model: impl Into<String>) -> ChatRequest {
    let mut copy = RunAgentInput::new(&input.thread_id, &input.run_id);
    copy.messages.clone_from(&input.messages);
    copy.tools.clone_from(&input.tools);
    copy.context.clone_from(&input.context);
    copy.forwarded_props.clone_from(&input.forwarded_props);
    ChatRequest {
        model: model.into(),
        input: Arc::new(copy),
        system: Vec::new(),
        tools: Vec::new(),
        options: Map::new(),
        tool_choice: None,
        max_tokens: None,
        forward: Forward::default(),
        settings: Settings::default(),
    }
}

/// A chat-completions request. See [`request`] for how to get one.
///
/// # What goes out
///
/// System, developer, user, assistant and tool messages of the client, its tools, and its context
/// as one block of instructions. Never: activities, raw events, the shared state, ids of messages,
/// metadata. The text of earlier reasoning stays here too, unless [`ReasoningReplay::Text`] is
/// asked for.
///
/// # Trust
///
/// Everything in the input is the client's word, and anybody who reaches the endpoint can write it:
/// instructions, assistant turns, tool results. By default it is all sent, behind the server's own
/// [`system`](Self::system) prompt. [`client_instructions`](Self::client_instructions) keeps the
/// client from instructing the model. `forwardedProps` set nothing that the server does not
/// [allow](Self::forward) by name.
#[derive(Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct ChatRequest {
    model: String,
    input: Arc<RunAgentInput>,
    system: Vec<String>,
    tools: Vec<Tool>,
    options: Map<String, Value>,
    tool_choice: Option<ToolChoice>,
    max_tokens: Option<u32>,
    forward: Forward,
    settings: Settings,
}

impl ChatRequest {
    /// Adds a system prompt of the server's. All of them come before anything of the client's.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system.push(text.into());
        self
    }

    /// Adds a tool of the server's. It wins over a tool of the client with the same name.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Sets the sampling temperature.
    pub fn temperature(self, temperature: f64) -> Self {
        self.extra("temperature", temperature)
    }

    /// Limits the output, reasoning included, to this many tokens. What a client forwards can only
    /// lower the limit.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Says which tools the model may or must call. Left out while there are no tools.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = Some(choice);
        self
    }

    /// Says whether the model may call several tools at once. Left out while there are no tools.
    pub fn parallel_tool_calls(self, allowed: bool) -> Self {
        self.extra("parallel_tool_calls", allowed)
    }

    /// Sets any other member of the body; null removes it.
    ///
    /// `model`, `messages`, `tools`, `functions`, `stream` and `n` are not set this way: they are
    /// passed over.
    pub fn extra(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let (key, value) = (key.into(), value.into());
        if value.is_null() {
            self.options.remove(&key);
        } else if !OWN.contains(&key.as_str()) {
            self.options.insert(key, value);
        }
        self
    }

    /// Lets the client set these members of the body through `forwardedProps`. Nothing by default.
    ///
    /// What it sets replaces the server's own value, but for the output limit, which it can only
    /// lower. A value of the wrong type refuses the request. Keys, addresses, headers, `model`,
    /// `messages`, `tools`, `store`, `service_tier` and `stream_options` stay out of its reach, even
    /// when they are named here.
    pub fn forward<K: Into<String>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        self.forward.keys.extend(keys.into_iter().map(Into::into));
        self
    }

    /// Lets the client choose one of these models with `forwardedProps.model`. None by default; a
    /// model that is not among them is passed over.
    pub fn forward_model<M: Into<String>>(mut self, models: impl IntoIterator<Item = M>) -> Self {
        self.forward
            .models
            .extend(models.into_iter().map(Into::into));
        self
    }

    /// Makes the answer follow the schema in `forwardedProps.hashbrown.responseSchema`, as
    /// Hashbrown's client asks. By default the schema is left out, and counted as
    /// [`Repair::IgnoredSchema`].
    pub fn client_response_schema(mut self) -> Self {
        self.settings.client_schema = true;
        self
    }

    /// Says what becomes of the client's system and developer messages. They are kept by default.
    pub fn client_instructions(mut self, policy: ClientInstructions) -> Self {
        self.settings.client_instructions = policy;
        self
    }

    /// Says what becomes of the client's context. It is kept by default, as AG-UI asks.
    pub fn client_context(mut self, policy: ClientContext) -> Self {
        self.settings.client_context = policy;
        self
    }

    /// Says what becomes of file handles in the client's messages. They are left out by default.
    pub fn client_files(mut self, policy: ClientFiles) -> Self {
        self.settings.client_files = policy;
        self
    }

    /// Says how the provider spells the API. By default the [`Client`](crate::Client) knows, by its
    /// address; without one it is [`Flavor::OpenAi`].
    pub fn flavor(mut self, flavor: Flavor) -> Self {
        self.settings.flavor = Some(flavor);
        self
    }

    /// Says under which role instructions are sent. By default [`InstructionRole::AsGiven`] to
    /// OpenAI, and [`InstructionRole::System`] to everybody else.
    pub fn instruction_role(mut self, role: InstructionRole) -> Self {
        self.settings.instruction_role = Some(role);
        self
    }

    /// Says what becomes of calls that nobody answered: [`MissingResults::RefuseNewest`] by default.
    pub fn missing_results(mut self, policy: MissingResults) -> Self {
        self.settings.missing_results = policy;
        self
    }

    /// Says which ids of calls the provider accepts: [`CallIds::UpTo40`] by default.
    pub fn call_ids(mut self, style: CallIds) -> Self {
        self.settings.call_ids = style;
        self
    }

    /// Says how much reasoning is sent back: [`ReasoningReplay::Sealed`] by default.
    pub fn reasoning_replay(mut self, replay: ReasoningReplay) -> Self {
        self.settings.reasoning = replay;
        self
    }

    /// Names the provider, so that it gets back only what was sealed under the same name (that of
    /// [`chat::Options`](crate::chat::Options)). Unnamed by default.
    pub fn provider(mut self, name: impl Into<String>) -> Self {
        self.settings.provider = Some(name.into());
        self
    }

    /// Joins user messages that follow each other, for chat templates that want roles to alternate.
    pub fn merge_user_messages(mut self) -> Self {
        self.settings.merge_users = true;
        self
    }

    /// Sends `strict: true` with each tool whose schema allows it, and `strict: false` with the
    /// others. By default the member is left out, which means false in this API.
    pub fn strict_tools(mut self) -> Self {
        self.settings.strict_tools = true;
        self
    }

    /// Asks for no usage report, for gateways that refuse `stream_options`.
    pub fn without_usage(mut self) -> Self {
        self.settings.usage = false;
        self
    }

    /// The body as JSON. Writes the whole request; so does each method below.
    #[must_use]
    pub fn to_body(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// What was mended.
    #[must_use]
    pub fn repairs(&self) -> Repairs {
        self.render(None).repairs
    }

    /// The names under which tools are sent, for the way back.
    #[must_use]
    pub fn tool_names(&self) -> ToolNames {
        self.render(None).names
    }

    /// Says whether the request may be sent. The [`Client`](crate::Client) asks before it sends; a
    /// door can ask earlier, to answer with a status.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when the client's input is at fault.
    pub fn check(&self) -> Result<(), Refusal> {
        self.render(None).refusal.map_or(Ok(()), Err)
    }
}

impl Serialize for ChatRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.render(None).body.serialize(serializer)
    }
}

/// Shows no word of the conversation.
impl fmt::Debug for ChatRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatRequest")
            .field("model", &self.model)
            .field("messages", &self.input.messages.len())
            .field("tools", &(self.tools.len() + self.input.tools.len()))
            .finish_non_exhaustive()
    }
}
