//! What calls are made of: an entry of `tool_calls`, and the chunk around it.

use super::json::Json;
use super::script::{Delta, Script};

/// A call to be told.
pub(super) struct Told {
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) arguments: String,
}

impl Script {
    pub(super) fn one_call(&mut self) -> Told {
        let name = *self.dice.pick(&self.tools);
        Told {
            id: self.fresh_id(),
            name,
            arguments: self.arguments(),
        }
    }

    pub(super) fn some_calls(&mut self, most: usize) -> Vec<Told> {
        (0..self.dice.between(1, most))
            .map(|_| self.one_call())
            .collect()
    }

    /// A JSON object as a string, never empty, written as models write them.
    pub(super) fn arguments(&mut self) -> String {
        let mut members: Vec<String> = Vec::new();
        for key in KEYS.iter().take(self.dice.between(1, KEYS.len())) {
            let value = match self.dice.below(5) {
                0 => self.dice.below(1000).to_string(),
                1 => r#"{"deep":[1,{"x":null}],"{":"}"}"#.to_owned(),
                2 => "[]".to_owned(),
                _ => {
                    let words = self.dice.words();
                    serde_json::Value::from(words).to_string()
                }
            };
            members.push(format!("\"{key}\":{value}"));
        }
        let space = if self.dice.chance(20) { "\n  " } else { "" };
        format!("{{{space}{}}}", members.join(","))
    }

    /// Announces a call in its slot.
    pub(super) fn announce(&mut self, at: usize, call: &Told, arguments: Option<&str>) {
        let arguments = arguments.map(|text| self.quote(text));
        let entry = self.entry(Some(at), Some(&call.id), Some(call.name), arguments);
        self.send(vec![entry]);
    }

    /// Goes on with the arguments of the call in a slot.
    pub(super) fn piece(&mut self, at: usize, piece: &str, noisy: bool, call: &Told) {
        let arguments = self.quote(piece);
        let (mut id, mut name) = (None, None);
        if noisy {
            match self.dice.below(5) {
                0 => {
                    self.row(35);
                    id = Some("");
                }
                1 => {
                    self.row(40);
                    name = Some("");
                }
                2 => id = Some(&*call.id),
                3 => {
                    self.row(40);
                    let nothing = self.entry(Some(at), None, Some(""), Some("null".to_owned()));
                    self.send(vec![nothing]);
                }
                _ => {}
            }
        }
        let entry = self.entry(Some(at), id, name, Some(arguments));
        self.send(vec![entry]);
    }

    /// One entry of `tool_calls`.
    pub(super) fn entry(
        &mut self,
        index: Option<usize>,
        id: Option<&str>,
        name: Option<&str>,
        arguments: Option<Json>,
    ) -> Json {
        let mut function = Vec::new();
        if let Some(name) = name {
            function.push(("name", self.quote(name)));
        }
        function.extend(arguments.map(|arguments| ("arguments", arguments)));
        let mut members: Delta = vec![("function", self.object(&function))];
        members.extend(index.map(|index| ("index", (self.first_index + index).to_string())));
        match id {
            Some(id) => members.push(("id", self.quote(id))),
            None if self.dice.chance(20) => members.push(("id", "null".to_owned())),
            None => {}
        }
        match self.dice.below(4) {
            0 => self.row(48),
            1 => {
                self.row(48);
                members.push(("type", "null".to_owned()));
            }
            _ => members.push(("type", "\"function\"".to_owned())),
        }
        self.object(&members)
    }

    pub(super) fn send(&mut self, entries: Vec<Json>) {
        let entries = self.spelling.array(&entries);
        let mut delta = vec![("tool_calls", entries)];
        if self.dice.chance(20) {
            self.row(53);
            delta.push(("index", "0".to_owned()));
            delta.push(("p", "\"abcdef\"".to_owned()));
        }
        if self.dice.chance(30) {
            let blank = if self.dice.chance(50) { "\"\"" } else { "null" };
            delta.push(("content", blank.to_owned()));
        }
        self.say(&delta);
    }

    pub(super) fn send_together_or_apart(&mut self, entries: Vec<Json>) {
        if self.dice.chance(50) {
            self.send(entries);
        } else {
            for entry in entries {
                self.send(vec![entry]);
            }
        }
    }
}

const KEYS: [&str; 4] = ["city", "a b", "q\\u0041", "日本"];
