//! How the peer at hand wants events spelled.

use std::mem;

use apron_protocol::{Content, Event, Message, RunAgentInput, RunError, RunOutcome};

/// A way to spell events, chosen by what the peer's request declares.
///
/// It is applied after the order of events was settled, and never adds or drops one.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Dialect {
    /// AG-UI 1.0, as it stands.
    #[default]
    V1,
    /// For clients of the 0.x line, which send no version. Client 0.0.59, the most common one,
    /// fails the whole run on three things that 1.0 added:
    ///
    /// - A successful end is written without an outcome, because `pendingToolCallIds` is fatal
    ///   there. Such clients work out by themselves which calls are pending.
    /// - A cancelled end is written as `RUN_ERROR` with the code `cancelled`, because the outcome
    ///   is fatal there, and a stop must not be read as a success.
    /// - The content of a tool result, and of tool messages in a snapshot, is written as text:
    ///   its text parts joined, its media parts left out.
    V0,
}

impl Dialect {
    /// The dialect for the client that sent `input`.
    ///
    /// A version that is not of the form `major.minor` counts as newer, as the protocol asks.
    #[must_use]
    pub fn for_input(input: &RunAgentInput) -> Self {
        match (&input.protocol_version, input.version()) {
            (None, _) => Self::V0,
            (_, Some(version)) if version.major == 0 => Self::V0,
            _ => Self::V1,
        }
    }

    pub(crate) fn spell(self, event: &mut Event) {
        match self {
            Self::V1 => {}
            Self::V0 => spell_v0(event),
        }
    }
}

fn spell_v0(event: &mut Event) {
    match event {
        Event::RunFinished(finished) => match &finished.outcome {
            Some(RunOutcome::Success { .. }) => finished.outcome = None,
            Some(RunOutcome::Cancelled) => {
                let mut error = RunError::new("cancelled", "The run was stopped.");
                error.usage = mem::take(&mut finished.usage);
                error.common = mem::take(&mut finished.common);
                *event = error.into();
            }
            _ => {}
        },
        Event::ToolCallResult(result) => flatten(&mut result.content),
        Event::MessagesSnapshot(snapshot) => {
            for message in &mut snapshot.messages {
                if let Message::Tool(message) = message {
                    flatten(&mut message.content);
                }
            }
        }
        _ => {}
    }
}

fn flatten(content: &mut Content) {
    let Content::Parts(parts) = content else {
        return;
    };
    let media = parts.iter().filter(|part| part.as_text().is_none()).count();
    if media > 0 {
        tracing::warn!(
            media,
            "media parts of a tool result left out for a 0.x client"
        );
    }
    *content = Content::Text(content.to_text());
}
