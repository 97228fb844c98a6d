//! What a provider says when it fails, in whichever of a dozen shapes it says it.

use std::fmt;

use serde_json::Value;

use crate::failure_code::FailureCode;

/// An error that a provider reported, in an HTTP body or in the middle of a stream.
///
/// All of it is the provider's text and may hold ids, keys or prompts, so it is for the log only:
/// it travels as the cause of a [`Failure`](apron_emit::Failure), never in its message.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct ProviderError {
    /// The HTTP status: of the answer, or the one that the error itself claims.
    pub status: Option<u16>,
    /// The provider's code: a word, or a number as text.
    pub code: Option<String>,
    /// The provider's type of error.
    pub kind: Option<String>,
    /// The provider's message, at most 2 KiB of it.
    pub message: Option<String>,
}

impl ProviderError {
    /// Reads the body of an HTTP error answer; text that is no JSON is the message.
    #[must_use]
    pub fn from_body(status: u16, body: &str) -> Self {
        let mut error = Self::from_json(body);
        error.status = Some(status);
        error
    }

    /// Reads an error out of JSON text: an error object, what contains one, a string, anything.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        let mut error = Self::default();
        match serde_json::from_str::<Value>(text) {
            Ok(value) => error.read(&value, DEPTH),
            Err(_) => error.set_message(text.trim()),
        }
        error
    }

    /// The code that the run fails with.
    #[must_use]
    pub fn failure_code(&self) -> FailureCode {
        let words = [self.code.as_deref(), self.kind.as_deref()];
        let words = || words.into_iter().flatten();
        words()
            .find_map(|word| lookup(SPECIFIC, word))
            .or_else(|| self.by_message())
            .or_else(|| self.status.and_then(by_status))
            .or_else(|| words().find_map(|word| lookup(GENERIC, word)))
            .unwrap_or(FailureCode::ProviderError)
    }

    /// Fills what is still unknown, outermost wish first: `error`, then `detail`, then the object's
    /// own members.
    fn read(&mut self, value: &Value, depth: u8) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match value {
            Value::String(text) => self.set_message(text),
            Value::Array(items) => {
                if let Some(first) = items.first() {
                    self.read(first, depth);
                }
            }
            Value::Object(object) => {
                if let Some(inner) = object.get("error") {
                    self.read(inner, depth);
                }
                self.set_words(object);
                match object.get("detail") {
                    None | Some(Value::Null) => {}
                    Some(Value::String(text)) => self.set_message(text),
                    Some(other) => self.set_message(&other.to_string()),
                }
                match object.get("message") {
                    Some(Value::String(text)) => self.set_message(text),
                    Some(inner @ Value::Object(_)) => self.read(inner, depth),
                    _ => {}
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn set_words(&mut self, object: &serde_json::Map<String, Value>) {
        for name in ["code", "status_code", "raw_status_code", "status"] {
            match object.get(name) {
                Some(Value::Number(number)) => {
                    let status = number.as_u64().and_then(|it| u16::try_from(it).ok());
                    let status = status.filter(|status| (400..600).contains(status));
                    self.status = self.status.or(status);
                    if name == "code" {
                        self.code.get_or_insert_with(|| clip(&number.to_string()));
                    }
                }
                Some(Value::String(text)) if name == "code" && !text.is_empty() => {
                    self.code.get_or_insert_with(|| clip(text));
                }
                // Google's `RESOURCE_EXHAUSTED` and the like.
                Some(Value::String(text)) if name == "status" && !text.is_empty() => {
                    self.kind.get_or_insert_with(|| clip(text));
                }
                _ => {}
            }
        }
        if let Some(Value::String(text)) = object.get("type")
            && text != "error"
        {
            self.kind.get_or_insert_with(|| clip(text));
        }
    }

    fn set_message(&mut self, text: &str) {
        if self.message.is_none() && !text.is_empty() {
            self.message = Some(clip(text));
        }
    }

    /// Some providers say in prose only what is wrong, under a status that says it is our fault.
    fn by_message(&self) -> Option<FailureCode> {
        if self.status.is_some_and(|status| status >= 500) {
            return None;
        }
        let message = self.message.as_deref()?.to_ascii_lowercase();
        let says = |needles: &[&str]| needles.iter().any(|needle| message.contains(needle));
        if says(&[
            "context length",
            "context window",
            "context size",
            "prompt is too long",
            "input is too long",
        ]) {
            Some(FailureCode::ContextLengthExceeded)
        } else if says(&["api key"]) && says(&["invalid", "incorrect", "missing", "no api key"]) {
            Some(FailureCode::AuthenticationError)
        } else if says(&["model"])
            && says(&[
                "not found",
                "does not exist",
                "not a valid model",
                "unknown model",
            ])
        {
            Some(FailureCode::ModelNotFound)
        } else {
            None
        }
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the provider reported an error")?;
        if let Some(status) = self.status {
            write!(f, ", status {status}")?;
        }
        if let Some(code) = &self.code {
            write!(f, ", code {code}")?;
        }
        if let Some(kind) = &self.kind {
            write!(f, ", type {kind}")?;
        }
        if let Some(message) = &self.message {
            write!(f, ": {message}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ProviderError {}

/// How many objects deep an error may hide in another.
const DEPTH: u8 = 4;

/// Bytes of the provider's text that are kept.
const LIMIT: usize = 2048;

/// Words that say what is wrong, whatever the status.
const SPECIFIC: &[(&str, FailureCode)] = &[
    ("insufficient_quota", FailureCode::InsufficientQuota),
    ("insufficient_balance", FailureCode::InsufficientQuota),
    ("insufficient_credits", FailureCode::InsufficientQuota),
    ("billing_hard_limit_reached", FailureCode::InsufficientQuota),
    ("quota_exceeded", FailureCode::InsufficientQuota),
    ("rate_limit_exceeded", FailureCode::RateLimitExceeded),
    ("rate_limit_error", FailureCode::RateLimitExceeded),
    ("rate_limited", FailureCode::RateLimitExceeded),
    ("too_many_requests", FailureCode::RateLimitExceeded),
    ("resource_exhausted", FailureCode::RateLimitExceeded),
    (
        "context_length_exceeded",
        FailureCode::ContextLengthExceeded,
    ),
    (
        "exceed_context_size_error",
        FailureCode::ContextLengthExceeded,
    ),
    ("invalid_api_key", FailureCode::AuthenticationError),
    ("authentication_error", FailureCode::AuthenticationError),
    ("unauthenticated", FailureCode::AuthenticationError),
    ("unauthorized", FailureCode::AuthenticationError),
    ("permission_denied", FailureCode::AuthenticationError),
    ("permission_error", FailureCode::AuthenticationError),
    ("model_not_found", FailureCode::ModelNotFound),
    ("model_not_available", FailureCode::ModelNotFound),
    ("deploymentnotfound", FailureCode::ModelNotFound),
    ("content_filter", FailureCode::ContentFilter),
    ("content_policy_violation", FailureCode::ContentFilter),
    ("responsibleaipolicyviolation", FailureCode::ContentFilter),
    ("tool_use_failed", FailureCode::ToolCallInvalid),
    ("overloaded_error", FailureCode::ProviderOverloaded),
    ("engine_overloaded", FailureCode::ProviderOverloaded),
    ("server_overloaded", FailureCode::ProviderOverloaded),
    ("overloaded", FailureCode::ProviderOverloaded),
    ("unavailable", FailureCode::ProviderOverloaded),
    ("timeout", FailureCode::Timeout),
    ("request_timeout", FailureCode::Timeout),
    ("deadline_exceeded", FailureCode::Timeout),
];

/// Words that are put on errors of any kind, so the status goes first.
const GENERIC: &[(&str, FailureCode)] = &[
    ("invalid_request_error", FailureCode::InvalidRequest),
    ("invalid_request", FailureCode::InvalidRequest),
    ("invalid_argument", FailureCode::InvalidRequest),
    ("badrequesterror", FailureCode::InvalidRequest),
    ("not_found_error", FailureCode::ModelNotFound),
    ("not_found", FailureCode::ModelNotFound),
];

fn lookup(table: &[(&str, FailureCode)], word: &str) -> Option<FailureCode> {
    let same = |name: &str| {
        name.len() == word.len()
            && name
                .bytes()
                .zip(word.bytes())
                .all(|(a, b)| a == b.to_ascii_lowercase() || (a == b'_' && b == b'-'))
    };
    table
        .iter()
        .find(|(name, _)| same(name))
        .map(|(_, code)| *code)
}

fn by_status(status: u16) -> Option<FailureCode> {
    Some(match status {
        401 | 403 => FailureCode::AuthenticationError,
        402 => FailureCode::InsufficientQuota,
        404 => FailureCode::ModelNotFound,
        408 => FailureCode::Timeout,
        429 => FailureCode::RateLimitExceeded,
        503 | 529 => FailureCode::ProviderOverloaded,
        400..=499 => FailureCode::InvalidRequest,
        500..=599 => FailureCode::ProviderError,
        _ => return None,
    })
}

fn clip(text: &str) -> String {
    let mut end = text.len().min(LIMIT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, body: &str, code: FailureCode, message: &str) {
        let error = ProviderError::from_body(status, body);
        assert_eq!(error.failure_code(), code, "{error:?}");
        assert_eq!(error.message.as_deref().unwrap_or_default(), message);
    }

    #[test]
    fn errors_of_every_shape_are_read() {
        let auth = FailureCode::AuthenticationError;
        check(
            401,
            r#"{"error":{"message":"no","type":"invalid_request_error"}}"#,
            auth,
            "no",
        );
        check(401, r#"{"detail":"no"}"#, auth, "no");
        check(403, "no", auth, "no");
        check(403, "", auth, "");
        let invalid = FailureCode::InvalidRequest;
        check(400, r#"{"error":"no"}"#, invalid, "no");
        check(
            422,
            r#"{"detail":[{"msg":"no"}]}"#,
            invalid,
            r#"[{"msg":"no"}]"#,
        );
        check(
            400,
            r#"{"object":"error","message":"no","code":40301}"#,
            invalid,
            "no",
        );
        check(400, r#"[{"error":{"message":"no"}}]"#, invalid, "no");
        check(413, "<html>no</html>", invalid, "<html>no</html>");
        check(400, r#"{"message":{"detail":"no"}}"#, invalid, "no");
        let server = FailureCode::ProviderError;
        check(
            500,
            r#"{"error":{"message":"no","code":null}}"#,
            server,
            "no",
        );
        check(502, "Bad gateway", server, "Bad gateway");
    }

    #[test]
    fn the_providers_word_goes_before_the_status() {
        let with = |code: &str| format!(r#"{{"error":{{"code":"{code}","message":"no"}}}}"#);
        for (status, word, code) in [
            (429, "insufficient_quota", FailureCode::InsufficientQuota),
            (429, "RESOURCE_EXHAUSTED", FailureCode::RateLimitExceeded),
            (
                400,
                "context_length_exceeded",
                FailureCode::ContextLengthExceeded,
            ),
            (400, "model_not_found", FailureCode::ModelNotFound),
            (400, "content_filter", FailureCode::ContentFilter),
            (400, "tool_use_failed", FailureCode::ToolCallInvalid),
            (500, "overloaded_error", FailureCode::ProviderOverloaded),
            (
                401,
                "invalid_request_error",
                FailureCode::AuthenticationError,
            ),
            (500, "invalid-api-key", FailureCode::AuthenticationError),
            (529, "whatever", FailureCode::ProviderOverloaded),
            (408, "whatever", FailureCode::Timeout),
            (402, "whatever", FailureCode::InsufficientQuota),
            (404, "whatever", FailureCode::ModelNotFound),
        ] {
            check(status, &with(word), code, "no");
        }
    }

    #[test]
    fn plain_messages_are_understood_where_there_is_no_word() {
        for (message, code) in [
            (
                "This model's maximum context length is 8 tokens",
                FailureCode::ContextLengthExceeded,
            ),
            (
                "Incorrect API key provided.",
                FailureCode::AuthenticationError,
            ),
            ("Model not found: x", FailureCode::ModelNotFound),
            ("x is not a valid model ID", FailureCode::ModelNotFound),
            ("Say something", FailureCode::InvalidRequest),
        ] {
            check(400, &format!(r#"{{"error":"{message}"}}"#), code, message);
        }
    }

    #[test]
    fn a_long_message_is_cut_between_letters() {
        let error = ProviderError::from_body(500, &"é".repeat(LIMIT));
        assert_eq!(error.message.unwrap().len(), LIMIT);
        let error = ProviderError::from_body(500, &format!("x{}", "é".repeat(LIMIT)));
        assert_eq!(error.message.unwrap().len(), LIMIT - 1);
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = format!("{}1{}", "{\"error\":".repeat(100), "}".repeat(100));
        assert_eq!(ProviderError::from_body(500, &deep).message, None);
        let deeper = "[".repeat(100_000);
        assert!(ProviderError::from_body(500, &deeper).message.is_some());
    }
}
