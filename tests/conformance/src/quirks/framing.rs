//! From frames to bytes.

use super::json::Json;
use super::script::{Frame, Script};

impl Script {
    /// The stream on the wire: server-sent events in one of their spellings, or JSON lines.
    ///
    /// `whole` says that the last frame can be read, so that the blank line after it may be missing.
    pub(super) fn bytes(&mut self, whole: bool) -> Vec<u8> {
        let frames = std::mem::take(&mut self.frames);
        let events = frames.iter().any(|frame| !matches!(frame, Frame::Data(_)));
        // A line that is no JSON may swallow all that follows, since JSON may span lines.
        let broken = self.rows.contains(&28);
        if !events && !broken && self.dice.chance(10) {
            return self.json_lines(&frames);
        }
        let end = *self.dice.pick(&["\n", "\n", "\n", "\r\n", "\r"]);
        let space = if self.dice.chance(85) { " " } else { "" };
        let named = self.dice.chance(10);
        if end != "\n" || space.is_empty() || named {
            self.row(18);
        }
        let mut text = String::new();
        if self.dice.chance(5) {
            text.push('\u{feff}');
        }
        let last = frames.len().saturating_sub(1);
        for (at, frame) in frames.into_iter().enumerate() {
            let lines = match frame {
                Frame::Data(json) if named && !json.starts_with("[DONE]") => {
                    format!("event:{space}chunk{end}data:{space}{json}{end}")
                }
                Frame::Data(json) => format!("data:{space}{json}{end}"),
                Frame::Named(name, json) => {
                    format!("event:{space}{name}{end}data:{space}{json}{end}")
                }
                // Not all of them stand alone.
                Frame::Line(line) if self.dice.chance(50) => {
                    text.push_str(&format!("{line}{end}"));
                    continue;
                }
                Frame::Line(line) => format!("{line}{end}"),
            };
            text.push_str(&lines);
            if at < last || !whole || self.dice.chance(85) {
                text.push_str(end);
            }
        }
        text.into_bytes()
    }

    fn json_lines(&mut self, frames: &[Frame]) -> Vec<u8> {
        self.row(18);
        let end = *self.dice.pick(&["\n", "\r\n"]);
        let lines = frames.iter().filter_map(|frame| match frame {
            Frame::Data(json) => Some::<&Json>(json),
            Frame::Named(..) | Frame::Line(_) => None,
        });
        lines
            .map(|json| format!("{json}{end}"))
            .collect::<String>()
            .into_bytes()
    }
}
