//! Why the model stopped.

/// Why a turn ended, in one vocabulary. The provider's own word is kept beside it.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model was done. Words that we do not know count as this.
    #[default]
    Stop,
    /// The output limit cut it off.
    Length,
    /// It waits for the results of its calls. Decided by there being calls, not by the provider's
    /// word.
    ToolCalls,
    /// A filter stopped it.
    ContentFilter,
    /// The provider failed.
    Error,
}

impl FinishReason {
    /// Reads a provider's word.
    pub(super) fn parse(raw: &str) -> Self {
        let is = |names: &[&str]| names.iter().any(|name| raw.eq_ignore_ascii_case(name));
        if is(&["length", "max_tokens", "max_output_tokens", "model_length"]) {
            Self::Length
        } else if is(&["content_filter", "safety"]) {
            Self::ContentFilter
        } else if is(&["tool_calls", "function_call"]) {
            Self::ToolCalls
        } else if is(&["error"]) {
            Self::Error
        } else {
            Self::Stop
        }
    }

    /// The reason, given whether there were calls: many providers say `stop` after calls, and some
    /// say `tool_calls` after none.
    pub(super) fn with_calls(self, calls: bool) -> Self {
        match self {
            Self::Stop | Self::ToolCalls if calls => Self::ToolCalls,
            Self::ToolCalls => Self::Stop,
            other => other,
        }
    }

    /// The word in the metadata: the one that OpenAI uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            Self::Error => "error",
        }
    }
}
