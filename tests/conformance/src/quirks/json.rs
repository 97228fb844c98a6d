//! JSON text by hand, so that the same value comes in the many spellings that parsers must read.

use super::dice::Dice;

/// A document as text.
pub(super) type Json = String;

/// How a provider spells JSON.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spelling {
    /// Every character beyond ASCII is an escape, some as a pair of surrogates.
    pub(super) ascii: bool,
    /// `/` is escaped too, as PHP does.
    pub(super) slashes: bool,
    /// A space follows `:` and `,`, as Python does.
    pub(super) spaces: bool,
    /// Members come in any order.
    pub(super) shuffled: bool,
}

impl Spelling {
    pub(super) fn of(dice: &mut Dice) -> Self {
        Self {
            ascii: dice.chance(30),
            slashes: dice.chance(10),
            spaces: dice.chance(30),
            shuffled: dice.chance(30),
        }
    }

    /// A string.
    pub(super) fn string(self, text: &str) -> Json {
        let mut json = String::with_capacity(text.len() + 2);
        json.push('"');
        for char in text.chars() {
            match char {
                '"' => json.push_str("\\\""),
                '\\' => json.push_str("\\\\"),
                '\n' => json.push_str("\\n"),
                '/' if self.slashes => json.push_str("\\/"),
                _ if char < ' ' || (self.ascii && !char.is_ascii()) => {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        json.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                _ => json.push(char),
            }
        }
        json.push('"');
        json
    }

    /// An object; the values are JSON already.
    pub(super) fn object(self, dice: &mut Dice, members: &[(&str, Json)]) -> Json {
        let (colon, comma) = if self.spaces {
            (": ", ", ")
        } else {
            (":", ",")
        };
        let mut members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("\"{name}\"{colon}{value}"))
            .collect();
        if self.shuffled {
            dice.shuffle(&mut members);
        }
        format!("{{{}}}", members.join(comma))
    }

    /// An array; the items are JSON already.
    pub(super) fn array(self, items: &[Json]) -> Json {
        format!("[{}]", items.join(if self.spaces { ", " } else { "," }))
    }
}
