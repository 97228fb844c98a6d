//! The HTTP client underneath.

use std::sync::Arc;
use std::time::Duration;

use apron_emit::BoxError;
use reqwest::ClientBuilder;
use reqwest::redirect::Policy;

use super::endpoint::is_loopback;

/// An HTTP client, or why there is none.
pub(super) struct Http {
    client: Result<reqwest::Client, Unusable>,
    /// Why https cannot be spoken, though http can.
    no_tls: Option<Unusable>,
}

/// The HTTP client could not be set up.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the HTTP client cannot be set up")]
struct Unusable(#[source] Arc<reqwest::Error>);

impl Http {
    /// A client for the provider at `base`.
    pub(super) fn new(base: &str, connect: Duration) -> Self {
        let builder = || {
            let builder = reqwest::Client::builder()
                .connect_timeout(connect)
                // A provider that moved would get the key, the prompt and the answer.
                .redirect(Policy::none());
            // No proxy can reach this machine.
            if is_loopback(base) {
                builder.no_proxy()
            } else {
                builder
            }
        };
        match build(builder()) {
            // On a machine without certificates, plain http must still work.
            Err(err) => Self {
                client: build(without_tls(builder())),
                no_tls: Some(err),
            },
            client => Self {
                client,
                no_tls: None,
            },
        }
    }

    /// A client that the user set up.
    pub(super) fn of(client: reqwest::Client) -> Self {
        Self {
            client: Ok(client),
            no_tls: None,
        }
    }

    pub(super) fn client(&self, https: bool) -> Result<&reqwest::Client, BoxError> {
        match (&self.client, &self.no_tls) {
            (Err(err), _) => Err(err.clone().into()),
            (Ok(_), Some(err)) if https => Err(err.clone().into()),
            (Ok(client), _) => Ok(client),
        }
    }
}

fn build(builder: ClientBuilder) -> Result<reqwest::Client, Unusable> {
    builder.build().map_err(|err| Unusable(Arc::new(err)))
}

/// Trusts nobody, so that no certificates are looked for.
#[cfg(feature = "rustls")]
fn without_tls(builder: ClientBuilder) -> ClientBuilder {
    builder.tls_certs_only([])
}

#[cfg(not(feature = "rustls"))]
fn without_tls(builder: ClientBuilder) -> ClientBuilder {
    builder
}
