//! Answers that come whole, instead of or beside their deltas.

use super::End;
use super::json::Json;
use super::script::Script;
use super::usage::Report;

impl Script {
    /// A whole message, by a server that does not stream or that repeats itself.
    pub(super) fn whole_message(&mut self) -> End {
        match self.dice.below(3) {
            0 => self.not_streamed(),
            1 => self.repeated(),
            _ => self.only_at_the_end(),
        }
        End::Finished
    }

    /// The answer of a server that does not stream: one document, no delta.
    fn not_streamed(&mut self) {
        self.row(17);
        let text = self.dice.words();
        let mut message = vec![("role", "\"assistant\"".to_owned())];
        if self.dice.chance(40) {
            let thought = self.dice.words();
            self.see(&thought);
            message.push(("reasoning_content", self.quote(&thought)));
        }
        self.hear(&text);
        message.push(("content", self.quote(&text)));
        if self.dice.chance(40) {
            let arguments = r#"{"a":1}"#;
            self.expect_call(self.tools[0], arguments);
            let (name, arguments) = (self.quote(self.tools[0]), self.quote(arguments));
            let function = self.object(&[("name", name), ("arguments", arguments)]);
            let call = self.object(&[("id", "\"call_1\"".to_owned()), ("function", function)]);
            message.push(("tool_calls", self.spelling.array(&[call])));
        }
        let message = self.object(&message);
        let choice = self.choice_of(vec![("message", message)], Some("\"stop\"".to_owned()));
        let choices = self.spelling.array(&[choice]);
        let report = Report::roll(&mut self.dice);
        let usage = report.json(self.spelling, &mut self.dice);
        self.chunk(Some(choices), vec![("usage", usage)]);
        self.usage = Some(report);
    }

    /// Deltas with the whole message so far beside each, as Perplexity sends them.
    fn repeated(&mut self) {
        self.row(16);
        let mut all = String::new();
        for _ in 0..self.dice.between(1, 3) {
            let text = self.dice.words();
            self.hear(&text);
            all.push_str(&text);
            let delta = format!(r#"{{"content":{}}}"#, self.quote(&text));
            self.beside(delta, &all, None);
        }
        self.beside(
            r#"{"content":""}"#.to_owned(),
            &all,
            Some("\"stop\"".to_owned()),
        );
    }

    /// Deltas that say nothing, and the message at the end.
    fn only_at_the_end(&mut self) {
        self.row(16);
        self.role();
        let text = self.dice.words();
        self.hear(&text);
        self.beside(
            r#"{"content":""}"#.to_owned(),
            &text,
            Some("\"stop\"".to_owned()),
        );
    }

    fn beside(&mut self, delta: Json, all: &str, finish: Option<Json>) {
        let content = self.quote(all);
        let message = self.object(&[("role", "\"assistant\"".to_owned()), ("content", content)]);
        let choice = self.choice_of(vec![("delta", delta), ("message", message)], finish);
        let choices = self.spelling.array(&[choice]);
        self.chunk(Some(choices), Vec::new());
    }
}
