//! An answer before it is played: steps with the pause that comes before each.

use std::time::Duration;

use serde_json::Value;

use super::pieces::pieces;

/// What the provider does next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// The chunk that only names the role.
    Open,
    Text(String),
    Reasoning(String),
    /// The first delta of a tool call: its id and name, with empty arguments.
    CallOpen {
        index: usize,
        name: String,
    },
    /// A piece of a tool call's arguments.
    CallArguments {
        index: usize,
        piece: String,
    },
    /// The finish reason, the usage when it was asked for, and `[DONE]`.
    Finish(&'static str),
    /// An object that is not a chunk, such as `{"error": …}`.
    Object(Value),
    /// The connection breaks.
    Abort,
    /// Nothing more comes, and nothing ends.
    Silence,
}

/// A step and the pause before it, at a pace of 1.
pub(crate) type Timed = (Duration, Step);

/// A sequence of steps, written by scenarios and played by the body.
#[derive(Clone, Debug)]
#[must_use = "a script does nothing until it is played"]
pub(crate) struct Script {
    pause: Duration,
    steps: Vec<Timed>,
}

impl Script {
    /// An answer that begins at once and has no pauses until [`every`](Self::every) says so.
    pub(crate) fn new() -> Self {
        Self {
            pause: Duration::ZERO,
            steps: vec![(Duration::ZERO, Step::Open)],
        }
    }

    /// From here on, this pause before each step.
    pub(crate) fn every(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Text, cut into small deltas.
    pub(crate) fn text(self, text: &str) -> Self {
        pieces(text).fold(self, |script, piece| script.delta(piece))
    }

    /// One delta of text, as it is.
    pub(crate) fn delta(self, delta: impl Into<String>) -> Self {
        self.then(Step::Text(delta.into()))
    }

    /// Reasoning, cut into small deltas.
    pub(crate) fn reasoning(self, text: &str) -> Self {
        pieces(text).fold(self, |script, piece| {
            script.then(Step::Reasoning(piece.into()))
        })
    }

    /// Tool calls side by side: all are opened, then their arguments arrive in small pieces, by
    /// turns.
    pub(crate) fn calls(self, calls: &[(String, Value)]) -> Self {
        let opened = calls
            .iter()
            .enumerate()
            .fold(self, |script, (index, (name, _))| {
                script.then(Step::CallOpen {
                    index,
                    name: name.clone(),
                })
            });
        let arguments: Vec<_> = calls.iter().map(|(_, value)| value.to_string()).collect();
        let mut queues: Vec<_> = arguments.iter().map(|text| pieces(text)).collect();
        let mut script = opened;
        loop {
            let round: Vec<_> = (queues.iter_mut().enumerate())
                .filter_map(|(index, queue)| Some((index, queue.next()?)))
                .collect();
            if round.is_empty() {
                return script;
            }
            script = round.into_iter().fold(script, |script, (index, piece)| {
                script.then(Step::CallArguments {
                    index,
                    piece: piece.into(),
                })
            });
        }
    }

    /// The clean end, with this finish reason.
    pub(crate) fn finish(self, reason: &'static str) -> Self {
        self.then(Step::Finish(reason))
    }

    /// An object in place of a chunk, as a provider reports an error in mid-stream.
    pub(crate) fn object(self, object: Value) -> Self {
        self.then(Step::Object(object))
    }

    /// The connection breaks here.
    pub(crate) fn abort(self) -> Self {
        self.then(Step::Abort)
    }

    /// Nothing more comes, and nothing ends.
    pub(crate) fn silence(self) -> Self {
        self.then(Step::Silence)
    }

    /// The steps in order.
    pub(crate) fn into_steps(self) -> Vec<Timed> {
        self.steps
    }

    fn then(mut self, step: Step) -> Self {
        self.steps.push((self.pause, step));
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Script, Step};

    #[test]
    fn the_arguments_of_parallel_calls_arrive_by_turns_and_whole() {
        let calls = [
            (
                "one".to_owned(),
                json!({"city": "Zürich", "days": [1, 2, 3]}),
            ),
            ("two".to_owned(), json!({})),
        ];
        let mut order = String::new();
        let mut arguments = [String::new(), String::new()];
        for (_, step) in Script::new().calls(&calls).into_steps() {
            if let Step::CallArguments { index, piece } = step {
                order.push_str(&index.to_string());
                arguments[index].push_str(&piece);
            }
        }
        assert!(order.starts_with("0100"), "{order}");
        assert_eq!(arguments, [calls[0].1.to_string(), "{}".to_owned()]);
    }
}
