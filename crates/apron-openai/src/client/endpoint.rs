//! Where a request goes, and under whose name.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use async_openai::config::Config;
use reqwest::Url;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, Entry, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};

use crate::request::Flavor;

/// The address and the headers of a request. Both may hold secrets, so neither can be printed.
pub(super) struct Endpoint {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
}

/// The configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadConfig {
    /// What it says may be a secret in the wrong place, so it is not repeated.
    #[error("the base address is no URL")]
    Url,
    #[error("the configuration panicked; a key or an organisation may not fit into a header")]
    Panicked,
}

impl Endpoint {
    /// Asks the configuration. It is asked for each request, since it may have a new key each time.
    pub(super) fn of(config: &dyn Config, path: &str) -> Result<Self, BadConfig> {
        // async-openai unwraps when a key is no header value.
        let asked = catch_unwind(AssertUnwindSafe(|| {
            let url = joined(config.api_base(), config.url(path));
            let mut url = Url::parse(&url).map_err(|_| BadConfig::Url)?;
            let query = config.query();
            if !query.is_empty() {
                url.query_pairs_mut().extend_pairs(query);
            }
            Ok((url, config.headers()))
        }));
        let (url, headers) = asked.map_err(|_| BadConfig::Panicked)??;
        Ok(Self {
            url,
            headers: complete(headers),
        })
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }
}

/// How the provider at this address spells the API.
pub(super) fn flavor(base: &str) -> Flavor {
    let url = Url::parse(base).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let openai = [
        "openai.com",
        "openai.azure.com",
        "cognitiveservices.azure.com",
    ];
    let within = |domain: &&str| {
        host.strip_suffix(*domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if openai.iter().any(within) {
        Flavor::OpenAi
    } else {
        Flavor::Compatible
    }
}

/// True for an address on this machine, which no proxy can reach.
pub(super) fn is_loopback(base: &str) -> bool {
    let url = Url::parse(base).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.map_or_else(
        |_| host == "localhost" || host.ends_with(".localhost"),
        |address| address.is_loopback(),
    )
}

/// Configurations glue base and path together, so a slash at the end of the base would be doubled.
fn joined(base: &str, url: String) -> String {
    let trimmed = base.trim_end_matches('/');
    match url.strip_prefix(base) {
        Some(rest) if trimmed.len() < base.len() => format!("{trimmed}{rest}"),
        _ => url,
    }
}

fn complete(mut headers: HeaderMap) -> HeaderMap {
    // A bearer of nothing is what a configuration without a key makes; local servers mind it.
    let bearer = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    if bearer.is_some_and(|value| value.trim_ascii() == b"Bearer") {
        headers.remove(AUTHORIZATION);
    }
    // Which header holds the key is the configuration's affair: none is printed or indexed.
    for value in headers.values_mut() {
        value.set_sensitive(true);
    }
    let mut set = |name: HeaderName, value: &'static str| {
        if let Entry::Vacant(entry) = headers.entry(name) {
            entry.insert(HeaderValue::from_static(value));
        }
    };
    set(CONTENT_TYPE, "application/json");
    set(ACCEPT, "text/event-stream, application/json");
    set(
        USER_AGENT,
        concat!("apron-openai/", env!("CARGO_PKG_VERSION")),
    );
    headers
}

#[cfg(test)]
mod tests {
    use async_openai::config::{AzureConfig, OpenAIConfig};

    use super::*;

    #[track_caller]
    fn url_of(config: &dyn Config) -> String {
        Endpoint::of(config, "/chat/completions")
            .ok()
            .unwrap()
            .url
            .into()
    }

    #[test]
    fn slashes_at_the_end_of_the_base_are_trimmed() {
        for base in ["http://h/v1", "http://h/v1/", "http://h/v1//"] {
            let config = OpenAIConfig::new().with_api_base(base);
            assert_eq!(url_of(&config), "http://h/v1/chat/completions");
        }
    }

    #[test]
    fn azure_has_its_path_its_query_and_its_header() {
        let config = AzureConfig::new()
            .with_api_base("https://r.openai.azure.com/")
            .with_deployment_id("d")
            .with_api_version("2024-10-21")
            .with_api_key("k");
        assert_eq!(
            url_of(&config),
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"
        );
        let endpoint = Endpoint::of(&config, "/chat/completions").ok().unwrap();
        assert_eq!(endpoint.headers["api-key"], "k");
        assert!(!format!("{:?}", endpoint.headers).contains("\"k\""));
    }

    #[test]
    fn a_key_that_is_no_header_is_an_error_without_the_key() {
        let config = OpenAIConfig::new()
            .with_api_base("http://h")
            .with_api_key("k\n");
        let error = Endpoint::of(&config, "/x").err().unwrap();
        assert!(matches!(error, BadConfig::Panicked));
        let config = OpenAIConfig::new().with_api_base("secret");
        assert_eq!(
            Endpoint::of(&config, "/x").err().unwrap().to_string(),
            "the base address is no URL"
        );
    }

    #[test]
    fn without_a_key_nobody_is_named() {
        let config = OpenAIConfig::new()
            .with_api_base("http://h")
            .with_api_key("");
        let endpoint = Endpoint::of(&config, "/x").ok().unwrap();
        assert!(!endpoint.headers.contains_key(AUTHORIZATION));
        assert_eq!(endpoint.headers[CONTENT_TYPE], "application/json");
    }

    #[test]
    fn the_address_tells_the_flavor() {
        for base in [
            "https://api.openai.com/v1",
            "https://eu.api.openai.com/v1",
            "https://r.openai.azure.com",
        ] {
            assert_eq!(flavor(base), Flavor::OpenAi, "{base}");
        }
        for base in [
            "https://notopenai.com/v1",
            "http://localhost:11434/v1",
            "https://openai.com.evil.example",
            "x",
        ] {
            assert_eq!(flavor(base), Flavor::Compatible, "{base}");
        }
    }

    #[test]
    fn this_machine_is_told_from_others() {
        for base in [
            "http://127.0.0.1:1/v1",
            "http://[::1]/",
            "http://localhost:11434/v1",
        ] {
            assert!(is_loopback(base), "{base}");
        }
        for base in ["https://api.openai.com/v1", "http://10.0.0.1", "x"] {
            assert!(!is_loopback(base), "{base}");
        }
    }
}
