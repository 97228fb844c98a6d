//! Chunks that are not about choice 0 at all.

use super::script::{Frame, Script};

impl Script {
    /// Azure's first chunk: no choices, no names, a filter's verdict on the prompt.
    pub(super) fn filter_verdict(&mut self) {
        self.row(3);
        let verdict = r#"[{"prompt_index":0,"content_filter_results":{}}]"#.to_owned();
        let members = [
            ("choices", "[]".to_owned()),
            ("id", "\"\"".to_owned()),
            ("model", "\"\"".to_owned()),
            ("object", "\"\"".to_owned()),
            ("created", "0".to_owned()),
            ("prompt_filter_results", verdict),
        ];
        let json = self.object(&members);
        self.frames.push(Frame::Data(json));
    }

    /// A chunk without choices.
    pub(super) fn no_choices(&mut self) {
        self.row(6);
        self.chunk(None, vec![("usage", "null".to_owned())]);
    }

    /// A chunk with an empty list of choices that is no usage report.
    pub(super) fn empty_choices(&mut self) {
        self.row(7);
        let moderation = r#"{"flagged":false}"#.to_owned();
        self.chunk(
            Some("[]".to_owned()),
            vec![("moderation", moderation), ("usage", "null".to_owned())],
        );
    }

    /// Azure's verdict on the text so far.
    pub(super) fn filter_offsets(&mut self) {
        self.row(64);
        let offsets = r#"{"check_offset":0,"start_offset":0,"end_offset":9}"#.to_owned();
        let choice = self.choice_of(vec![("content_filter_offsets", offsets)], None);
        let choices = self.spelling.array(&[choice]);
        self.chunk(Some(choices), Vec::new());
    }

    /// Another choice, alone or beside choice 0, that must not be heard.
    pub(super) fn other_choice(&mut self) {
        self.row(14);
        let text = self.quote("never heard");
        let call = r#"[{"index":0,"id":"other","function":{"name":"add","arguments":"{}"}}]"#;
        let delta = match self.dice.below(3) {
            0 => format!(r#"{{"content":{text}}}"#),
            1 => format!(r#"{{"reasoning":{text}}}"#),
            _ => format!(r#"{{"tool_calls":{call}}}"#),
        };
        let reason = *self
            .dice
            .pick(&["null", "\"stop\"", "\"content_filter\"", "\"error\""]);
        let other = format!(r#"{{"index":1,"delta":{delta},"finish_reason":{reason}}}"#);
        let choices = if self.dice.chance(50) {
            self.spelling.array(&[other])
        } else {
            let delta = self.text_delta();
            let delta = self.object(&delta);
            let own = self.choice_of(vec![("delta", delta)], None);
            let mut choices = [own, other];
            self.dice.shuffle(&mut choices);
            self.spelling.array(&choices)
        };
        self.chunk(Some(choices), Vec::new());
    }

    /// A comment, a field that nobody knows, or a frame without data.
    pub(super) fn idle_line(&mut self) {
        self.row(18);
        let lines = [
            ": OPENROUTER PROCESSING",
            ":",
            "id: 7",
            "retry: 3000",
            "event: ping",
            "data:",
            "x: y",
        ];
        let line = (*self.dice.pick(&lines)).to_owned();
        self.frames.push(Frame::Line(line));
    }
}
