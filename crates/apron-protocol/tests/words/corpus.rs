//! The reference material: the protocol's schema, and streams with what the official client 1.0.0
//! made of them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use apron_protocol::{Decoded, Event};
use serde_json::{Value, json};

use crate::cases;
use crate::schema::Schema;
use crate::shapes;

/// What the official client refuses and we read, and why that is meant.
const LENIENT: [(&str, &str); 4] = [
    (
        "chunk/chunk-null-delta-fatal",
        "a null of an optional member is absent",
    ),
    (
        "enforce/timestamp-null-fatal",
        "a null of an optional member is absent",
    ),
    (
        "enforce/usage-null-count-fatal",
        "a null of an optional member is absent",
    ),
    (
        "tool/result-metadata-null-fatal",
        "a null of an optional member is absent",
    ),
];

#[test]
fn what_the_official_client_delivers_is_read_and_written_back() {
    let Some(streams) = streams("what_the_official_client_delivers_is_read_and_written_back")
    else {
        return;
    };
    let mut count = 0;
    for stream in streams {
        for event in list(&stream["expect"]["delivered"]) {
            let ours = read(event).map(|event| json_of(&event));
            assert_eq!(ours, Some(normal(event)), "{}", stream.name());
            count += 1;
        }
    }
    assert!(count > 700, "{count} events");
}

/// A stream without chunks is delivered as it is sent, less what is left out.
#[test]
fn what_is_left_out_is_what_the_official_client_leaves_out() {
    let Some(streams) = streams("what_is_left_out_is_what_the_official_client_leaves_out") else {
        return;
    };
    let mut count = 0;
    for stream in streams {
        let frames = list(&stream["frames"]);
        let translated = |frame: &Value| {
            let kind = frame["type"].as_str().unwrap_or_default();
            kind.ends_with("_CHUNK") || kind.starts_with("THINKING")
        };
        if frames.iter().any(translated) {
            continue;
        }
        let delivered: Vec<Value> = list(&stream["expect"]["delivered"])
            .iter()
            .map(normal)
            .collect();
        let ours = frames.iter().filter_map(read).map(|event| json_of(&event));
        // A stream that fails delivers what came before.
        assert_eq!(
            ours.take(delivered.len()).collect::<Vec<_>>(),
            delivered,
            "{}",
            stream.name()
        );
        count += 1;
    }
    assert!(count > 150, "{count} streams");
}

#[test]
fn what_the_official_client_cannot_read_is_corrupt() {
    let Some(streams) = streams("what_the_official_client_cannot_read_is_corrupt") else {
        return;
    };
    let mut lenient = BTreeSet::new();
    let mut count = 0;
    for stream in streams {
        let error = stream["expect"]["error"].as_str().unwrap_or_default();
        let malformed = error.starts_with("ZodError") || error.starts_with("Invalid event");
        let corrupt =
            |frame: &Value| matches!(Decoded::from_value(frame.clone()), Decoded::Corrupt(_));
        let ours = list(&stream["frames"]).iter().any(corrupt);
        if malformed && !ours {
            lenient.insert(stream.name());
        } else {
            assert_eq!(ours, malformed, "{}: {error}", stream.name());
        }
        count += usize::from(malformed);
    }
    let meant: BTreeSet<String> = LENIENT.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(lenient, meant);
    assert!(count > 20, "{count} streams");
}

#[test]
fn what_we_write_fits_the_protocols_schema() {
    let Some(schema) = schema("schema-1.0.json", "what_we_write_fits_the_protocols_schema") else {
        return;
    };
    for case in cases::all() {
        for form in [case.minimal, case.maximal] {
            assert_eq!(
                schema.check(None, &json_of(&form.event)),
                Ok(()),
                "{}",
                case.kind
            );
        }
    }
    let input = serde_json::to_value(shapes::input()).unwrap();
    assert_eq!(schema.check(Some("RunAgentInput"), &input), Ok(()));
    let mut foreign = input;
    foreign["unheard"] = json!(1);
    assert!(
        schema.check(Some("RunAgentInput"), &foreign).is_err(),
        "the schema is closed"
    );
}

/// Whatever was read leniently, what is written of it is strict.
#[test]
fn what_we_read_leniently_is_written_strictly() {
    let name = "what_we_read_leniently_is_written_strictly";
    let Some(streams) = streams(name) else {
        return;
    };
    let Some(schema) = schema("schema-1.0.json", name) else {
        return;
    };
    let Some(open) = self::schema("schema-1.0.open.json", name) else {
        return;
    };
    let mut repaired = 0;
    for stream in streams {
        for frame in list(&stream["frames"]) {
            let Some(event) = read(frame) else {
                continue;
            };
            assert_eq!(
                schema.check(None, &json_of(&event)),
                Ok(()),
                "{}",
                stream.name()
            );
            repaired += usize::from(open.check(None, frame).is_err());
        }
    }
    assert!(repaired > 5, "{repaired} frames were repaired");
}

/// The protocol's own conformance streams: each event is an event, or is meant not to be.
#[test]
fn the_conformance_streams_are_read() {
    let Some(folder) = corpus("spec/conformance", "the_conformance_streams_are_read") else {
        return;
    };
    // A malformed member each; the last two pin one client's strictness, which we share.
    let corrupt = [
        "malformed-known-field-fatal",
        "reasoning-message-wrong-role-fatal",
        "subagent-started-missing-name-fatal",
        "unknown-enum-value-role-fatal",
        "unknown-outcome-array-fatal",
    ];
    let mut found = BTreeSet::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let fixture = json_file(entry.unwrap().path());
        for frame in list(&fixture["stream"]) {
            if let Decoded::Corrupt(_) = Decoded::from_value(frame.clone()) {
                found.insert(fixture["name"].as_str().unwrap().to_owned());
            }
        }
        count += 1;
    }
    assert!(count > 60, "{count} streams");
    assert!(found.iter().map(String::as_str).eq(corrupt), "{found:?}");
}

/// One stream of `golden-streams.json`.
struct Stream(Value);

impl Stream {
    fn name(&self) -> String {
        self.0["name"].as_str().expect("a name").to_owned()
    }
}

impl std::ops::Index<&str> for Stream {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        &self.0[key]
    }
}

fn streams(test: &str) -> Option<impl Iterator<Item = Stream>> {
    let path = corpus("spec/golden-streams.json", test)?;
    let file = json_file(path);
    Some(list(&file["cases"]).to_vec().into_iter().map(Stream))
}

fn schema(name: &str, test: &str) -> Option<Schema> {
    let path = corpus(&format!("spec/{name}"), test)?;
    Some(Schema::new(json_file(path)))
}

/// Where the reference material is; `None`, said aloud, where there is none.
fn corpus(path: &str, test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("APRON_CORPUS");
    if folder.is_none() {
        println!("skipped: {test} (APRON_CORPUS is not set)");
    }
    folder.map(|folder| PathBuf::from(folder).join(path))
}

fn json_file(path: PathBuf) -> Value {
    let text = std::fs::read(&path).unwrap_or_else(|err| panic!("{}: {err}", path.display()));
    serde_json::from_slice(&text).expect("JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn read(frame: &Value) -> Option<Event> {
    Decoded::from_value(frame.clone()).into_event()
}

fn json_of(event: &Event) -> Value {
    serde_json::from_str(&event.to_json()).expect("an event is JSON")
}

/// Empty and absent mean the same for three lists, and we write them absent.
fn normal(event: &Value) -> Value {
    let mut event = event.clone();
    for (object, member) in [
        ("/outcome", "pendingToolCallIds"),
        ("/input", "tools"),
        ("/input", "context"),
    ] {
        if let Some(object) = event.pointer_mut(object).and_then(Value::as_object_mut)
            && object.get(member) == Some(&json!([]))
        {
            object.remove(member);
        }
    }
    event
}
