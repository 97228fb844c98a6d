//! What a provider says about its sources, on its way to the client.
//!
//! The provider's own objects go out as they are, in the metadata of the text's end. This file is
//! the only place that knows in which form.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The most annotations that are kept.
const LIMIT: usize = 1000;

/// Sources and marks in the text, collected until a text ends.
#[derive(Debug, Default)]
pub(super) struct Citations {
    annotations: Vec<Value>,
    /// How many of them went out.
    told: usize,
    /// The answer's list of URLs, which Perplexity repeats on every chunk.
    urls: Repeated,
    /// The answer's list of sources, repeated likewise.
    sources: Repeated,
}

/// JSON that comes again and again; the last one counts.
#[derive(Debug, Default)]
struct Repeated(Option<Box<RawValue>>);

impl Citations {
    /// Takes the annotations of one delta. Repeats are dropped.
    pub(super) fn annotate(&mut self, raw: &RawValue) {
        let Ok(Value::Array(items)) = serde_json::from_str(raw.get()) else {
            return;
        };
        for item in items {
            if self.annotations.len() < LIMIT && !self.annotations.contains(&item) {
                self.annotations.push(item);
            }
        }
    }

    /// Takes the lists that stand beside the choices.
    pub(super) fn list(&mut self, urls: Option<&RawValue>, sources: Option<&RawValue>) {
        self.urls.set(urls);
        self.sources.set(sources);
    }

    /// The annotations that were not told yet, for the end of a text in the middle of a turn.
    pub(super) fn tell_annotations(&mut self, metadata: &mut Map<String, Value>) {
        let new: Vec<Value> = self
            .annotations
            .get(self.told..)
            .unwrap_or_default()
            .to_vec();
        self.told = self.annotations.len();
        if !new.is_empty() {
            metadata.insert("annotations".to_owned(), Value::Array(new));
        }
    }

    /// All that was not told yet, for the last end of the turn.
    pub(super) fn tell_all(&mut self, metadata: &mut Map<String, Value>) {
        self.tell_annotations(metadata);
        self.urls.tell("citations", metadata);
        self.sources.tell("searchResults", metadata);
    }
}

impl Repeated {
    fn set(&mut self, raw: Option<&RawValue>) {
        let Some(raw) = raw else { return };
        let text = raw.get();
        // Compared before it is copied: it may be some 10 KB, on every chunk.
        let same = self.0.as_ref().is_some_and(|known| known.get() == text);
        if !same && text.starts_with('[') && text != "[]" {
            self.0 = Some(raw.to_owned());
        }
    }

    fn tell(&mut self, name: &str, metadata: &mut Map<String, Value>) {
        let value = self
            .0
            .take()
            .and_then(|raw| serde_json::from_str(raw.get()).ok());
        if let Some(value) = value {
            metadata.insert(name.to_owned(), value);
        }
    }
}

/// The text of JSON that may be a string.
pub(super) fn plain(raw: &RawValue) -> Cow<'_, str> {
    match serde_json::from_str::<String>(raw.get()) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(raw.get()),
    }
}
