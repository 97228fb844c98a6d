//! RFC 6902 operations and RFC 6901 pointers.

use apron_protocol::{Decoded, Event, JsonPointer, PatchOperation};
use serde_json::{Value, json};

use crate::shapes;

#[test]
fn an_operation_of_an_unknown_kind_is_left_out() {
    let operations = read(json!([
        { "op": "add", "path": "/a", "value": 1 },
        { "op": "increment", "path": 7 },
        { "op": "Remove", "path": "/a" },
        { "op": "remove", "path": "/b" },
    ]));
    let paths: Option<Vec<_>> =
        operations.map(|list| list.iter().map(|one| one.path().to_string()).collect());
    assert_eq!(paths, Some(vec!["/a".to_owned(), "/b".to_owned()]));
}

#[test]
fn a_known_operation_that_lacks_a_member_is_corrupt() {
    for operation in [
        json!({ "op": "add", "path": "/a" }),
        json!({ "op": "replace", "path": "/a" }),
        json!({ "op": "test", "path": "/a" }),
        json!({ "op": "add", "value": 1 }),
        json!({ "op": "remove" }),
        json!({ "op": "move", "path": "/a" }),
        json!({ "op": "copy", "from": "/a" }),
        json!({ "op": "remove", "path": null }),
        json!({ "op": "move", "from": null, "path": "/a" }),
        json!({ "path": "/a", "value": 1 }),
        json!({ "op": 1, "path": "/a" }),
        json!("remove"),
        json!(null),
    ] {
        assert_eq!(read(json!([operation])), None, "{operation}");
    }
    assert_eq!(read(json!({ "op": "remove", "path": "/a" })), None);
    assert_eq!(read(json!(null)), None);
}

#[test]
fn a_pointer_is_empty_or_begins_with_a_slash_and_has_no_stray_tilde() {
    for text in [
        "",
        "/",
        "//",
        "/a/0/-",
        "/~0~1",
        "/~01",
        "/ü\u{2028}\"",
        "/a b",
    ] {
        let pointer: JsonPointer = text.parse().expect(text);
        assert_eq!(pointer.as_str(), text);
        assert!(
            read(json!([{ "op": "remove", "path": text }])).is_some(),
            "{text}"
        );
    }
    for text in ["a", "a/b", "#/a", "/~2", "/~", "/a~", "/~/0", " /a", "~0"] {
        assert!(text.parse::<JsonPointer>().is_err(), "{text}");
        assert_eq!(
            read(json!([{ "op": "remove", "path": text }])),
            None,
            "{text}"
        );
        assert_eq!(
            read(json!([{ "op": "copy", "from": text, "path": "" }])),
            None,
            "{text}"
        );
    }
}

#[test]
fn a_key_is_escaped_and_comes_back() {
    let keys = ["a/b", "c~d", "~1", "", "0", "ü"];
    let pointer = JsonPointer::from_iter(keys);
    assert_eq!(pointer.as_str(), "/a~1b/c~0d/~01//0/ü");
    assert!(pointer.keys().eq(keys));
    let child = JsonPointer::root().child("a/b").child("c~d");
    assert!(pointer.as_str().starts_with(child.as_str()));
    assert_eq!(JsonPointer::root().keys().count(), 0);
    assert_eq!(JsonPointer::default(), JsonPointer::root());
}

#[test]
fn further_members_are_kept() {
    let value: Value = serde_json::from_str(shapes::OPERATIONS).unwrap();
    let operations = read(value.clone()).unwrap();
    assert_eq!(operations, shapes::operations());
    assert_eq!(serde_json::to_value(operations).unwrap(), value);
}

fn read(delta: Value) -> Option<Vec<PatchOperation>> {
    match Decoded::from_value(json!({ "type": "STATE_DELTA", "delta": delta })) {
        Decoded::Event(Event::StateDelta(event)) => Some(event.delta),
        Decoded::Corrupt(_) => None,
        other => panic!("{other:?}"),
    }
}
