//! What a lenient reader left out or changed.

use std::fmt;

/// One kind of leniency.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A message of a role that 1.0 does not know was left out.
    UnknownRole,
    /// A content part of a type that 1.0 does not know was left out.
    UnknownPart,
    /// A media part with a source of a type that 1.0 does not know was left out.
    UnknownSource,
    /// A 0.x `binary` part was read as the media part that 1.0 has for it.
    UpgradedBinary,
}

/// One thing that a lenient reader left out or changed, and the name it met.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Note {
    /// What happened.
    pub kind: NoteKind,
    /// The unknown role or type, cut to 32 bytes. Client text: for the log, not for the wire.
    pub name: String,
}

/// What a lenient reader left out or changed: the first sixteen in full, the rest counted.
///
/// A hostile list of a hundred thousand unknown roles must cost neither memory nor a log line each.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Notes {
    first: Vec<Note>,
    total: usize,
}

/// Notes that are kept in full.
const KEPT: usize = 16;
/// Bytes that are kept of a name.
const NAME: usize = 32;

impl Notes {
    /// The first sixteen notes.
    #[must_use]
    pub fn first(&self) -> &[Note] {
        &self.first
    }

    /// How many notes there were in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// True when nothing was left out or changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    pub(crate) fn add(&mut self, kind: NoteKind, name: &str) {
        self.total += 1;
        if self.first.len() < KEPT {
            self.first.push(Note {
                kind,
                name: cut(name).to_owned(),
            });
        }
    }

    pub(crate) fn append(&mut self, more: Self) {
        self.total += more.total;
        let room = KEPT.saturating_sub(self.first.len());
        self.first.extend(more.first.into_iter().take(room));
    }
}

/// As much of `name` as is kept. (`str::floor_char_boundary` is younger than our Rust version.)
fn cut(name: &str) -> &str {
    (0..=NAME)
        .rev()
        .find_map(|end| name.get(..end))
        .unwrap_or(name)
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name } = self;
        match kind {
            NoteKind::UnknownRole => write!(f, "left out a message of unknown role {name:?}"),
            NoteKind::UnknownPart => write!(f, "left out a content part of unknown type {name:?}"),
            NoteKind::UnknownSource => write!(f, "left out a part with unknown source {name:?}"),
            NoteKind::UpgradedBinary => f.write_str("read a binary part as a media part"),
        }
    }
}
