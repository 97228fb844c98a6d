//! The scripted answers of the embedded provider: one table, one entry each.
//!
//! A new scenario is a new entry of [`all`]; the menu of the page, `GET /scenarios` and the choice
//! by words follow from it.

mod faults;
mod speech;
mod tools;

use std::time::Duration;

use serde::Serialize;

use crate::provider::{Answer, Ask};

/// A scripted answer and the prompt that asks for it.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Scenario {
    /// A short stable name.
    pub name: &'static str,
    /// A user message that makes the provider play it.
    pub prompt: &'static str,
    /// What to expect, in a sentence.
    pub description: &'static str,
    /// Any of these words in the user's message chooses the scenario.
    #[serde(skip)]
    words: &'static [&'static str],
    #[serde(skip)]
    answer: fn(&Ask<'_>) -> Answer,
}

/// Every scenario, in the order of the menu. Where a message has words of several, the first wins;
/// where it has none, `text` does.
#[must_use]
pub fn all() -> &'static [Scenario] {
    &TABLE
}

/// The scenario of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Scenario> {
    TABLE.iter().find(|scenario| scenario.name == name)
}

/// The provider's answer to a request: about its tool results when it ends in some, else the
/// scenario that the last user message asks for.
pub(crate) fn answer(ask: &Ask<'_>) -> Answer {
    let results = ask.tool_results();
    if results.is_empty() {
        (chosen(&ask.last_user_text()).answer)(ask)
    } else {
        tools::results(&results)
    }
}

fn chosen(message: &str) -> &'static Scenario {
    let message = message.to_lowercase();
    let said = |word: &&str| {
        message
            .split(|char: char| !char.is_alphanumeric())
            .any(|w| w == *word)
    };
    TABLE
        .iter()
        .find(|scenario| scenario.words.iter().any(said))
        .unwrap_or(&TEXT)
}

const TEXT: Scenario = Scenario {
    name: "text",
    prompt: "Tell me something about lighthouses.",
    description: "A plain answer in small deltas, with letters of several scripts and emoji. \
                  Any message without a word of another scenario gets it.",
    words: &[],
    answer: speech::text,
};

static TABLE: [Scenario; 9] = [
    TEXT,
    Scenario {
        name: "reasoning",
        prompt: "Think first: how many days are five weeks?",
        description: "Reasoning in deltas of its own, then the answer.",
        words: &["think", "reason", "reasoning"],
        answer: speech::reasoning,
    },
    Scenario {
        name: "tools",
        prompt: "What is the weather in Zurich, and what time is it there?",
        description: "Two parallel calls of the client's tools, their arguments split into small \
                      deltas that arrive by turns. Answer them to get a text about the results.",
        words: &["weather", "tool", "tools"],
        answer: tools::calls,
    },
    Scenario {
        name: "error",
        prompt: "Show me an error in the middle of an answer.",
        description: "Some text, then an error object in the stream. What the provider says in \
                      it is not for the reader.",
        words: &["error"],
        answer: faults::error,
    },
    Scenario {
        name: "cut",
        prompt: "Cut the stream off before the answer ends.",
        description: "Some text, then the provider's connection breaks: no finish reason, no end \
                      marker.",
        words: &["cut"],
        answer: faults::cut,
    },
    Scenario {
        name: "slow",
        prompt: "Answer slowly, please.",
        description: "A first delta at once, then one every 700 ms for about six seconds.",
        words: &["slow", "slowly"],
        answer: speech::slow,
    },
    Scenario {
        name: "refused",
        prompt: "Refuse this request.",
        description: "HTTP 429 with a JSON error and Retry-After, before any stream.",
        words: &["refuse", "refused"],
        answer: faults::refused,
    },
    Scenario {
        name: "long",
        prompt: "Give me a long answer.",
        description: "2,000 deltas, as fast as they can be written.",
        words: &["long"],
        answer: speech::long,
    },
    Scenario {
        name: "hang",
        prompt: "Hang after the first word.",
        description: "One delta, then silence that only a timeout, a stop or a lost client ends.",
        words: &["hang"],
        answer: faults::hang,
    },
];

/// Between two deltas, as a brisk model sends them.
const BRISK: Duration = Duration::from_millis(25);

/// Between two deltas of the slow answer.
const SLOW: Duration = Duration::from_millis(700);

#[cfg(test)]
mod tests {
    use super::{all, chosen};

    #[test]
    fn every_prompt_chooses_its_own_scenario() {
        for scenario in all() {
            assert_eq!(chosen(scenario.prompt).name, scenario.name);
        }
    }

    #[test]
    fn words_are_whole_words_in_any_case_and_the_rest_is_text() {
        assert_eq!(chosen("Any TOOLS?").name, "tools");
        assert_eq!(chosen("a cut-off stream").name, "cut");
        assert_eq!(
            chosen("He belongs to the shortcut club; terrors, hangars.").name,
            "text"
        );
        assert_eq!(chosen("").name, "text");
    }

    #[test]
    fn names_are_unique_words_and_every_text_is_there() {
        let mut names: Vec<_> = all().iter().map(|scenario| scenario.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
        for scenario in all() {
            assert!(
                scenario.name.chars().all(|char| char.is_ascii_lowercase()),
                "{scenario:?}"
            );
            assert!(!scenario.prompt.is_empty() && !scenario.description.is_empty());
        }
    }
}
