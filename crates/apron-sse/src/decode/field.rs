//! One line, taken apart.

use std::time::Duration;

use memchr::memchr;

/// A line's parts, as offsets into it.
pub(super) struct RawField {
    pub(super) name: FieldName,
    pub(super) name_len: usize,
    pub(super) value_at: usize,
}

pub(super) enum FieldName {
    Data,
    Event,
    Id,
    Retry,
    /// No name: the line starts with its colon.
    Comment,
    Other,
}

impl RawField {
    /// Takes apart a line that is not empty.
    #[inline]
    pub(super) fn parse(line: &[u8]) -> Self {
        // Nearly every line there is.
        if line.starts_with(b"data: ") {
            return Self {
                name: FieldName::Data,
                name_len: 4,
                value_at: 6,
            };
        }
        let Some(colon) = memchr(b':', line) else {
            return Self {
                name: FieldName::of(line),
                name_len: line.len(),
                value_at: line.len(),
            };
        };
        let space = line.get(colon + 1) == Some(&b' ');
        Self {
            name: FieldName::of(line.get(..colon).unwrap_or_default()),
            name_len: colon,
            value_at: colon + 1 + usize::from(space),
        }
    }
}

impl FieldName {
    fn of(name: &[u8]) -> Self {
        match name {
            b"data" => Self::Data,
            b"event" => Self::Event,
            b"id" => Self::Id,
            b"retry" => Self::Retry,
            b"" => Self::Comment,
            _ => Self::Other,
        }
    }
}

/// Milliseconds in digits only. A number that no `u64` holds is as good as none.
pub(super) fn parse_retry(value: &[u8]) -> Option<Duration> {
    if value.is_empty() {
        return None;
    }
    let mut millis = 0_u64;
    for digit in value {
        if !digit.is_ascii_digit() {
            return None;
        }
        millis = millis
            .checked_mul(10)?
            .checked_add(u64::from(digit - b'0'))?;
    }
    Some(Duration::from_millis(millis))
}
