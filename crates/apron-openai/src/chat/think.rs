//! Telling thought from speech where a model writes both into its text, between `<think>` tags.

use std::borrow::Cow;

use super::options::ThinkTags;

/// A piece of text, sorted.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Piece<'a> {
    Thought(Cow<'a, str>),
    Speech(Cow<'a, str>),
}

/// Splits the start of a text. A tag may come in pieces, so what could become one is held back.
#[derive(Debug)]
pub(super) struct Splitter {
    state: State,
    held: String,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    /// Nothing was seen but white space and perhaps a part of the opening tag.
    Start,
    /// After the opening tag.
    Thinking,
    /// Thinking from the start, where an opening tag may still come first.
    Implied,
    /// After the closing tag, or where there is no thought: all that follows is speech, tags too.
    Speaking,
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

impl Splitter {
    pub(super) fn new(tags: ThinkTags) -> Self {
        let state = match tags {
            ThinkTags::Leave => State::Speaking,
            ThinkTags::Split => State::Start,
            ThinkTags::SplitImplied => State::Implied,
        };
        Self {
            state,
            held: String::new(),
        }
    }

    /// True when every text to come is speech.
    pub(super) fn is_idle(&self) -> bool {
        self.state == State::Speaking
    }

    /// Takes the next text and gives what is certain by now.
    pub(super) fn push<'a>(&mut self, text: Cow<'a, str>, give: &mut impl FnMut(Piece<'a>)) {
        if self.state == State::Speaking {
            return give(Piece::Speech(text));
        }
        let mut text = if self.held.is_empty() {
            text
        } else {
            self.held.push_str(&text);
            Cow::Owned(std::mem::take(&mut self.held))
        };
        if matches!(self.state, State::Start | State::Implied) {
            let start = text.trim_start();
            if let Some(rest) = start.strip_prefix(OPEN) {
                text = Cow::Owned(rest.to_owned());
                self.state = State::Thinking;
            } else if OPEN.starts_with(start) {
                self.held = text.into_owned();
                return;
            } else if self.state == State::Start {
                self.state = State::Speaking;
                return give(Piece::Speech(text));
            } else {
                self.state = State::Thinking;
            }
        }
        self.think(text, give);
    }

    /// Gives what was held back, now that nothing follows.
    pub(super) fn finish(&mut self, give: &mut impl FnMut(Piece<'static>)) {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return;
        }
        give(match self.state {
            State::Start | State::Speaking => Piece::Speech(Cow::Owned(held)),
            State::Thinking | State::Implied => Piece::Thought(Cow::Owned(held)),
        });
    }

    fn think<'a>(&mut self, text: Cow<'a, str>, give: &mut impl FnMut(Piece<'a>)) {
        if let Some((thought, speech)) = text.split_once(CLOSE) {
            self.state = State::Speaking;
            if !thought.is_empty() {
                give(Piece::Thought(Cow::Owned(thought.to_owned())));
            }
            if !speech.is_empty() {
                give(Piece::Speech(Cow::Owned(speech.to_owned())));
            }
            return;
        }
        let sure = text.len() - partial_tag(&text);
        let (thought, held) = text.split_at(sure);
        self.held.push_str(held);
        if held.is_empty() {
            if !text.is_empty() {
                give(Piece::Thought(text));
            }
        } else if !thought.is_empty() {
            give(Piece::Thought(Cow::Owned(thought.to_owned())));
        }
    }
}

/// How many bytes at the end of `text` could be the start of the closing tag.
fn partial_tag(text: &str) -> usize {
    (1..CLOSE.len())
        .rev()
        .find(|&len| CLOSE.get(..len).is_some_and(|start| text.ends_with(start)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tags: ThinkTags, texts: &[&str], thought: &str, speech: &str) {
        let mut splitter = Splitter::new(tags);
        let (mut thoughts, mut speeches) = (String::new(), String::new());
        let mut give = |piece: Piece<'_>| match piece {
            Piece::Thought(text) => thoughts.push_str(&text),
            Piece::Speech(text) => speeches.push_str(&text),
        };
        for text in texts {
            splitter.push(Cow::Borrowed(text), &mut give);
        }
        splitter.finish(&mut give);
        assert_eq!((thoughts.as_str(), speeches.as_str()), (thought, speech));
    }

    #[test]
    fn tags_are_found_however_they_are_cut() {
        let whole = "\n<think>hm, <b>?</think>4 </think>";
        for cut in 0..=whole.len() {
            let (a, b) = whole.split_at(cut);
            check(ThinkTags::Split, &[a, b], "hm, <b>?", "4 </think>");
        }
        let letters: Vec<&str> = whole.split("").collect();
        check(ThinkTags::Split, &letters, "hm, <b>?", "4 </think>");
    }

    #[test]
    fn a_tag_that_is_not_at_the_start_is_text() {
        check(ThinkTags::Split, &["use <thi", "nk>"], "", "use <think>");
        check(ThinkTags::Split, &["<thin", "g>"], "", "<thing>");
        check(ThinkTags::Split, &["<thi"], "", "<thi");
        check(ThinkTags::Leave, &["<think>x"], "", "<think>x");
    }

    #[test]
    fn a_missing_opening_tag_may_be_implied() {
        check(ThinkTags::SplitImplied, &["hm</th", "ink>4"], "hm", "4");
        check(
            ThinkTags::SplitImplied,
            &["<thi", "nk>hm</think>4"],
            "hm",
            "4",
        );
        check(ThinkTags::SplitImplied, &["hm</th"], "hm</th", "");
    }
}
