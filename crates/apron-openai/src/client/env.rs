//! A configuration out of the environment.

use async_openai::config::{OPENAI_API_BASE, OpenAIConfig};

/// What is wrong with the environment.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvError {
    /// There is no key, and the address is OpenAI's, where nothing goes without one.
    #[error("OPENAI_API_KEY is not set")]
    NoKey,
    /// The key has characters that a key cannot have.
    #[error("OPENAI_API_KEY is no key: it has characters that cannot go into a header")]
    BadKey,
}

/// Reads `OPENAI_API_KEY` and `OPENAI_BASE_URL`; what is only spaces counts as not set.
///
/// The organisation and the project are async-openai's own affair: `OPENAI_ORG_ID`,
/// `OPENAI_PROJECT_ID`.
pub(super) fn config(variable: impl Fn(&str) -> Option<String>) -> Result<OpenAIConfig, EnvError> {
    let read = |name| {
        let value = variable(name)?;
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    let base = read("OPENAI_BASE_URL");
    let key = match read("OPENAI_API_KEY") {
        Some(key) if key.bytes().all(|byte| byte.is_ascii_graphic()) => key,
        Some(_) => return Err(EnvError::BadKey),
        // A server of one's own may want none.
        None if base.is_some() => String::new(),
        None => return Err(EnvError::NoKey),
    };
    let base = base.unwrap_or_else(|| OPENAI_API_BASE.to_owned());
    Ok(OpenAIConfig::new().with_api_base(base).with_api_key(key))
}

#[cfg(test)]
mod tests {
    use async_openai::config::Config;

    use super::*;

    #[track_caller]
    fn check(key: Option<&str>, base: Option<&str>, expected: Result<&str, EnvError>) {
        let config = config(|name| {
            let value = match name {
                "OPENAI_API_KEY" => key,
                "OPENAI_BASE_URL" => base,
                _ => None,
            };
            value.map(str::to_owned)
        });
        let base = config.as_ref().map(Config::api_base).map_err(|err| *err);
        assert_eq!(base, expected);
    }

    #[test]
    fn the_environment_names_key_and_address() {
        check(Some("sk-1"), None, Ok("https://api.openai.com/v1"));
        check(Some(" sk-1\n"), Some(" "), Ok("https://api.openai.com/v1"));
        check(Some("sk-1"), Some("http://h/v1"), Ok("http://h/v1"));
        check(
            None,
            Some("http://localhost:11434/v1"),
            Ok("http://localhost:11434/v1"),
        );
    }

    #[test]
    fn a_key_that_is_missing_or_broken_is_said_at_once() {
        check(None, None, Err(EnvError::NoKey));
        check(Some("  "), Some(""), Err(EnvError::NoKey));
        check(Some("sk-1\nsk-2"), None, Err(EnvError::BadKey));
        check(Some("schlüssel"), None, Err(EnvError::BadKey));
    }
}
