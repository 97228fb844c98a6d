//! The tools that the model was offered, under the names it was offered them.

/// Names of tools, as the provider and as the client know them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tools(Vec<(String, String)>);

impl Tools {
    /// Adds a tool; `provider` is the name that the model uses.
    pub(super) fn add(&mut self, provider: String, client: String) {
        self.0.push((provider, client));
    }

    /// True when the model was offered a tool of this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.client_name(name).is_some()
    }

    /// True when a longer name begins with `name`.
    pub(super) fn extend(&self, name: &str) -> bool {
        let longer = |known: &String| known.len() > name.len() && known.starts_with(name);
        self.0.iter().any(|(provider, _)| longer(provider))
    }

    /// The client's name of what the model calls `name`.
    pub(super) fn client_name(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(provider, _)| provider == name)
            .map(|(_, client)| client.as_str())
    }
}
