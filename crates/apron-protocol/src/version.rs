//! Protocol versions.

use std::fmt;
use std::str::FromStr;

/// The protocol version this crate speaks.
pub const PROTOCOL_VERSION: &str = "1.0";

/// A version of the protocol, `major.minor`; compared number by number.
///
/// Only an unknown *major* may be refused: a newer minor is served and answered with one's own
/// version (AG-UI 1.0, version negotiation).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct ProtocolVersion {
    /// Before the point.
    pub major: u32,
    /// After the point.
    pub minor: u32,
}

/// The text is not of the form `major.minor`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a protocol version has the form major.minor")]
#[non_exhaustive]
pub struct InvalidVersion;

impl FromStr for ProtocolVersion {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        let (major, minor) = text.split_once('.').ok_or(InvalidVersion)?;
        // `u32::from_str` also takes a leading plus, which the grammar does not.
        let number = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            plain
                .then(|| digits.parse().ok())
                .flatten()
                .ok_or(InvalidVersion)
        };
        Ok(Self {
            major: number(major)?,
            minor: number(minor)?,
        })
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        let version = |text: &str| text.parse::<ProtocolVersion>();
        assert!(version("1.10").unwrap() > version("1.9").unwrap());
        assert_eq!(version("1.0").unwrap().to_string(), "1.0");
        for text in ["", "1", "1.0.0", "+1.0", "1.x", "1. 0", ".1", "1."] {
            assert!(version(text).is_err(), "{text:?}");
        }
    }
}
