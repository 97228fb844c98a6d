//! What was mended on the way from an AG-UI conversation to a provider's request.

use std::fmt;

/// One way in which a request differs from a word-for-word copy of the conversation.
///
/// Providers refuse histories that AG-UI allows: results far from their calls, calls without
/// results, empty messages. [`ChatRequest`](super::ChatRequest) mends them and counts what it did.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Repair {
    /// A message without text, parts and calls was left out.
    EmptyMessage,
    /// A tool result was moved directly behind the message that made the call.
    MovedResult,
    /// An assistant message with nothing but calls was joined to the one before it.
    MergedCalls,
    /// A call that nobody answered got a made-up result.
    MissingResult,
    /// A call that nobody answered was left out.
    DroppedCall,
    /// A result of a call that is not in the conversation was left out.
    OrphanResult,
    /// A second result of the same call was left out.
    DuplicateResult,
    /// A call with the id of an earlier one got a suffix.
    DuplicateCall,
    /// Arguments `""` or `null` became `{}`.
    EmptyArguments,
    /// Arguments that are no JSON object became `{}`, and the result says so.
    InvalidArguments,
    /// A call that the provider had run itself was left out, with its result.
    HostedCall,
    /// A call's id was replaced by one that the provider accepts.
    CallId,
    /// A name of a message's author was left out, since providers would refuse it.
    AuthorName,
    /// A tool's name was replaced by one that the provider accepts.
    ToolName,
    /// A tool of the client was left out, since the server has one of that name.
    ShadowedTool,
    /// A content part that the provider cannot take, or must not get, was left out.
    DroppedPart,
    /// Instructions of the client were left out.
    DroppedInstructions,
    /// Instructions were joined to the ones before them.
    MergedInstructions,
    /// A user message was joined to the one before it.
    MergedUsers,
    /// A response schema of the client was left out.
    IgnoredSchema,
}

impl Repair {
    /// Every repair. Tests walk it, so that a new one is loud.
    pub const ALL: [Self; 20] = [
        Self::EmptyMessage,
        Self::MovedResult,
        Self::MergedCalls,
        Self::MissingResult,
        Self::DroppedCall,
        Self::OrphanResult,
        Self::DuplicateResult,
        Self::DuplicateCall,
        Self::EmptyArguments,
        Self::InvalidArguments,
        Self::HostedCall,
        Self::CallId,
        Self::AuthorName,
        Self::ToolName,
        Self::ShadowedTool,
        Self::DroppedPart,
        Self::DroppedInstructions,
        Self::MergedInstructions,
        Self::MergedUsers,
        Self::IgnoredSchema,
    ];
}

/// How often each [`Repair`] was made.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Repairs {
    counts: [u32; Repair::ALL.len()],
}

impl Repairs {
    /// How often `repair` was made.
    #[must_use]
    pub fn count(&self, repair: Repair) -> u32 {
        self.counts.get(repair as usize).copied().unwrap_or(0)
    }

    /// How many repairs were made in all.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.counts
            .iter()
            .fold(0, |sum, it| sum.saturating_add(*it))
    }

    /// True when the request is a word-for-word copy.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// The repairs that were made, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Repair, u32)> {
        Repair::ALL
            .into_iter()
            .zip(self.counts)
            .filter(|(_, count)| *count > 0)
    }

    pub(super) fn add(&mut self, repair: Repair) {
        if let Some(count) = self.counts.get_mut(repair as usize) {
            *count = count.saturating_add(1);
        }
    }
}

impl fmt::Debug for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_repair_has_its_own_counter() {
        for (at, repair) in Repair::ALL.into_iter().enumerate() {
            assert_eq!(repair as usize, at);
            let mut repairs = Repairs::default();
            repairs.add(repair);
            assert_eq!(repairs.iter().collect::<Vec<_>>(), [(repair, 1)]);
            assert_eq!(format!("{repairs:?}"), format!("{{{repair:?}: 1}}"));
        }
    }
}
