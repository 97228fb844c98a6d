//! Tool names that the provider accepts, and the way back to the real ones.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use apron_protocol::Tool;

use super::options::Flavor;
use super::repair::{Repair, Repairs};

/// Maps tool names between the conversation and the provider.
///
/// AG-UI allows any string as a tool's name, OpenAI `^[a-zA-Z0-9_-]{1,64}$`. A name that fits is
/// sent as it is; another is spelled with `_` and comes back through [`ToolNames::original`]. Cheap
/// to clone.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ToolNames(Arc<Names>);

#[derive(Debug, Default, Eq, PartialEq)]
struct Names {
    /// Tools of the request: the name that is sent, and the one in the conversation.
    offered: Vec<(String, String)>,
    /// The name that is sent, by the one in the conversation: only names that changed, also those
    /// of tools that are no longer there.
    changed: HashMap<String, String>,
}

impl ToolNames {
    /// The name in the conversation of what the provider calls `sent`.
    #[must_use]
    pub fn original<'a>(&'a self, sent: &'a str) -> &'a str {
        self.offered()
            .find(|(other, _)| *other == sent)
            .map_or(sent, |(_, original)| original)
    }

    /// The name for the provider of what the conversation calls `original`.
    #[must_use]
    pub fn sent<'a>(&'a self, original: &'a str) -> &'a str {
        self.changed(original).unwrap_or(original)
    }

    /// The tools that the model is offered: the name that is sent, and the one in the conversation.
    pub fn offered(&self) -> impl Iterator<Item = (&str, &str)> {
        let names = self.0.offered.iter();
        names.map(|(sent, original)| (sent.as_str(), original.as_str()))
    }

    pub(super) fn changed(&self, original: &str) -> Option<&str> {
        self.0.changed.get(original).map(String::as_str)
    }

    /// Finds a name for each tool and for each name in the history. Names that fit keep theirs,
    /// whoever comes first.
    pub(super) fn of<'a>(
        tools: &[&'a Tool],
        history: impl Iterator<Item = &'a str>,
        flavor: Flavor,
        repairs: &mut Repairs,
    ) -> Self {
        let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        names.extend(history);
        let mut taken: HashMap<Cow<'_, str>, u32> = names
            .iter()
            .filter(|name| fits(name, flavor))
            .map(|name| (Cow::Borrowed(*name), 1))
            .collect();
        let mut changed = HashMap::new();
        for name in names {
            if !fits(name, flavor) && !changed.contains_key(name) {
                repairs.add(Repair::ToolName);
                changed.insert(name.to_owned(), unused(spell(name, flavor), &mut taken));
            }
        }
        let offered = tools.iter().map(|tool| {
            let sent = changed.get(&tool.name).unwrap_or(&tool.name);
            (sent.clone(), tool.name.clone())
        });
        Self(Arc::new(Names {
            offered: offered.collect(),
            changed,
        }))
    }
}

/// Bytes a name may have.
const MAX_NAME: usize = 64;

/// True for `^[a-zA-Z0-9_-]{1,64}$`: names of tools and of authors.
pub(super) fn is_plain(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_plain_byte)
}

fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn fits(name: &str, flavor: Flavor) -> bool {
    is_plain(name) && (flavor == Flavor::OpenAi || starts_well(name))
}

/// Gemini wants a letter or `_` first.
fn starts_well(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

fn spell(name: &str, flavor: Flavor) -> String {
    let mut spelled = String::new();
    if flavor == Flavor::Compatible && !starts_well(name) || name.is_empty() {
        spelled.push('_');
    }
    let plain = |it: char| {
        if it.is_ascii() && is_plain_byte(it as u8) {
            it
        } else {
            '_'
        }
    };
    spelled.extend(name.chars().take(MAX_NAME).map(plain));
    spelled.truncate(MAX_NAME);
    spelled
}

/// `name`, or the first of `name_2`, `name_3`, … that nothing has. The text is ASCII.
///
/// The count goes on where it was, so that many names of one spelling stay linear.
fn unused(name: String, taken: &mut HashMap<Cow<'_, str>, u32>) -> String {
    let Some(mut number) = taken.get(name.as_str()).copied() else {
        taken.insert(Cow::Owned(name.clone()), 1);
        return name;
    };
    let wish = loop {
        number = number.wrapping_add(1);
        let suffix = format!("_{number}");
        let kept = name.len().min(MAX_NAME - suffix.len());
        let wish = format!("{}{suffix}", name.get(..kept).unwrap_or_default());
        if !taken.contains_key(wish.as_str()) {
            break wish;
        }
    };
    taken.insert(Cow::Owned(name), number);
    taken.insert(Cow::Owned(wish.clone()), 1);
    wish
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(flavor: Flavor, names: &[&str]) -> ToolNames {
        let tools: Vec<_> = names.iter().map(|name| Tool::new(*name, "")).collect();
        let tools: Vec<_> = tools.iter().collect();
        ToolNames::of(&tools, std::iter::empty(), flavor, &mut Repairs::default())
    }

    #[track_caller]
    fn check(flavor: Flavor, names: &[&str], sent: &[&str]) {
        let map = map(flavor, names);
        assert_eq!(
            map.offered().map(|(sent, _)| sent).collect::<Vec<_>>(),
            sent
        );
        for (name, sent) in names.iter().zip(sent) {
            assert_eq!(map.sent(name), *sent);
            assert_eq!(map.original(sent), *name);
        }
    }

    #[test]
    fn names_that_fit_are_sent_as_they_are() {
        let longest = "x".repeat(64);
        let names = ["search", "a-b_C9", "9lives", &longest];
        check(Flavor::OpenAi, &names, &names);
    }

    #[test]
    fn other_names_are_spelled_and_come_back() {
        check(
            Flavor::OpenAi,
            &["fs.read", "größe", "", "a/b c"],
            &["fs_read", "gr__e", "_", "a_b_c"],
        );
        check(Flavor::Compatible, &["9lives", "-x"], &["_9lives", "_-x"]);
    }

    #[test]
    fn two_names_never_share_a_spelling() {
        check(
            Flavor::OpenAi,
            &["a.b", "a_b", "a/b", "a b"],
            &["a_b_2", "a_b", "a_b_3", "a_b_4"],
        );
        let (long, longer) = ("é".repeat(80), "é".repeat(81));
        let two = format!("{}_2", "_".repeat(62));
        check(Flavor::OpenAi, &[&long, &longer], &[&"_".repeat(64), &two]);
    }

    #[test]
    fn a_name_in_the_history_is_mapped_and_not_offered() {
        let search = Tool::new("search", "");
        let history = ["search", "old.tool", "old.tool", "plain"].into_iter();
        let mut repairs = Repairs::default();
        let map = ToolNames::of(&[&search], history, Flavor::OpenAi, &mut repairs);
        assert_eq!(map.offered().collect::<Vec<_>>(), [("search", "search")]);
        assert_eq!(map.sent("old.tool"), "old_tool");
        assert_eq!(map.sent("plain"), "plain");
        assert_eq!(repairs.count(Repair::ToolName), 1);
    }
}
