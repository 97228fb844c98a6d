//! The closed JSON Schema of AG-UI 1.0: what a producer may write.

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;

/// The schema, ready to judge.
#[derive(Debug)]
pub struct Schema(Validator);

impl Schema {
    /// Reads it from the folder that `APRON_CORPUS` names.
    ///
    /// # Errors
    ///
    /// When it is not there or is no schema.
    pub fn of(corpus: &Path) -> Result<Self, String> {
        let path = corpus.join("spec/schema-1.0.json");
        let text = fs::read_to_string(&path).map_err(|err| format!("{}: {err}", path.display()))?;
        let schema: Value = serde_json::from_str(&text).map_err(|err| err.to_string())?;
        jsonschema::validator_for(&schema)
            .map(Self)
            .map_err(|err| err.to_string())
    }

    /// Judges each event by itself.
    ///
    /// # Errors
    ///
    /// The first event that is invalid, and why.
    pub fn judge(&self, events: &[Value]) -> Result<(), String> {
        for (at, event) in events.iter().enumerate() {
            if let Err(err) = self.0.validate(event) {
                return Err(format!(
                    "event {at}: {err} at {:?}: {event}",
                    err.instance_path()
                ));
            }
        }
        Ok(())
    }
}
