//! `docs/EVENTS.md` says what the code does.

use std::path::Path;

use apron_protocol::EventType;
use serde_json::{Map, Value};

use crate::cases;

/// One row of the table.
#[derive(Debug, PartialEq)]
struct Row {
    event: String,
    /// In the order in which they are written, the optional ones with a `?`.
    fields: Vec<String>,
    attributable: String,
}

#[test]
fn the_table_of_events_is_the_code() {
    let rows = table();
    let code: Vec<Row> = cases::all().iter().map(row).collect();
    assert_eq!(rows.len(), EventType::ALL.len());
    for (row, code) in rows.iter().zip(&code) {
        assert_eq!(row, code);
    }
}

/// The row that a case stands for.
fn row(case: &cases::Case) -> Row {
    let common = ["type", "timestamp", "rawEvent", "metadata"];
    let subject = case.kind.as_str().starts_with("SUBAGENT_");
    let smallest: Map<String, Value> = serde_json::from_str(&case.minimal.json).unwrap();
    let largest: Map<String, Value> = serde_json::from_str(&case.maximal.json).unwrap();
    let tagged = largest.contains_key("subagentRunId");
    let mut fields: Vec<&String> = largest
        .keys()
        .filter(|key| !common.contains(&key.as_str()))
        .filter(|key| subject || *key != "subagentRunId")
        .collect();
    // A map has lost the order of the text.
    let place = |key: &&String| case.maximal.json.find(&format!("\"{key}\":"));
    fields.sort_by_key(place);
    let mark = |key: &String| if smallest.contains_key(key) { "" } else { "?" };
    Row {
        event: case.kind.to_string(),
        fields: fields
            .into_iter()
            .map(|key| format!("{key}{}", mark(key)))
            .collect(),
        attributable: match (tagged, subject) {
            (true, true) => "is the subject",
            (true, false) => "yes",
            (false, _) => "no",
        }
        .to_owned(),
    }
}

fn table() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/EVENTS.md");
    let text = std::fs::read_to_string(path).expect("docs/EVENTS.md");
    let mut lines = text
        .lines()
        .skip_while(|line| !line.starts_with("| Event |"));
    let columns = cells(lines.next().expect("the head of the table"));
    assert_eq!(
        columns,
        [
            "Event",
            "Fields",
            "Attributable",
            "Opens or closes",
            "Emitted by"
        ]
    );
    lines
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells = cells(line);
            let [event, fields, attributable, order, by] = cells[..] else {
                panic!("a row of {} cells: {line}", cells.len());
            };
            assert!(!order.is_empty() && !by.is_empty(), "{line}");
            Row {
                event: event.trim_matches('`').to_owned(),
                fields: fields
                    .split(", ")
                    .map(|field| field.trim_matches('`').to_owned())
                    .collect(),
                attributable: attributable.to_owned(),
            }
        })
        .collect()
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}
