//! Calls that the provider ran itself, as the translator marks them.

use apron_protocol::ToolCall;

/// True for a call that the translator announced with `metadata.openai.hosted: true`.
///
/// The provider would take it for a call of ours. The answer's text holds what came of it.
pub(super) fn is_hosted(call: &ToolCall) -> bool {
    let ours = call.metadata.as_ref().and_then(|it| it.get("openai"));
    let hosted = ours.and_then(|it| it.get("hosted"));
    hosted.and_then(serde_json::Value::as_bool) == Some(true)
}
