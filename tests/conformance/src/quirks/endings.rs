//! How a stream ends, well or badly.

use super::End;
use super::json::Json;
use super::script::{Frame, Script};
use super::usage::Report;

impl Script {
    /// An end after which the run must be a success.
    pub(super) fn good_end(&mut self) -> End {
        let calls = !self.answer.calls.is_empty();
        let spoken = !self.answer.text.is_empty();
        match self.dice.below(10) {
            0 => {
                self.row(8);
                let word = self.word(calls);
                let delta = self.text_delta();
                self.choice(&delta, Some(word), Vec::new());
            }
            1 => {
                self.row(8);
                for _ in 0..self.dice.between(2, 3) {
                    let word = self.word(calls);
                    self.choice(&[], Some(word), Vec::new());
                }
            }
            2 => {
                self.row(9);
                let word = self.word(calls);
                self.choice(&[], Some(word), Vec::new());
                self.text();
            }
            3 => {
                self.row(10);
                self.closing_usage();
                self.done();
                return End::Finished;
            }
            4 => {
                self.row(11);
                let words = ["\"eos\"", "\"end_turn\"", "\"STOP\"", "\"stop_sequence\""];
                let word = (*self.dice.pick(&words)).to_owned();
                self.choice(&[], Some(word), Vec::new());
            }
            5 => {
                self.row(11);
                self.choice(&[], Some("\"\"".to_owned()), Vec::new());
                self.closing_usage();
                self.done();
                return End::Finished;
            }
            6 if !calls && spoken => self.choice(&[], Some("\"length\"".to_owned()), Vec::new()),
            7 if !calls && spoken => {
                self.row(64);
                self.choice(&[], Some("\"content_filter\"".to_owned()), Vec::new());
            }
            _ => {
                let word = self.word(calls);
                self.choice(&[], Some(word), Vec::new());
            }
        }
        self.usage();
        self.done();
        End::Finished
    }

    /// An end after which the run must fail.
    pub(super) fn bad_end(&mut self) -> End {
        let end = match self.dice.below(8) {
            0 => self.malformed(),
            1 | 2 => return self.truncated(),
            3 => {
                self.row(11);
                self.choice(&[], Some("\"error\"".to_owned()), Vec::new());
                self.done();
                return End::Failed("provider_error");
            }
            4 => {
                self.cut_call();
                self.choice(&[], Some("\"length\"".to_owned()), Vec::new());
                self.usage();
                self.done();
                return End::Failed("max_output_tokens");
            }
            _ => self.error(),
        };
        // Whatever follows a failure is not heard.
        self.deaf = true;
        if self.dice.chance(30) {
            self.text();
            self.choice(&[], Some("\"stop\"".to_owned()), Vec::new());
        }
        self.done();
        end
    }

    /// A stream without a single chunk.
    pub(super) fn nothing(&mut self) -> End {
        self.row(30);
        for _ in 0..self.dice.below(3) {
            self.frames.push(Frame::Line(": still here".to_owned()));
        }
        self.done();
        End::Failed("empty_response")
    }

    /// A filter stops the answer before there is one.
    pub(super) fn filtered(&mut self) -> End {
        self.row(64);
        self.role();
        self.choice(&[], Some("\"content_filter\"".to_owned()), Vec::new());
        self.done();
        End::Failed("content_filter")
    }

    fn word(&mut self, calls: bool) -> Json {
        let word = match (calls, self.dice.below(3)) {
            (true, 0) => {
                self.row(12);
                "stop"
            }
            (true, _) => "tool_calls",
            (false, 0) => {
                self.row(13);
                "tool_calls"
            }
            (false, _) => "stop",
        };
        self.quote(word)
    }

    /// Usage in one of the places for it, or none.
    fn usage(&mut self) {
        let report = Report::roll(&mut self.dice);
        match self.dice.below(5) {
            0 => return,
            1 => {
                self.row(5);
                let usage = report.json(self.spelling, &mut self.dice);
                self.choice(&[], None, vec![("usage", usage)]);
            }
            2 => {
                let usage = report.json(self.spelling, &mut self.dice);
                let groq = format!(r#"{{"id":"req_1","usage":{usage}}}"#);
                self.choice(&[], None, vec![("x_groq", groq)]);
            }
            3 => {
                // An empty report says nothing, and takes nothing back.
                self.closing_usage();
                self.choice(&[], None, vec![("usage", "{}".to_owned())]);
                return;
            }
            _ => return self.closing_usage(),
        }
        self.usage = Some(report);
    }

    /// Usage without choices, which is a sign of completion.
    fn closing_usage(&mut self) {
        self.row(4);
        let report = Report::roll(&mut self.dice);
        let usage = report.json(self.spelling, &mut self.dice);
        let choices = self.dice.chance(80).then(|| "[]".to_owned());
        self.chunk(choices, vec![("usage", usage)]);
        self.usage = Some(report);
    }

    fn done(&mut self) {
        if self.dice.chance(20) {
            self.row(18);
            return;
        }
        let done = if self.dice.chance(10) {
            "[DONE] "
        } else {
            "[DONE]"
        };
        self.frames.push(Frame::Data(done.to_owned()));
    }

    /// The stream just stops. `[DONE]` alone is no sign of completion.
    fn truncated(&mut self) -> End {
        self.row(29);
        self.role();
        match self.dice.below(4) {
            0 => {
                self.row(26);
                self.frames.push(Frame::Line(
                    "error: {\"message\":\"out of memory canary\"}".to_owned(),
                ));
            }
            1 => self.frames.push(Frame::Data("[DONE]".to_owned())),
            _ => {}
        }
        End::Failed("stream_truncated")
    }

    fn malformed(&mut self) -> End {
        self.row(28);
        let broken = [
            "{canary",
            r#"{"choices":[{"index":0,"delta":{"content":"half"#,
            "<html>502 canary</html>",
            r#"{"choices":[{"index":0,"delta":{"content":"\ud83d"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":'single'}}]}"#,
        ];
        let broken = (*self.dice.pick(&broken)).to_owned();
        self.frames.push(Frame::Data(broken));
        End::Failed("decode_error")
    }

    /// An error in the stream, in one of the shapes that providers give it.
    fn error(&mut self) -> End {
        if self.dice.chance(20) {
            // Not even a finish reason makes up for it.
            self.row(25);
            self.choice(&[], Some("\"length\"".to_owned()), Vec::new());
        }
        let &(row, name, code, shape) = self.dice.pick(SHAPES);
        self.row(row);
        let json = if shape.starts_with('"') {
            // With choices beside it.
            let choice = self.choice_of(vec![("delta", r#"{"content":""}"#.to_owned())], None);
            let choices = self.spelling.array(&[choice]);
            let error = shape.trim_start_matches("\"error\":").to_owned();
            self.envelope(
                Some(choices),
                vec![("error", error), ("usage", "null".to_owned())],
            )
        } else {
            shape.to_owned()
        };
        self.frames.push(match name {
            Some(name) => Frame::Named(name, json),
            None => Frame::Data(json),
        });
        End::Failed(code)
    }
}

/// Errors as they stand on the wire, each with the word that must not reach a client: the row of the
/// table, the frame's name, and the code that the
/// run must fail with.
const SHAPES: &[(u8, Option<&str>, &str, &str)] = &[
    (
        23,
        None,
        "provider_error",
        r#"{"error":{"message":"boom canary","code":500}}"#,
    ),
    (
        23,
        None,
        "rate_limit_exceeded",
        r#"{"error":{"message":"slow down canary","code":429}}"#,
    ),
    (
        23,
        None,
        "authentication_error",
        r#"{"error":{"message":"no canary","type":"auth","code":401}}"#,
    ),
    (
        23,
        None,
        "insufficient_quota",
        r#"{"error":{"message":"no canary","code":"insufficient_quota"}}"#,
    ),
    (
        23,
        None,
        "context_length_exceeded",
        r#"{"error":{"message":"no canary","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
    ),
    (
        23,
        None,
        "provider_overloaded",
        r#"{"error":{"message":"busy canary","code":503}}"#,
    ),
    (
        24,
        Some("error"),
        "tool_call_invalid",
        r#"{"error":{"message":"no canary","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<f> canary","status_code":400}}"#,
    ),
    (
        24,
        Some("error"),
        "provider_error",
        r#"{"error":{"message":"boom canary"}}"#,
    ),
    (
        25,
        None,
        "invalid_request",
        r#""error":{"code":400,"message":"Token limit reached canary"}"#,
    ),
    (
        25,
        None,
        "provider_error",
        r#""error":{"code":502,"message":"Provider disconnected canary"}"#,
    ),
    (26, None, "provider_error", r#"{"error":"boom canary"}"#),
    (27, None, "provider_error", r#"{"detail":"boom canary"}"#),
    (
        27,
        None,
        "provider_error",
        r#"{"detail":[{"msg":"boom canary","loc":["body"]}]}"#,
    ),
    (
        27,
        None,
        "provider_overloaded",
        r#"{"type":"error","error":{"type":"overloaded_error","message":"busy canary"}}"#,
    ),
    (
        27,
        None,
        "rate_limit_exceeded",
        r#"{"object":"error","message":"slow down canary","type":"x","param":null,"code":429}"#,
    ),
];
