//! Apron's own ledger, as it judges any stream: fresh, and from the wire.

use apron_emit::Ledger;
use apron_protocol::Decoded;
use serde_json::Value;

/// Judges the events of one stream.
///
/// # Errors
///
/// The first event that is refused, and why.
pub fn judge(events: &[Value]) -> Result<(), String> {
    let mut ledger = Ledger::new();
    for (at, event) in events.iter().enumerate() {
        let event = match Decoded::from_value(event.clone()) {
            Decoded::Event(event) => event,
            Decoded::Unknown { kind, .. } => return Err(format!("event {at}: unknown {kind}")),
            Decoded::Corrupt(err) => return Err(format!("event {at}: {err}")),
        };
        ledger
            .admit(&event)
            .map_err(|violation| format!("event {at}: {violation}"))?;
    }
    ledger.end().map_err(|violation| violation.to_string())
}
