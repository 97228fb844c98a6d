//! The choices a request leaves to its server.

/// Which spelling of the chat-completions API the provider speaks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Flavor {
    /// OpenAI and Azure: `max_completion_tokens`, the role `developer`, several instructions.
    OpenAi,
    /// Everybody else: `max_tokens`; `developer` becomes `system`; leading instructions are joined
    /// into one, since many chat templates accept a system message in first place only; tool names
    /// start with a letter or `_`.
    Compatible,
}

/// Which role instructions are sent under, the server's and the client's.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum InstructionRole {
    /// The role they came with; the server's own are `system`.
    AsGiven,
    /// `system`, which every provider knows.
    System,
    /// `developer`, as OpenAI's reasoning models prefer.
    Developer,
    /// `user`, for models that know no instructions.
    User,
}

/// What becomes of system and developer messages of the client.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ClientInstructions {
    /// They are sent, behind the server's own. UIs put theirs there, but so can anybody who can
    /// reach the endpoint.
    Keep,
    /// They are left out, and the client's context is sent as a user message.
    Drop,
}

/// What becomes of the client's `context`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ClientContext {
    /// It is sent as one block behind the server's instructions.
    Keep,
    /// It is left out.
    Drop,
}

/// What becomes of file handles in the client's messages.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ClientFiles {
    /// They are left out: the provider would read any file of the server's account for anybody who
    /// guesses or learns its id.
    Drop,
    /// They are sent. Only for clients that may read every file of the account.
    Keep,
}

/// What becomes of a call that nobody answered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum MissingResults {
    /// It gets a made-up result that says so; but when the call is in the newest message, the
    /// client forgot to answer, and the request is refused.
    RefuseNewest,
    /// It gets a made-up result that says so.
    Synthesize,
    /// It is left out.
    DropCall,
}

/// Which ids of tool calls the provider accepts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CallIds {
    /// Any up to 40 bytes; longer ones are cut and get a hash, as OpenAI refuses them.
    UpTo40,
    /// Nine letters and digits, as Mistral demands: every other id is hashed.
    Nine,
}

/// How much of earlier reasoning is sent back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ReasoningReplay {
    /// None.
    Never,
    /// What the provider sealed for its own eyes, where it demands it: OpenRouter's
    /// `reasoning_details`, Gemini's thought signatures. Never what another provider sealed, and
    /// nothing to OpenAI, which seals nothing in this API.
    Sealed,
    /// That, and the text of the reasoning as `reasoning_content`, as DeepSeek demands.
    Text,
}

/// Which tools the model may or must call.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one, by its name in the conversation.
    Tool(String),
}

/// All settings of a request that are not the provider's own parameters.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) flavor: Option<Flavor>,
    pub(super) instruction_role: Option<InstructionRole>,
    pub(super) client_instructions: ClientInstructions,
    pub(super) client_context: ClientContext,
    pub(super) client_files: ClientFiles,
    pub(super) missing_results: MissingResults,
    pub(super) call_ids: CallIds,
    pub(super) reasoning: ReasoningReplay,
    /// The provider's name, as the translator was told it.
    pub(super) provider: Option<String>,
    pub(super) usage: bool,
    pub(super) merge_users: bool,
    pub(super) strict_tools: bool,
    pub(super) client_schema: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            flavor: None,
            instruction_role: None,
            client_instructions: ClientInstructions::Keep,
            client_context: ClientContext::Keep,
            client_files: ClientFiles::Drop,
            missing_results: MissingResults::RefuseNewest,
            call_ids: CallIds::UpTo40,
            reasoning: ReasoningReplay::Sealed,
            provider: None,
            usage: true,
            merge_users: false,
            strict_tools: false,
            client_schema: false,
        }
    }
}
