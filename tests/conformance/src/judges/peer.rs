//! The crate `ag-ui`: an independent Rust implementation of the protocol, both its halves.
//!
//! Its known divergences are all on the side of leniency (it accepts a stream that does not begin
//! with `RUN_STARTED` in its server's verifier, ignores reasoning spans, and stops at the first
//! terminal event) or concern what Apron never writes (a call without a parent message, for which
//! it mints an id of its own; an activity's delta). So nothing needs to be excepted.

use ag_ui::Event;
use ag_ui::client::{Applier, normalize_all, verify_all};
use ag_ui::server::EventVerifier;
use serde_json::Value;

use crate::answer::Answer;

/// Judges the events of one stream and says what its reducer made of them.
///
/// # Errors
///
/// What it objects to: an event that it cannot read, or one out of order.
pub fn judge(events: &[Value]) -> Result<Answer, String> {
    let mut read = Vec::with_capacity(events.len());
    let mut verifier = EventVerifier::new();
    for (at, event) in events.iter().enumerate() {
        let event: Event = serde_json::from_value(event.clone())
            .map_err(|err| format!("event {at} cannot be read: {err}"))?;
        verifier
            .observe(&event)
            .map_err(|err| format!("event {at}, server: {err}"))?;
        read.push(event);
    }
    let read = normalize_all(read).map_err(|err| format!("client, chunks: {err}"))?;
    verify_all(&read).map_err(|err| format!("client, order: {err}"))?;
    let mut applier = Applier::new();
    for event in &read {
        applier
            .apply(event)
            .map_err(|err| format!("client, reducer: {err}"))?;
    }
    let messages = serde_json::to_value(applier.messages()).map_err(|err| err.to_string())?;
    let messages = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut answer = Answer::of_messages(messages);
    // It keeps reasoning beside the messages.
    answer.reasoning = applier
        .reasoning()
        .iter()
        .map(|thought| &*thought.content)
        .collect();
    Ok(answer)
}
