//! Which provider `apron serve` talks to.

use std::fmt;
use std::io;

use apron::openai::{Client, OpenAIConfig};

use crate::provider::Provider;

/// The provider behind the server, and what to ask it for.
///
/// Its `Debug` does not show the key.
#[non_exhaustive]
pub struct Upstream {
    base_url: String,
    model: String,
    key: Option<String>,
    client: Client,
    origin: Origin,
}

/// Why it is this one.
#[derive(Debug)]
enum Origin {
    /// `--provider-url`.
    Flag,
    /// `OPENAI_API_KEY`.
    Environment,
    /// Neither: the scripted one. It lives as long as this does.
    Embedded(Provider),
}

impl Upstream {
    /// Chooses: `provider_url` if there is one, else what the environment says (read through
    /// `env`, where an empty value counts as none), else a scripted provider, started here.
    ///
    /// # Errors
    ///
    /// When the scripted provider cannot start.
    pub async fn choose(
        provider_url: Option<&str>,
        env: impl Fn(&str) -> Option<String>,
    ) -> io::Result<Self> {
        let env = |name| env(name).filter(|value| !value.is_empty());
        let key = env("OPENAI_API_KEY");
        let model = env("OPENAI_MODEL");
        let (base_url, origin) = match (provider_url, &key) {
            (Some(url), _) => (url.to_owned(), Origin::Flag),
            (None, Some(_)) => {
                let url = env("OPENAI_BASE_URL").unwrap_or_else(|| OPENAI.to_owned());
                (url, Origin::Environment)
            }
            (None, None) => {
                let provider = Provider::start().await?;
                (provider.base_url().to_owned(), Origin::Embedded(provider))
            }
        };
        let mut config = OpenAIConfig::new().with_api_base(&base_url);
        // Without it the configuration would take the key of the environment by itself.
        config = config.with_api_key(key.clone().unwrap_or_default());
        Ok(Self {
            client: Client::new(config),
            base_url,
            model: model.unwrap_or_else(|| MODEL.to_owned()),
            key,
            origin,
        })
    }

    /// Its OpenAI base URL.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The model to ask for.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Talks to it.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The key to send, if there is one.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The scripted provider, when that is what it is.
    #[must_use]
    pub fn embedded(&self) -> Option<&Provider> {
        match &self.origin {
            Origin::Embedded(provider) => Some(provider),
            Origin::Flag | Origin::Environment => None,
        }
    }
}

impl fmt::Display for Upstream {
    /// Which provider it is, and how to have another; without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            base_url, model, ..
        } = self;
        match &self.origin {
            Origin::Embedded(_) => write!(
                f,
                "the scripted one at {base_url}, offline. \
                 Set OPENAI_API_KEY or give --provider-url URL for a real one."
            ),
            Origin::Environment => write!(
                f,
                "{base_url}, model {model}, with OPENAI_API_KEY. \
                 OPENAI_BASE_URL and OPENAI_MODEL change it; \
                 without OPENAI_API_KEY it is the scripted one."
            ),
            Origin::Flag => write!(
                f,
                "{base_url}, model {model}, {} OPENAI_API_KEY. \
                 OPENAI_MODEL changes the model; without --provider-url the environment decides.",
                if self.key.is_some() {
                    "with"
                } else {
                    "without"
                }
            ),
        }
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("origin", &self.origin)
            .finish()
    }
}

const OPENAI: &str = "https://api.openai.com/v1";
const MODEL: &str = "gpt-5-mini";
