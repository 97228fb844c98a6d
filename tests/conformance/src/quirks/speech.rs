//! Text and reasoning, in every shape that providers give them.

use super::json::Json;
use super::script::{Delta, Script};

impl Script {
    /// A few deltas of plain text.
    pub(super) fn text(&mut self) {
        for _ in 0..self.dice.between(1, 4) {
            let delta = self.text_delta();
            self.say(&delta);
        }
    }

    /// A delta of plain text, for a chunk that says more.
    pub(super) fn text_delta(&mut self) -> Delta {
        let text = self.dice.words();
        self.hear(&text);
        if text.contains("think>") {
            self.row(58);
        }
        if text.contains("<|channel|>") {
            self.row(62);
        }
        let mut delta = vec![("content", self.quote(&text))];
        if self.dice.chance(10) {
            self.row(47);
            let none = if self.dice.chance(50) { "[]" } else { "null" };
            delta.push(("tool_calls", none.to_owned()));
        }
        if self.dice.chance(10) {
            self.row(62);
            delta.push(("channel", "\"final\"".to_owned()));
        }
        if self.dice.chance(10) {
            delta.push(("role", "\"assistant\"".to_owned()));
        }
        delta
    }

    /// Content as parts.
    pub(super) fn parts(&mut self) {
        self.row(22);
        let mut parts = Vec::new();
        for _ in 0..self.dice.between(1, 3) {
            parts.push(match self.dice.below(4) {
                0 => {
                    let thought = self.dice.words();
                    self.see(&thought);
                    let inner = format!(r#"[{{"type":"text","text":{}}}]"#, self.quote(&thought));
                    format!(r#"{{"type":"thinking","thinking":{inner}}}"#)
                }
                1 => r#"{"type":"reference","reference_ids":[1,2]}"#.to_owned(),
                _ => {
                    let text = self.dice.words();
                    self.hear(&text);
                    let text = self.quote(&text);
                    self.object(&[("type", "\"text\"".to_owned()), ("text", text)])
                }
            });
        }
        let parts = self.spelling.array(&parts);
        self.say(&[("content", parts)]);
    }

    /// A refusal, which is text.
    pub(super) fn refusal(&mut self) {
        self.row(21);
        for _ in 0..self.dice.between(1, 2) {
            let text = self.dice.words();
            self.hear(&text);
            let text = self.quote(&text);
            self.say(&[("refusal", text), ("content", "null".to_owned())]);
        }
        if self.dice.chance(50) {
            self.say(&[("refusal", "\"\"".to_owned())]);
        }
    }

    /// Sound, of which the transcript is text.
    pub(super) fn audio(&mut self) {
        self.row(20);
        for _ in 0..self.dice.between(1, 2) {
            let text = self.dice.words();
            self.hear(&text);
            let transcript = format!(r#"{{"transcript":{}}}"#, self.quote(&text));
            self.say(&[("audio", transcript)]);
            self.say(&[("audio", r#"{"data":"UklGRg=="}"#.to_owned())]);
        }
        self.say(&[("audio", r#"{"expires_at":1730000000}"#.to_owned())]);
    }

    /// A few deltas of reasoning.
    pub(super) fn thoughts(&mut self) {
        self.row(61);
        for _ in 0..self.dice.between(1, 3) {
            let delta = self.thought_delta();
            self.say(&delta);
        }
    }

    /// Reasoning and text in one chunk.
    pub(super) fn thought_and_text(&mut self) {
        self.row(60);
        let mut delta = self.thought_delta();
        delta.retain(|(name, _)| *name != "content");
        delta.extend(self.text_delta());
        self.say(&delta);
    }

    fn thought_delta(&mut self) -> Delta {
        let thought = self.dice.words();
        self.see(&thought);
        let text = self.quote(&thought);
        let kind = if self.dice.chance(70) {
            "text"
        } else {
            "summary"
        };
        let detail = format!(r#"[{{"type":"reasoning.{kind}","{kind}":{text},"index":0}}]"#);
        let empty: Json = "\"\"".to_owned();
        match self.habits.reasoning {
            0 => {
                self.row(54);
                vec![("reasoning_content", text), ("content", "null".to_owned())]
            }
            1 => {
                self.row(55);
                vec![("reasoning", text)]
            }
            2 => {
                self.row(55);
                vec![("reasoning", text.clone()), ("reasoning_content", text)]
            }
            3 => {
                self.row(56);
                vec![("reasoning", text), ("reasoning_details", detail)]
            }
            _ => {
                self.row(56);
                vec![("reasoning_details", detail), ("reasoning", empty)]
            }
        }
    }

    /// Reasoning that only the provider can read.
    pub(super) fn secrets(&mut self) {
        self.secret |= !self.deaf;
        if self.dice.chance(50) {
            self.row(57);
            self.say(&[("reasoning_encrypted", "\"c2VjcmV0\"".to_owned())]);
        } else {
            self.row(56);
            let detail =
                r#"[{"type":"reasoning.encrypted","data":"c2VjcmV0","id":"rs_1","index":1}]"#;
            self.say(&[("reasoning_details", detail.to_owned())]);
        }
    }

    /// Text with its sources.
    pub(super) fn annotated(&mut self) {
        self.row(63);
        let mut delta = self.text_delta();
        let url = "https://example.com/a?b=c";
        if self.dice.chance(50) {
            let citation = format!(
                r#"[{{"type":"url_citation","url_citation":{{"url":"{url}","title":"A","start_index":0,"end_index":0}}}}]"#
            );
            delta.push(("annotations", citation));
            self.say(&delta);
        } else {
            let results = format!(r#"[{{"title":"A","url":"{url}","date":null}}]"#);
            let members = vec![
                ("citations", format!(r#"["{url}"]"#)),
                ("search_results", results),
            ];
            self.choice(&delta, None, members);
        }
    }

    /// The first chunk, which names the role and says nothing.
    pub(super) fn role(&mut self) {
        self.row(1);
        self.row(2);
        self.say(&[
            ("role", "\"assistant\"".to_owned()),
            ("content", "\"\"".to_owned()),
        ]);
    }

    /// A delta that says nothing.
    pub(super) fn blank(&mut self) {
        self.row(2);
        let blanks: [&[(&str, &str)]; 6] = [
            &[("content", "\"\"")],
            &[("content", "null")],
            &[],
            &[("content", "[]")],
            &[
                ("role", "null"),
                ("content", "null"),
                ("tool_calls", "null"),
                ("reasoning", "null"),
            ],
            &[
                ("reasoning_content", "\"\""),
                ("function_call", "null"),
                ("audio", "null"),
            ],
        ];
        let blank = *self.dice.pick(&blanks);
        let delta: Delta = blank
            .iter()
            .map(|&(name, json)| (name, json.to_owned()))
            .collect();
        self.say(&delta);
    }
}
