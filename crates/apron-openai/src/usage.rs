//! Token counts as OpenAI-compatible providers report them, and what AG-UI makes of them.

use apron_protocol::TokenUsage;
use serde::de::MapAccess;

use crate::lenient::{Member, Members};

/// A `usage` object. Absent stays absent and 0 stays 0.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Usage {
    input: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
    reasoning: Option<u64>,
    cached: Option<u64>,
    cache_write: Option<u64>,
}

impl Usage {
    /// True when it counts nothing, as in `"usage": {}`.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The counts in AG-UI's terms, where reasoning is part of the output and cached tokens are
    /// part of the input.
    pub(crate) fn tokens(&self) -> TokenUsage {
        let mut tokens = TokenUsage::default();
        tokens.input_tokens = self.input;
        tokens.output_tokens = self.output;
        tokens.total_tokens = self.total;
        tokens.reasoning_tokens = self.reasoning;
        if let (Some(input), Some(output), Some(total), Some(reasoning)) =
            (self.input, self.output, self.total, self.reasoning)
            && reasoning > 0
            && input
                .checked_add(output)
                .and_then(|it| it.checked_add(reasoning))
                == Some(total)
        {
            // xAI counts reasoning beside the completion; the total gives it away.
            tokens.output_tokens = output.checked_add(reasoning);
        }
        // Some gateways report more reasoning than output, under a total that says otherwise.
        tokens.reasoning_tokens = within(tokens.reasoning_tokens, tokens.output_tokens);
        tokens.cached_input_tokens = within(self.cached, self.input);
        tokens.cache_write_input_tokens = within(self.cache_write, self.input);
        tokens
    }
}

/// The details objects, which hold one count each that we want.
#[derive(Default)]
struct Details {
    reasoning: Option<u64>,
    cached: Option<u64>,
    cache_write: Option<u64>,
}

impl<'de> Members<'de> for Usage {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "prompt_tokens" | "input_tokens" => set(&mut self.input, value.integer()?),
            "completion_tokens" | "output_tokens" => set(&mut self.output, value.integer()?),
            "total_tokens" => set(&mut self.total, value.integer()?),
            "reasoning_tokens" => set(&mut self.reasoning, value.integer()?),
            // DeepSeek, Anthropic-like gateways, Moonshot and Mistral, in this order.
            "prompt_cache_hit_tokens"
            | "cache_read_input_tokens"
            | "cached_tokens"
            | "num_cached_tokens" => set(&mut self.cached, value.integer()?),
            "cache_creation_input_tokens" => set(&mut self.cache_write, value.integer()?),
            "prompt_tokens_details"
            | "input_tokens_details"
            | "completion_tokens_details"
            | "output_tokens_details" => {
                let details: Details = value.object()?.unwrap_or_default();
                set(&mut self.reasoning, details.reasoning);
                set(&mut self.cached, details.cached);
                set(&mut self.cache_write, details.cache_write);
            }
            _ => value.skip()?,
        }
        Ok(())
    }
}

impl<'de> Members<'de> for Details {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "reasoning_tokens" => self.reasoning = value.integer()?,
            "cached_tokens" => self.cached = value.integer()?,
            "cache_write_tokens" => self.cache_write = value.integer()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}

/// Gateways repeat a count under several names, some of them null or 0.
fn set(count: &mut Option<u64>, value: Option<u64>) {
    *count = (*count).max(value);
}

fn within(part: Option<u64>, whole: Option<u64>) -> Option<u64> {
    match (part, whole) {
        (Some(part), Some(whole)) => Some(part.min(whole)),
        (part, _) => part,
    }
}
