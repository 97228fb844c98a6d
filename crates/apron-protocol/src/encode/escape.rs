//! Strings as JSON: runs of plain bytes are found eight at a time and copied whole.

use bytes::BytesMut;

/// Bytes `0x01` in every lane of a word.
const ONES: u64 = 0x0101_0101_0101_0101;
/// Bytes `0x80` in every lane of a word.
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Appends `text` with quotes and escapes.
pub(super) fn string(text: &str, out: &mut BytesMut) {
    out.extend_from_slice(b"\"");
    let mut rest = text.as_bytes();
    loop {
        let stop = find_stop(rest);
        let (run, tail) = rest.split_at_checked(stop).unwrap_or((rest, &[]));
        out.extend_from_slice(run);
        let Some(width) = escape(tail, out) else {
            break;
        };
        rest = tail.get(width..).unwrap_or_default();
    }
    out.extend_from_slice(b"\"");
}

/// Appends `text`, which holds no quote, backslash or control character, and escapes the three
/// line separators in it.
pub(super) fn separators(text: &[u8], out: &mut impl std::io::Write) -> std::io::Result<()> {
    let mut rest = text;
    loop {
        // The lead bytes first: most text has neither.
        let stop = memchr_lead(rest);
        let (run, tail) = rest.split_at_checked(stop).unwrap_or((rest, &[]));
        out.write_all(run)?;
        let width = match separator(tail) {
            Some((escaped, width)) => {
                out.write_all(escaped)?;
                width
            }
            None => match tail.first() {
                Some(lead) => {
                    out.write_all(&[*lead])?;
                    1
                }
                None => return Ok(()),
            },
        };
        rest = tail.get(width..).unwrap_or_default();
    }
}

fn memchr_lead(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| matches!(byte, 0xE2 | 0xC2))
        .unwrap_or(bytes.len())
}

/// Writes the escape that `bytes` begin with, and says how many bytes it stands for; a lead byte
/// that starts no separator is copied. `None` at the end.
fn escape(bytes: &[u8], out: &mut BytesMut) -> Option<usize> {
    let first = *bytes.first()?;
    let short: &[u8] = match first {
        b'"' => b"\\\"",
        b'\\' => b"\\\\",
        b'\n' => b"\\n",
        b'\r' => b"\\r",
        b'\t' => b"\\t",
        0x08 => b"\\b",
        0x0C => b"\\f",
        0x00..0x20 => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
            out.extend_from_slice(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                digit(first >> 4),
                digit(first & 15),
            ]);
            return Some(1);
        }
        _ => {
            let (escaped, width) = separator(bytes).unwrap_or((bytes.get(..1)?, 1));
            out.extend_from_slice(escaped);
            return Some(width);
        }
    };
    out.extend_from_slice(short);
    Some(1)
}

/// The escape of the line separator that `bytes` begin with, and its width.
fn separator(bytes: &[u8]) -> Option<(&'static [u8], usize)> {
    match bytes {
        [0xE2, 0x80, 0xA8, ..] => Some((b"\\u2028", 3)),
        [0xE2, 0x80, 0xA9, ..] => Some((b"\\u2029", 3)),
        [0xC2, 0x85, ..] => Some((b"\\u0085", 2)),
        _ => None,
    }
}

/// Index of the first byte that may need an escape, or the length.
fn find_stop(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let hits = stops(u64::from_le_bytes(*word));
        if hits != 0 {
            return index * 8 + (hits.trailing_zeros() / 8) as usize;
        }
    }
    // The last word again, overlapping: what it shares with the words before is known to be plain,
    // so the lowest hit is a hit of the tail.
    match bytes.last_chunk::<8>() {
        _ if tail.is_empty() => bytes.len(),
        Some(word) => match stops(u64::from_le_bytes(*word)) {
            0 => bytes.len(),
            hits => bytes.len() - 8 + (hits.trailing_zeros() / 8) as usize,
        },
        None => tail
            .iter()
            .position(|byte| is_stop(*byte))
            .unwrap_or(bytes.len()),
    }
}

fn is_stop(byte: u8) -> bool {
    matches!(byte, 0x00..0x20 | b'"' | b'\\' | 0xE2 | 0xC2)
}

/// Marks the high bit of every lane that holds a stop byte. A borrow may mark a lane above a hit
/// by mistake, so only the lowest mark is exact.
fn stops(word: u64) -> u64 {
    let equals = |byte: u8| {
        let lanes = word ^ (ONES * u64::from(byte));
        lanes.wrapping_sub(ONES) & !lanes
    };
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    (controls | equals(b'"') | equals(b'\\') | equals(0xE2) | equals(0xC2)) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_at_every_place_of_every_length() {
        for length in 0..40 {
            for at in 0..length {
                for byte in 0..=255_u8 {
                    let mut bytes = vec![b'a'; length];
                    bytes[at] = byte;
                    let expected = if is_stop(byte) { at } else { length };
                    assert_eq!(find_stop(&bytes), expected, "{byte:#x} at {at} of {length}");
                }
            }
        }
    }

    #[test]
    fn two_stops_report_the_first() {
        for first in 0..16 {
            for second in first + 1..17 {
                let mut bytes = vec![b'!'; 17];
                bytes[first] = b'"';
                bytes[second] = 0x1F;
                assert_eq!(find_stop(&bytes), first);
            }
        }
    }
}
