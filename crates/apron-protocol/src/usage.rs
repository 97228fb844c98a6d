//! Token accounting.

use serde::{Deserialize, Serialize};

use crate::number;

/// Tokens that one model of one provider used in a run.
///
/// `input_tokens` and `output_tokens` are totals: cached and cache-write tokens are part of the
/// input, reasoning tokens are part of the output. Absent means unknown, which is not 0. A count is
/// written as at most 2^53 − 1, the most a JavaScript client can hold.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TokenUsage {
    /// The provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// All input tokens.
    #[serde(
        default,
        deserialize_with = "number::count",
        serialize_with = "number::write_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub input_tokens: Option<u64>,
    /// All output tokens.
    #[serde(
        default,
        deserialize_with = "number::count",
        serialize_with = "number::write_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub output_tokens: Option<u64>,
    /// Input and output together.
    #[serde(
        default,
        deserialize_with = "number::count",
        serialize_with = "number::write_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub total_tokens: Option<u64>,
    /// Output tokens that were reasoning.
    #[serde(
        default,
        deserialize_with = "number::count",
        serialize_with = "number::write_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub reasoning_tokens: Option<u64>,
    /// Input tokens that were read from a cache.
    #[serde(
        default,
        deserialize_with = "number::count",
        serialize_with = "number::write_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub cached_input_tokens: Option<u64>,
    /// Input tokens that were written to a cache.
    #[serde(
        default,
        deserialize_with = "number::count",
        serialize_with = "number::write_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub cache_write_input_tokens: Option<u64>,
}

impl TokenUsage {
    /// An entry of the given provider and model, with every count unknown.
    #[must_use]
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: Some(provider.into()),
            model: Some(model.into()),
            ..Self::default()
        }
    }

    /// Adds the counts of another call of the same provider and model. An unknown count stays
    /// unknown only when both are.
    pub fn add(&mut self, other: &Self) {
        let sum = |mine: &mut Option<u64>, theirs: Option<u64>| {
            if let Some(theirs) = theirs {
                *mine = Some(mine.unwrap_or(0).saturating_add(theirs));
            }
        };
        sum(&mut self.input_tokens, other.input_tokens);
        sum(&mut self.output_tokens, other.output_tokens);
        sum(&mut self.total_tokens, other.total_tokens);
        sum(&mut self.reasoning_tokens, other.reasoning_tokens);
        sum(&mut self.cached_input_tokens, other.cached_input_tokens);
        sum(
            &mut self.cache_write_input_tokens,
            other.cache_write_input_tokens,
        );
    }

    /// Adds `other` to the entry of its provider and model, or as a new entry.
    pub fn merge_into(self, entries: &mut Vec<Self>) {
        let same = |entry: &&mut Self| entry.provider == self.provider && entry.model == self.model;
        match entries.iter_mut().find(same) {
            Some(entry) => entry.add(&self),
            None => entries.push(self),
        }
    }

    /// True when no count is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.input_tokens.is_none()
            && self.output_tokens.is_none()
            && self.total_tokens.is_none()
            && self.reasoning_tokens.is_none()
            && self.cached_input_tokens.is_none()
            && self.cache_write_input_tokens.is_none()
    }
}
