//! serde_json's compact form with the line separators escaped.

use std::io;

use serde_json::ser::Formatter;

use super::escape;

pub(super) struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        mut writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        escape::separators(fragment.as_bytes(), &mut writer)
    }
}
