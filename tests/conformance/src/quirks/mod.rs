//! Random chat streams with the habits of real providers, each with the answer that a client must
//! get out of it.
//!
//! A stream is told piece by piece. Each piece is a row of the table of quirks, and writes down on
//! the wire what it also writes down as expected, so the oracle never reads the stream. The same
//! seed tells the same stream everywhere.

mod calls;
mod dice;
mod endings;
mod framing;
mod json;
mod noise;
mod pieces;
mod script;
mod speech;
mod usage;
mod whole;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use self::dice::Dice;
use self::script::Script;
pub use self::usage::Counts;
use crate::answer::Answer;

/// The rows of the table of quirks that streams are told from: all of them.
pub const ROWS: RangeInclusive<u8> = 1..=65;

/// A random stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sample {
    /// What it was told from.
    pub seed: u64,
    /// What the provider sends.
    pub bytes: Vec<u8>,
    /// Where the bytes are cut on their way; ascending, possibly none.
    pub cuts: Vec<usize>,
    /// The tools that the client declares.
    pub tools: Vec<String>,
    /// The rows of the table that it has.
    pub rows: BTreeSet<u8>,
    /// What must come of it.
    pub expected: Expected,
}

/// What must come of a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Expected {
    /// The answer, up to a failure.
    pub answer: Answer,
    /// Of each call, whether it waits for the client.
    pub pending: Vec<bool>,
    /// The usage that the terminal event reports.
    pub usage: Option<Counts>,
    /// How many values are to go back with calls.
    pub signatures: usize,
    /// True when a value is to go back with the message.
    pub secret: bool,
    /// How the run ends.
    pub end: End,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a run ends in one of two ways")]
pub enum End {
    /// With `RUN_FINISHED`.
    Finished,
    /// With `RUN_ERROR` and this code.
    Failed(&'static str),
}

impl Sample {
    /// The stream of this seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut script = Script::new(seed);
        let end = script.tell();
        let whole = end == End::Finished;
        let bytes = script.bytes(whole);
        let cuts = cuts(&mut script.dice, bytes.len());
        Self {
            seed,
            bytes,
            cuts,
            tools: script.tools.iter().map(|&name| name.to_owned()).collect(),
            rows: script.rows,
            expected: Expected {
                answer: script.answer,
                pending: script.pending,
                usage: script.usage.map(usage::Report::counts),
                signatures: script.signatures,
                secret: script.secret,
                end,
            },
        }
    }
}

impl Script {
    fn tell(&mut self) -> End {
        match self.dice.below(100) {
            0..3 => return self.nothing(),
            3..5 => return self.filtered(),
            5..11 => return self.whole_message(),
            _ => {}
        }
        if self.dice.chance(15) {
            self.filter_verdict();
        }
        if self.dice.chance(70) {
            self.role();
        }
        for _ in 0..self.dice.below(5) {
            self.act();
        }
        if self.dice.chance(45) {
            if self.dice.chance(8) {
                self.legacy_call();
            } else {
                self.calls();
            }
            for _ in 0..self.dice.below(3) {
                match self.dice.below(4) {
                    0 => {
                        self.row(46);
                        self.text();
                    }
                    1 => self.thoughts(),
                    2 => self.more_calls(),
                    _ => self.blank(),
                }
            }
        }
        if self.dice.chance(65) {
            self.good_end()
        } else {
            self.bad_end()
        }
    }

    fn act(&mut self) {
        match self.dice.below(20) {
            0..6 => self.text(),
            6..10 => self.thoughts(),
            10 => self.parts(),
            11 => self.refusal(),
            12 => self.audio(),
            13 => self.thought_and_text(),
            14 => self.annotated(),
            15 => self.other_choice(),
            16 => match self.dice.below(3) {
                0 => self.secrets(),
                1 => self.executed_once(),
                _ => self.filter_offsets(),
            },
            17 => match self.dice.below(3) {
                0 => self.no_choices(),
                1 => self.empty_choices(),
                _ => self.blank(),
            },
            18 => self.idle_line(),
            _ => self.blank(),
        }
    }

    fn executed_once(&mut self) {
        if !self.rows.contains(&52) {
            self.executed();
        }
    }
}

/// Where the bytes are cut: nowhere, everywhere, or here and there.
fn cuts(dice: &mut Dice, length: usize) -> Vec<usize> {
    match dice.below(10) {
        0 => Vec::new(),
        1 => (1..length).collect(),
        _ => {
            let count = dice.between(1, 12);
            let cuts: BTreeSet<usize> = (0..count).map(|_| dice.below(length)).collect();
            cuts.into_iter().filter(|&cut| cut > 0).collect()
        }
    }
}
