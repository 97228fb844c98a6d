//! The arguments of one tool call, put together from whatever pieces a provider sends.

use std::borrow::Cow;

use apron_protocol::Text;
use serde::de::IgnoredAny;
use serde_json::Value;

/// What arrived so far, and what of it may be said.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    all: String,
    /// A piece whose meaning shows in what follows it.
    held: Option<Held>,
    /// The call was announced, so pieces may go out.
    live: bool,
    brackets: Brackets,
}

#[derive(Debug)]
enum Held {
    /// `{}` as the first piece: nothing but a placeholder, if more follows.
    Placeholder,
    /// A whole object that begins like all before it: the same object again, nested, if more
    /// follows, and a repeat of everything if not.
    Repeat(String),
}

impl Arguments {
    /// Takes a piece. Gives what goes out now: the piece itself, the part of it that is new, or
    /// nothing.
    pub(super) fn push(&mut self, piece: Cow<'_, str>) -> Option<Text> {
        let piece = match self.held.take() {
            None => piece,
            Some(held) if piece.trim().is_empty() || held.is(&piece) => {
                self.held = Some(held);
                return None;
            }
            Some(Held::Placeholder) => piece,
            Some(Held::Repeat(nested)) => {
                return self.add(Cow::Owned(nested + &piece));
            }
        };
        if self.all.is_empty() && piece.trim() == "{}" {
            self.held = Some(Held::Placeholder);
            return None;
        }
        let repeat = self.repeat(&piece);
        match repeat {
            Repeat::None => self.add(piece),
            Repeat::Until(end) => {
                let tail = piece.get(end..).unwrap_or_default();
                let spent = self.closed() && tail.trim().is_empty();
                (!spent).then(|| self.add(Cow::Borrowed(tail)))?
            }
            Repeat::Perhaps => {
                self.held = Some(Held::Repeat(piece.into_owned()));
                None
            }
        }
    }

    /// The call is announced: gives what was collected before.
    pub(super) fn start(&mut self) -> Option<Text> {
        self.live = true;
        (!self.all.is_empty()).then(|| Text::from(&self.all))
    }

    /// Nothing more comes, whatever the reason. Gives what was held back as a repeat.
    pub(super) fn settle(&mut self) -> Option<Text> {
        match self.held.take()? {
            Held::Placeholder => None,
            Held::Repeat(whole) => {
                let tail = whole.get(self.all.len()..).unwrap_or_default();
                self.add(Cow::Borrowed(tail))
            }
        }
    }

    /// The call ends. Gives what was held back, or the `{}` that a call without arguments still
    /// needs, because clients parse what they are given.
    pub(super) fn finish(&mut self) -> Option<Text> {
        let settled = self.settle();
        if self.all.trim().is_empty() {
            return self.add(Cow::Borrowed("{}"));
        }
        settled
    }

    /// True once any piece came.
    pub(super) fn begun(&self) -> bool {
        self.held.is_some() || !self.all.is_empty()
    }

    /// True when the outermost bracket is closed, so that more could only spoil it.
    pub(super) fn closed(&self) -> bool {
        self.held.is_some() || self.brackets.closed()
    }

    /// True when `piece` was said already, as a whole.
    pub(super) fn has(&self, piece: &str) -> bool {
        match &self.held {
            Some(held) => held.is(piece),
            None => self.all == piece || (self.closed() && same_json(&self.all, piece)),
        }
    }

    /// True when what came is certainly all of it: JSON that cannot go on. What is held back may be
    /// the start of something, so it is not.
    pub(super) fn proven(&self) -> bool {
        self.held.is_none() && self.closed() && self.valid()
    }

    /// True when what came is JSON.
    pub(super) fn valid(&self) -> bool {
        is_json(&self.all)
    }

    /// What came.
    pub(super) fn into_string(self) -> String {
        self.all
    }

    fn add(&mut self, piece: Cow<'_, str>) -> Option<Text> {
        if piece.is_empty() {
            return None;
        }
        self.all.push_str(&piece);
        self.brackets.read(&piece);
        self.live.then(|| Text::from(piece))
    }

    /// Whether `piece` repeats what was said. Some providers send everything again at the end.
    fn repeat(&self, piece: &str) -> Repeat {
        let all = self.all.as_str();
        if all.starts_with('{') && piece.starts_with(all) {
            if is_json(piece) {
                return if self.brackets.await_value() {
                    Repeat::Perhaps
                } else {
                    Repeat::Until(all.len())
                };
            }
            // Half an object again. `{"` is too little to tell, for a key may be `{`.
            if all.len() > 2 && !self.brackets.await_value() {
                return Repeat::Until(all.len());
            }
        } else if self.closed() && same_json(all, piece) {
            return Repeat::Until(piece.len());
        }
        Repeat::None
    }
}

/// Whether a piece repeats what was said.
enum Repeat {
    None,
    /// Up to there.
    Until(usize),
    /// Wholly, or it is nested; what follows tells.
    Perhaps,
}

impl Held {
    /// True when `piece` is held.
    fn is(&self, piece: &str) -> bool {
        match self {
            Self::Placeholder => piece.trim() == "{}",
            Self::Repeat(whole) => whole == piece,
        }
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether both are the same JSON, perhaps spaced or escaped differently. Texts of very different
/// length are not compared, so that a long one is not parsed again for every short one.
fn same_json(a: &str, b: &str) -> bool {
    if a.len() / 8 > b.len() {
        return false;
    }
    match (serde_json::from_str::<Value>(a), serde_json::from_str(b)) {
        (Ok(a), Ok::<Value, _>(b)) => a == b,
        _ => false,
    }
}

/// Follows brackets and strings, so that the end of an object is known without parsing it again
/// for every piece.
#[derive(Debug, Default)]
struct Brackets {
    depth: usize,
    opened: bool,
    in_string: bool,
    escaped: bool,
    /// The last byte outside of strings that is no white space.
    last: u8,
}

impl Brackets {
    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.escaped {
                self.escaped = false;
            } else if self.in_string {
                match byte {
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
            } else if !byte.is_ascii_whitespace() {
                self.last = byte;
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => {
                        self.depth += 1;
                        self.opened = true;
                    }
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }

    /// True after a colon, a comma or an opening bracket.
    fn await_value(&self) -> bool {
        !self.in_string && matches!(self.last, b':' | b',' | b'[')
    }

    fn closed(&self) -> bool {
        self.opened && self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&str], expect: &str) {
        let mut said = String::new();
        let mut arguments = Arguments::default();
        assert!(arguments.start().is_none());
        for piece in pieces {
            if let Some(text) = arguments.push(Cow::Borrowed(piece)) {
                said.push_str(&text);
            }
        }
        if let Some(text) = arguments.finish() {
            said.push_str(&text);
        }
        assert_eq!(said, expect);
        assert_eq!(arguments.into_string(), expect);
    }

    #[test]
    fn pieces_are_joined() {
        check(&["{\"a\"", ":", "{}}"], "{\"a\":{}}");
    }

    #[test]
    fn nothing_is_an_empty_object() {
        check(&[], "{}");
        check(&["", ""], "{}");
        check(&[" "], " {}");
    }

    #[test]
    fn a_leading_empty_object_is_a_placeholder() {
        check(&["{}"], "{}");
        check(&["{}", "{}"], "{}");
        check(&["{}", " "], "{}");
        check(&["{}", "{\"a\"", ":1}"], "{\"a\":1}");
    }

    #[test]
    fn what_is_repeated_is_said_once() {
        check(&["{\"a\"", ":1}", "{\"a\":1}"], "{\"a\":1}");
        check(&["{\"a\"", "{\"a\":1}"], "{\"a\":1}");
        check(&["{\"a\":", "{\"a\":1}"], "{\"a\":1}");
        check(&["{\"a\":", "{\"a\":1}", "{\"a\":1}"], "{\"a\":1}");
        check(&["{\"a\":1,", "{\"a\":1,\"b\":2}"], "{\"a\":1,\"b\":2}");
        check(&["{\"a\":\"", "{\"a\":\"x\"}"], "{\"a\":\"x\"}");
        check(
            &["{\"a\":\"x", "{\"a\":\"xy", "{\"a\":\"xyz\"}"],
            "{\"a\":\"xyz\"}",
        );
        check(&["{", "{\"a\":1}"], "{\"a\":1}");
        check(&["{\"a\":1}", "{\"a\": 1}"], "{\"a\":1}");
        check(&["{\"a\":1}", "{\"a\":1} "], "{\"a\":1}");
    }

    #[test]
    fn what_is_not_json_is_said_as_it_is() {
        check(&["{\"a\":1}", "{\"b\":2}"], "{\"a\":1}{\"b\":2}");
        check(&["{\"a\":1}", " trailing"], "{\"a\":1} trailing");
        check(&["[", "[", "1", "]", "]"], "[[1]]");
        check(&["{", "{x}}"], "{{x}}");
        check(&["{\"", "{\":1}"], "{\"{\":1}");
        check(&["oops"], "oops");
    }

    #[test]
    fn an_object_in_an_object_like_it_is_no_repeat() {
        check(&["{\"a\":", "{\"a\":null}}"], "{\"a\":{\"a\":null}}");
        check(&["{\"a\": ", "{\"a\": ", "1}", "}"], "{\"a\": {\"a\": 1}}");
        check(
            &["{\"a\":[", "{\"a\":[]},", "{\"a\":[]}]}"],
            "{\"a\":[{\"a\":[]},{\"a\":[]}]}",
        );
        check(&["{\"a\":", "{\"a\":1}", "}"], "{\"a\":{\"a\":1}}");
        check(
            &["{\"a\":", "{\"a\":1}", "", ",\"b\":2}"],
            "{\"a\":{\"a\":1},\"b\":2}",
        );
    }

    #[test]
    fn only_a_closed_bracket_proves_completeness() {
        let proven = |piece: &str| {
            let mut arguments = Arguments::default();
            arguments.push(Cow::Borrowed(piece));
            arguments.proven()
        };
        assert!(proven(r#"{"a":"}"}"#));
        for piece in ["", "{}", r#"{"a":"}"#, r#"{"a":"\""#, "12", "{oops}"] {
            assert!(!proven(piece), "{piece}");
        }
    }
}
