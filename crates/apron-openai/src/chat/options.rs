//! What a translator may be told.

/// How a chat stream is translated. The default suits a client that knows its own tools and a
/// provider that nobody knows.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[must_use = "options do nothing until a translator has them"]
pub struct Options {
    /// The provider's name in token usage and in envelopes. Absent by default.
    pub provider: Option<String>,
    /// What becomes of the model's reasoning. Shown by default.
    pub reasoning: Reasoning,
    /// What `<think>` tags in the text mean. Nothing by default, since text may be about HTML.
    pub think_tags: ThinkTags,
    /// How many chunks of a stream may be no JSON before it fails. None by default. They are
    /// forgiven only when the stream completes.
    pub malformed_chunks: u32,
    /// What becomes of a call to a tool that nobody offered. Answered with an error by default.
    pub unknown_tools: UnknownTools,
    /// What becomes of a call that the output limit cut off. The run fails by default.
    pub cut_calls: CutCalls,
    /// What becomes of a refusal. It is text by default.
    pub refusals: Refusals,
}

impl Options {
    /// Names the provider.
    pub fn with_provider(mut self, name: impl Into<String>) -> Self {
        self.provider = Some(name.into());
        self
    }

    /// Says what becomes of reasoning.
    pub fn with_reasoning(mut self, reasoning: Reasoning) -> Self {
        self.reasoning = reasoning;
        self
    }

    /// Says what `<think>` tags mean.
    pub fn with_think_tags(mut self, tags: ThinkTags) -> Self {
        self.think_tags = tags;
        self
    }

    /// Says how many chunks may be no JSON.
    pub fn with_malformed_chunks(mut self, count: u32) -> Self {
        self.malformed_chunks = count;
        self
    }

    /// Says what becomes of calls to tools that nobody offered.
    pub fn with_unknown_tools(mut self, policy: UnknownTools) -> Self {
        self.unknown_tools = policy;
        self
    }

    /// Says what becomes of calls that were cut off.
    pub fn with_cut_calls(mut self, policy: CutCalls) -> Self {
        self.cut_calls = policy;
        self
    }

    /// Says what becomes of refusals.
    pub fn with_refusals(mut self, policy: Refusals) -> Self {
        self.refusals = policy;
        self
    }
}

/// What becomes of the model's reasoning.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reasoning {
    /// The client sees it.
    #[default]
    Show,
    /// It is kept in the [`Turn`](super::Turn), to be sent back to the provider, and not shown.
    Hide,
}

/// What `<think>` tags in the text mean.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ThinkTags {
    /// Nothing: they are text.
    #[default]
    Leave,
    /// A text that begins with `<think>` is reasoning up to `</think>`.
    Split,
    /// As `Split`, for models whose template holds the opening tag: the text is reasoning from its
    /// start up to `</think>`.
    SplitImplied,
}

/// What becomes of a call to a tool that nobody offered to the model.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum UnknownTools {
    /// It gets a result that says so, and the client does not wait.
    #[default]
    Answer,
    /// It is left to the client, like a call of a known tool.
    Pend,
    /// It is left to the caller, who answers it before the run ends.
    Leave,
}

/// What becomes of a call that the output limit or a filter cut off.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum CutCalls {
    /// The run fails, so that the client rolls back: none of the calls must be run.
    #[default]
    Fail,
    /// Every call of the turn gets a result that says so, and the run is a success.
    Answer,
}

/// What becomes of a refusal.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Refusals {
    /// It is text, marked in the metadata.
    #[default]
    Text,
    /// The run fails at its end, because the client waits for an answer of a given structure.
    Fail,
}
