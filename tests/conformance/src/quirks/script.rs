//! A stream in the making: the frames that the provider sends, and what a client must hear.

use std::collections::BTreeSet;

use super::dice::Dice;
use super::json::{Json, Spelling};
use super::usage::Report;
use crate::answer::{Answer, Call};

/// Members of a delta; the values are JSON.
pub(super) type Delta = Vec<(&'static str, Json)>;

/// One thing on the wire.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// A frame without a name.
    Data(Json),
    /// A frame of a named event.
    Named(&'static str, Json),
    /// A line that is no data: a comment, or a field.
    Line(String),
}

/// The habits of one provider, thrown once a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    /// The ids of chunks: the same, a new one each, none, or empty.
    ids: usize,
    /// `created`: whole, with a fraction, or absent.
    created: usize,
    /// `object` and `model`: both, none, or empty.
    labels: usize,
    /// A missing index of a choice means 0.
    pub(super) bare_choice: bool,
    /// `"usage": null` and `"finish_reason": null` are spelled out.
    nulls: bool,
    /// Usage so far stands on each chunk.
    running_usage: bool,
    /// Members that nobody asked for.
    extras: usize,
    /// The names that reasoning goes by.
    pub(super) reasoning: usize,
}

/// The stream so far.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) dice: Dice,
    pub(super) spelling: Spelling,
    pub(super) habits: Habits,
    pub(super) frames: Vec<Frame>,
    /// The rows of the quirk table that it has.
    pub(super) rows: BTreeSet<u8>,
    /// The tools that the client declares.
    pub(super) tools: Vec<&'static str>,
    pub(super) answer: Answer,
    /// Which of the calls wait for the client.
    pub(super) pending: Vec<bool>,
    pub(super) usage: Option<Report>,
    /// Values that must go back with a call.
    pub(super) signatures: usize,
    /// True when there is something that must go back with the message.
    pub(super) secret: bool,
    /// What follows is not to be heard: the stream has failed.
    pub(super) deaf: bool,
    /// The index of the first call of the group that is told.
    pub(super) first_index: usize,
    chunks: u64,
    ids: u64,
}

impl Script {
    pub(super) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let spelling = Spelling::of(&mut dice);
        let habits = Habits {
            ids: dice.below(6),
            created: dice.below(5),
            labels: dice.below(5),
            bare_choice: dice.chance(15),
            nulls: dice.chance(50),
            running_usage: dice.chance(15),
            extras: dice.below(8),
            reasoning: dice.below(5),
        };
        let mut tools = KNOWN.to_vec();
        dice.shuffle(&mut tools);
        tools.truncate(dice.between(1, KNOWN.len()));
        Self {
            dice,
            spelling,
            habits,
            frames: Vec::new(),
            rows: BTreeSet::new(),
            tools,
            answer: Answer::default(),
            pending: Vec::new(),
            usage: None,
            signatures: 0,
            secret: false,
            deaf: false,
            first_index: 0,
            chunks: 0,
            ids: 0,
        }
    }

    /// Notes that the stream has this row of the quirk table.
    pub(super) fn row(&mut self, row: u8) {
        self.rows.insert(row);
    }

    /// The client must hear this text.
    pub(super) fn hear(&mut self, text: &str) {
        if !self.deaf {
            self.answer.text.push_str(text);
        }
    }

    /// The client must see this reasoning.
    pub(super) fn see(&mut self, thought: &str) {
        if self.deaf {
            return;
        }
        if !self.answer.text.is_empty() {
            self.rows.insert(59);
        }
        self.answer.reasoning.push_str(thought);
    }

    /// The client must see this call; it waits for the client when the client has the tool.
    pub(super) fn expect_call(&mut self, name: &str, arguments: &str) {
        if !self.deaf {
            self.answer.calls.push(Call::new(name, arguments));
            self.pending.push(self.tools.contains(&name));
        }
    }

    /// The client must see this call, which the provider answers itself.
    pub(super) fn expect_hosted(&mut self, name: &str, arguments: &str) {
        if !self.deaf {
            self.answer.calls.push(Call::new(name, arguments));
            self.pending.push(false);
        }
    }

    /// An id that was not used yet.
    pub(super) fn fresh_id(&mut self) -> String {
        self.ids += 1;
        let length = self.dice.between(3, 9);
        let letters: String = (0..length).map(|_| *self.dice.pick(&LETTERS)).collect();
        match self.dice.below(3) {
            0 => format!("call_{letters}{}", self.ids),
            1 => format!("chatcmpl-tool-{letters}{}", self.ids),
            _ => format!("{letters}{}", self.ids),
        }
    }

    pub(super) fn quote(&self, text: &str) -> Json {
        self.spelling.string(text)
    }

    pub(super) fn object(&mut self, members: &[(&str, Json)]) -> Json {
        self.spelling.object(&mut self.dice, members)
    }

    /// Sends a chunk in which choice 0 says `delta`.
    pub(super) fn say(&mut self, delta: &[(&'static str, Json)]) {
        self.choice(delta, None, Vec::new());
    }

    /// Sends a chunk with choice 0, its finish reason, and further members of the chunk.
    pub(super) fn choice(
        &mut self,
        delta: &[(&'static str, Json)],
        finish: Option<Json>,
        members: Vec<(&'static str, Json)>,
    ) {
        let delta = self.object(delta);
        let choice = self.choice_of(vec![("delta", delta)], finish);
        let choices = self.spelling.array(&[choice]);
        self.chunk(Some(choices), members);
    }

    /// A choice with index 0 and `members`.
    pub(super) fn choice_of(&mut self, members: Delta, finish: Option<Json>) -> Json {
        let mut members = members;
        if self.habits.bare_choice {
            self.row(14);
        } else {
            members.push(("index", "0".to_owned()));
        }
        match finish {
            Some(finish) => members.push(("finish_reason", finish)),
            None if self.habits.nulls => members.push(("finish_reason", "null".to_owned())),
            None => {}
        }
        if self.habits.extras == 1 {
            self.row(64);
            members.push((
                "content_filter_results",
                r#"{"hate":{"filtered":false}}"#.to_owned(),
            ));
        }
        self.object(&members)
    }

    /// Sends a chunk with these choices and members, in an envelope of the provider's habits.
    pub(super) fn chunk(&mut self, choices: Option<Json>, members: Vec<(&'static str, Json)>) {
        let json = self.envelope(choices, members);
        self.frames.push(Frame::Data(json));
    }

    /// As [`Script::chunk`], without sending it.
    pub(super) fn envelope(
        &mut self,
        choices: Option<Json>,
        mut members: Vec<(&'static str, Json)>,
    ) -> Json {
        self.chunks += 1;
        let habits = self.habits;
        let chunk = self.chunks;
        let said = choices.as_ref().is_some_and(|choices| choices != "[]");
        members.extend(choices.map(|choices| ("choices", choices)));
        match habits.ids {
            0 => {
                self.row(15);
                members.push(("id", self.quote(&format!("chatcmpl-{chunk}"))));
            }
            1 => {}
            2 => members.push(("id", "\"\"".to_owned())),
            _ => members.push(("id", self.quote("chatcmpl-1"))),
        }
        match habits.created {
            0 => {
                self.row(15);
                members.push(("created", "1730000000.25".to_owned()));
            }
            1 => {}
            _ => members.push(("created", "1730000000".to_owned())),
        }
        match habits.labels {
            0 => self.row(15),
            1 => members.extend([("object", "\"\"".to_owned()), ("model", "\"\"".to_owned())]),
            _ => {
                let object = self.quote("chat.completion.chunk");
                members.extend([("object", object), ("model", self.quote("model-1"))]);
            }
        }
        let has = |name: &str| members.iter().any(|(known, _)| *known == name);
        if !has("usage") && !has("x_groq") {
            if habits.running_usage && said && !self.deaf {
                self.row(5);
                let report = Report::roll(&mut self.dice);
                members.push(("usage", report.json(self.spelling, &mut self.dice)));
                self.usage = Some(report);
            } else if habits.nulls {
                members.push(("usage", "null".to_owned()));
            }
        }
        if habits.extras == 0 {
            self.row(65);
            members.push(("timings", r#"{"predicted_ms":1.5}"#.to_owned()));
            members.push(("obfuscation", "\"x9Kq\"".to_owned()));
            members.push(("provider", "\"Somebody\"".to_owned()));
            members.push(("prompt_token_ids", "null".to_owned()));
        }
        self.object(&members)
    }
}

/// Tools that a client may declare. Two of them begin alike.
const KNOWN: [&str; 5] = ["get_weather", "search", "search_web", "add", "list_files"];

const LETTERS: [char; 8] = ['a', 'B', 'c', '7', 'x', 'Q', '0', 'z'];
