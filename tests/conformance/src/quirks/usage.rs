//! Usage reports in the providers' spellings, with the counts that a client must be told.

use super::dice::Dice;
use super::json::{Json, Spelling};

/// The counts of one report, as a client must see them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// `inputTokens`.
    pub input: Option<u64>,
    /// `outputTokens`.
    pub output: Option<u64>,
    /// `totalTokens`.
    pub total: Option<u64>,
    /// `reasoningTokens`.
    pub reasoning: Option<u64>,
    /// `cachedInputTokens`.
    pub cached: Option<u64>,
}

/// What a provider counts, and how it says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    dialect: Dialect,
    prompt: u64,
    completion: u64,
    reasoning: u64,
    cached: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Dialect {
    /// The three sums.
    Plain,
    /// OpenAI's, with details.
    Detailed,
    /// DeepSeek's word for cached tokens.
    Hit,
    /// xAI's, which counts reasoning beside the completion.
    Beside,
}

impl Report {
    pub(super) fn roll(dice: &mut Dice) -> Self {
        let dialects = [
            Dialect::Plain,
            Dialect::Detailed,
            Dialect::Hit,
            Dialect::Beside,
        ];
        let mut count = |most| dice.between(1, most) as u64;
        let (prompt, completion) = (count(5000), count(2000));
        let (reasoning, cached) = (count(2000).min(completion), count(5000).min(prompt));
        let dialect = *dice.pick(&dialects);
        Self {
            dialect,
            prompt,
            completion,
            reasoning,
            cached,
        }
    }

    pub(super) fn json(self, spelling: Spelling, dice: &mut Dice) -> Json {
        let Self {
            prompt, completion, ..
        } = self;
        let mut members = vec![
            ("prompt_tokens", prompt.to_string()),
            ("completion_tokens", completion.to_string()),
            ("total_tokens", self.total().to_string()),
        ];
        let reasoning = format!(r#"{{"reasoning_tokens":{}}}"#, self.reasoning);
        match self.dialect {
            Dialect::Plain => {}
            Dialect::Detailed => {
                let cached = format!(r#"{{"cached_tokens":{}}}"#, self.cached);
                members.push(("prompt_tokens_details", cached));
                members.push(("completion_tokens_details", reasoning));
            }
            Dialect::Hit => {
                members.push(("prompt_cache_hit_tokens", self.cached.to_string()));
                members.push(("completion_tokens_details", "null".to_owned()));
            }
            Dialect::Beside => members.push(("completion_tokens_details", reasoning)),
        }
        spelling.object(dice, &members)
    }

    /// What the client must be told.
    pub(super) fn counts(self) -> Counts {
        let beside = self.dialect == Dialect::Beside;
        let says_reasoning = beside || self.dialect == Dialect::Detailed;
        let says_cached = matches!(self.dialect, Dialect::Detailed | Dialect::Hit);
        Counts {
            input: Some(self.prompt),
            output: Some(self.completion + if beside { self.reasoning } else { 0 }),
            total: Some(self.total()),
            reasoning: says_reasoning.then_some(self.reasoning),
            cached: says_cached.then_some(self.cached),
        }
    }

    fn total(self) -> u64 {
        let beside = if self.dialect == Dialect::Beside {
            self.reasoning
        } else {
            0
        };
        self.prompt + self.completion + beside
    }
}
