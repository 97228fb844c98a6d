//! Ids of tool calls that the provider accepts: no two alike, none too long.

use std::collections::HashMap;

use super::options::CallIds;
use super::repair::{Repair, Repairs};

/// Gives every call of a request its id.
///
/// Deterministic: the same conversation gets the same ids in every run, so that a provider's prompt
/// cache holds.
pub(super) struct IdGiver {
    style: CallIds,
    /// How many calls wanted the id, given ids included.
    taken: HashMap<String, u32>,
}

impl IdGiver {
    pub(super) fn new(style: CallIds) -> Self {
        Self {
            style,
            taken: HashMap::new(),
        }
    }

    /// The id to send for a call that the conversation calls `id`.
    pub(super) fn give(&mut self, id: &str, repairs: &mut Repairs) -> String {
        if self.fits(id) && !self.taken.contains_key(id) {
            self.taken.insert(id.to_owned(), 1);
            return id.to_owned();
        }
        if self.taken.contains_key(id) {
            repairs.add(Repair::DuplicateCall);
        } else {
            repairs.add(Repair::CallId);
        }
        // The number goes on where it was, so that many calls of one id stay linear.
        let mut number = self.taken.get(id).copied().unwrap_or(0);
        let given = loop {
            number = number.wrapping_add(1);
            let wish = self.spell(id, number);
            if !self.taken.contains_key(&wish) {
                break wish;
            }
        };
        self.taken.insert(id.to_owned(), number);
        self.taken.insert(given.clone(), 1);
        given
    }

    fn fits(&self, id: &str) -> bool {
        match self.style {
            CallIds::UpTo40 => (1..=MAX_ID).contains(&id.len()),
            CallIds::Nine => id.len() == NINE && id.bytes().all(|it| it.is_ascii_alphanumeric()),
        }
    }

    fn spell(&self, id: &str, number: u32) -> String {
        match self.style {
            CallIds::Nine => base62(hash(id, number)),
            CallIds::UpTo40 if number > 1 && id.len() + SUFFIX <= MAX_ID => {
                format!("{id}_{number}")
            }
            CallIds::UpTo40 if id.is_empty() => format!("call_{:016x}", hash(id, number)),
            CallIds::UpTo40 => {
                let mut end = id.len().min(KEPT);
                while !id.is_char_boundary(end) {
                    end -= 1;
                }
                let start = id.get(..end).unwrap_or_default();
                format!("{start}_{:016x}", hash(id, number))
            }
        }
    }
}

/// Bytes OpenAI accepts.
const MAX_ID: usize = 40;
/// Bytes that are kept of a longer id: `_` and sixteen hexadecimal digits follow.
const KEPT: usize = MAX_ID - 17;
/// Bytes of `_` and any number.
const SUFFIX: usize = 11;
/// Bytes Mistral demands.
const NINE: usize = 9;

/// FNV-1a: stable over builds and platforms, which the standard hasher does not promise. Not for
/// secrets; a crafted collision only costs its author a suffix.
fn hash(id: &str, number: u32) -> u64 {
    let bytes = id.bytes().chain(number.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn base62(mut number: u64) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut text = String::with_capacity(NINE);
    for _ in 0..NINE {
        let digit = usize::try_from(number % 62).unwrap_or_default();
        text.extend(DIGITS.get(digit).map(|digit| char::from(*digit)));
        number /= 62;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn give(style: CallIds, ids: &[&str]) -> (Vec<String>, Repairs) {
        let mut giver = IdGiver::new(style);
        let mut repairs = Repairs::default();
        let given = ids.iter().map(|id| giver.give(id, &mut repairs)).collect();
        (given, repairs)
    }

    #[test]
    fn an_id_that_fits_is_kept_and_its_second_use_gets_a_suffix() {
        let (ids, repairs) = give(
            CallIds::UpTo40,
            &["call_1", "b", "call_1", "call_1", "call_1_2"],
        );
        assert_eq!(ids, ["call_1", "b", "call_1_2", "call_1_3", "call_1_2_2"]);
        assert_eq!(repairs.count(Repair::DuplicateCall), 3);
    }

    #[test]
    fn a_long_id_is_cut_to_forty_bytes_and_stays_its_own() {
        let long = "é".repeat(40);
        let other = format!("{long}!");
        let (ids, repairs) = give(CallIds::UpTo40, &[&long, &other, &long, ""]);
        assert!(ids.iter().all(|id| (1..=40).contains(&id.len())), "{ids:?}");
        assert!(
            (1..ids.len()).all(|at| !ids[..at].contains(&ids[at])),
            "{ids:?}"
        );
        assert_eq!(repairs.count(Repair::CallId), 3);
        assert_eq!(repairs.count(Repair::DuplicateCall), 1);
        assert_eq!(give(CallIds::UpTo40, &[&long, &other, &long, ""]).0, ids);
    }

    #[test]
    fn mistral_gets_nine_letters_and_digits() {
        let (ids, _) = give(CallIds::Nine, &["call_1", "D681PevKs", "call_1", ""]);
        assert_eq!(ids[1], "D681PevKs");
        assert!(
            ids.iter()
                .all(|id| id.len() == 9 && id.bytes().all(|it| it.is_ascii_alphanumeric()))
        );
        assert!(
            (1..ids.len()).all(|at| !ids[..at].contains(&ids[at])),
            "{ids:?}"
        );
    }

    #[test]
    fn a_hundred_thousand_calls_of_one_id_are_no_problem() {
        let ids = vec!["x"; 100_000];
        assert_eq!(give(CallIds::UpTo40, &ids).0.last().unwrap(), "x_100000");
    }
}
