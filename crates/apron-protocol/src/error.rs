//! What can go wrong with words.

/// An error of reading or writing the protocol's JSON.
///
/// The texts may quote what was read: they are for the developer's log, not for a client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The peer: its request is no JSON, or a known member is missing or malformed.
    #[error("the input is malformed")]
    Input(#[source] serde_json::Error),
    /// The peer: the text is no JSON object with a `type`.
    #[error("the text is no event")]
    NotAnEvent(#[source] Option<serde_json::Error>),
    /// The peer: an event of a known type has a member that is missing or malformed.
    #[error("malformed {kind} event")]
    Event {
        /// The event's type.
        kind: crate::event::EventType,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// The caller: a value cannot be written as JSON.
    #[error("the value cannot be written as JSON")]
    Unwritable(#[source] serde_json::Error),
}

impl Error {
    pub(crate) fn input(source: serde_json::Error) -> Self {
        Self::Input(source)
    }
}
