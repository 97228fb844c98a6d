//! Recorded provider streams, and a reader of their frames that shares nothing with Apron's.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A recorded stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recording {
    /// Its path under the folder of recordings.
    pub name: String,
    /// What the provider sent.
    pub bytes: Vec<u8>,
}

impl Recording {
    /// Every recording of the chat API, in order of name. `corpus` is the folder that
    /// `APRON_CORPUS` names.
    #[must_use]
    pub fn of_chat(corpus: &Path) -> Vec<Self> {
        let streams = corpus.join("streams");
        let folders = [
            streams.clone(),
            streams.join("rig"),
            streams.join("reserialised"),
        ];
        let mut paths: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
        paths.retain(|path| path.to_string_lossy().ends_with(".chunks"));
        paths.sort();
        let mut recordings = Vec::new();
        for path in paths {
            let name = path
                .strip_prefix(&streams)
                .unwrap_or(&path)
                .to_string_lossy()
                .into_owned();
            if name.contains("-chat-") {
                let bytes = fs::read(&path).unwrap_or_else(|err| panic!("{name}: {err}"));
                recordings.push(Self { name, bytes });
            }
        }
        recordings
    }
}

/// What stands in one frame.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Data {
    /// JSON.
    Json(Value),
    /// `[DONE]`.
    Done,
    /// Anything else.
    Other(String),
}

/// One frame and where it ends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Framed {
    /// The data.
    pub data: Data,
    /// The offset of the first byte after the frame.
    pub end: usize,
    /// False when the stream ends inside of the frame.
    pub complete: bool,
}

/// Reads the frames of a stream: server-sent events, or one JSON document a line.
///
/// Written line by line and for whole streams only; it has none of the care of a real decoder, and
/// none of its bugs.
#[must_use]
pub fn frames(bytes: &[u8]) -> Vec<Framed> {
    let lines = lines(bytes);
    let events = lines
        .iter()
        .any(|line| line.text.starts_with("data:") || line.text.starts_with("event:"));
    if events {
        sse(&lines)
    } else {
        json_lines(&lines)
    }
}

struct Line {
    text: String,
    end: usize,
    /// False for a last line without its line end.
    ended: bool,
}

fn lines(bytes: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let text = &rest[..length.unwrap_or(rest.len())];
        let end_length = match length {
            None => 0,
            Some(at) if rest[at..].starts_with(b"\r\n") => 2,
            Some(_) => 1,
        };
        start += text.len() + end_length;
        let text = String::from_utf8_lossy(text)
            .trim_start_matches('\u{feff}')
            .to_owned();
        lines.push(Line {
            text,
            end: start,
            ended: length.is_some(),
        });
    }
    lines
}

fn sse(lines: &[Line]) -> Vec<Framed> {
    let mut frames = Vec::new();
    let mut open: Option<String> = None;
    for line in lines {
        if line.text.is_empty() {
            if let Some(data) = open.take() {
                frames.push(Framed {
                    data: data_of(&data),
                    end: line.end,
                    complete: true,
                });
            }
        } else if let Some(data) = line.text.strip_prefix("data:") {
            let data = data.strip_prefix(' ').unwrap_or(data);
            open = Some(match open {
                None => data.to_owned(),
                Some(before) => format!("{before}\n{data}"),
            });
        }
    }
    if let (Some(data), Some(line)) = (open, lines.last()) {
        frames.push(Framed {
            data: data_of(&data),
            end: line.end,
            complete: false,
        });
    }
    frames
}

fn json_lines(lines: &[Line]) -> Vec<Framed> {
    let full = lines.iter().filter(|line| !line.text.trim().is_empty());
    full.map(|line| Framed {
        data: data_of(&line.text),
        end: line.end,
        complete: line.ended,
    })
    .collect()
}

fn data_of(text: &str) -> Data {
    if text.trim() == "[DONE]" {
        return Data::Done;
    }
    match serde_json::from_str(text) {
        Ok(value) => Data::Json(value),
        Err(_) => Data::Other(text.to_owned()),
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect()
}
