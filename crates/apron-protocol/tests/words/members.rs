//! Every member of every event, one at a time: left out, made null, made another kind.
//!
//! The walk starts from the largest form of each event, so a member that is added there is tested
//! without a further line.

use std::collections::BTreeSet;

use apron_protocol::{Decoded, Event};
use serde_json::{Map, Value, json};

use crate::cases;

/// A member of some object inside an event.
struct Member {
    /// Where, for people and for the tables: `MESSAGES_SNAPSHOT.messages[tool].error`.
    name: String,
    /// Where the object is.
    object: String,
    /// Its key.
    key: String,
}

/// Members that may be any JSON, and that hold nothing of the protocol's.
const OPAQUE: [&str; 11] = [
    "event",
    "forwardedProps",
    "metadata",
    "parameters",
    "payload",
    "rawEvent",
    "responseSchema",
    "result",
    "snapshot",
    "state",
    "value",
];

/// Members for which a null is a value.
const NULL_IS_A_VALUE: [&str; 7] = [
    "ACTIVITY_SNAPSHOT.content.done",
    "CUSTOM.value",
    "RAW.event",
    "STATE_DELTA.delta[add].by",
    "STATE_DELTA.delta[add].value",
    "STATE_DELTA.delta[replace].value",
    "STATE_DELTA.delta[test].value",
];

/// Members without which their object cannot be read, beyond those that a smallest form shows.
const REQUIRED_INSIDE: &[&str] = &[
    "ACTIVITY_DELTA.patch[remove].op",
    "ACTIVITY_DELTA.patch[remove].path",
    "MESSAGES_SNAPSHOT.messages[activity].activityType",
    "MESSAGES_SNAPSHOT.messages[activity].content",
    "MESSAGES_SNAPSHOT.messages[activity].id",
    "MESSAGES_SNAPSHOT.messages[activity].role",
    "MESSAGES_SNAPSHOT.messages[assistant].id",
    "MESSAGES_SNAPSHOT.messages[assistant].role",
    "MESSAGES_SNAPSHOT.messages[assistant].toolCalls[function].function",
    "MESSAGES_SNAPSHOT.messages[assistant].toolCalls[function].function.arguments",
    "MESSAGES_SNAPSHOT.messages[assistant].toolCalls[function].function.name",
    "MESSAGES_SNAPSHOT.messages[assistant].toolCalls[function].id",
    "MESSAGES_SNAPSHOT.messages[developer].content",
    "MESSAGES_SNAPSHOT.messages[developer].id",
    "MESSAGES_SNAPSHOT.messages[developer].role",
    "MESSAGES_SNAPSHOT.messages[reasoning].content",
    "MESSAGES_SNAPSHOT.messages[reasoning].id",
    "MESSAGES_SNAPSHOT.messages[reasoning].role",
    "MESSAGES_SNAPSHOT.messages[system].content",
    "MESSAGES_SNAPSHOT.messages[system].id",
    "MESSAGES_SNAPSHOT.messages[system].role",
    "MESSAGES_SNAPSHOT.messages[tool].content",
    "MESSAGES_SNAPSHOT.messages[tool].content[audio].source",
    "MESSAGES_SNAPSHOT.messages[tool].content[audio].source[url].type",
    "MESSAGES_SNAPSHOT.messages[tool].content[audio].source[url].value",
    "MESSAGES_SNAPSHOT.messages[tool].content[audio].type",
    "MESSAGES_SNAPSHOT.messages[tool].content[document].source",
    "MESSAGES_SNAPSHOT.messages[tool].content[document].source[file].type",
    "MESSAGES_SNAPSHOT.messages[tool].content[document].source[file].value",
    "MESSAGES_SNAPSHOT.messages[tool].content[document].type",
    "MESSAGES_SNAPSHOT.messages[tool].content[image].source",
    "MESSAGES_SNAPSHOT.messages[tool].content[image].source[data].mimeType",
    "MESSAGES_SNAPSHOT.messages[tool].content[image].source[data].type",
    "MESSAGES_SNAPSHOT.messages[tool].content[image].source[data].value",
    "MESSAGES_SNAPSHOT.messages[tool].content[image].type",
    "MESSAGES_SNAPSHOT.messages[tool].content[text].text",
    "MESSAGES_SNAPSHOT.messages[tool].content[text].type",
    "MESSAGES_SNAPSHOT.messages[tool].content[video].source",
    "MESSAGES_SNAPSHOT.messages[tool].content[video].source[file].type",
    "MESSAGES_SNAPSHOT.messages[tool].content[video].source[file].value",
    "MESSAGES_SNAPSHOT.messages[tool].content[video].type",
    "MESSAGES_SNAPSHOT.messages[tool].id",
    "MESSAGES_SNAPSHOT.messages[tool].role",
    "MESSAGES_SNAPSHOT.messages[tool].toolCallId",
    "MESSAGES_SNAPSHOT.messages[user].content",
    "MESSAGES_SNAPSHOT.messages[user].id",
    "MESSAGES_SNAPSHOT.messages[user].role",
    "RUN_FINISHED.outcome[interrupt].interrupts",
    "RUN_FINISHED.outcome[interrupt].interrupts[].id",
    "RUN_FINISHED.outcome[interrupt].interrupts[].reason",
    "RUN_FINISHED.outcome[interrupt].type",
    "RUN_STARTED.input.context[].description",
    "RUN_STARTED.input.context[].value",
    "RUN_STARTED.input.messages",
    "RUN_STARTED.input.resume[].interruptId",
    "RUN_STARTED.input.resume[].status",
    "RUN_STARTED.input.runId",
    "RUN_STARTED.input.threadId",
    "RUN_STARTED.input.tools[].name",
    "STATE_DELTA.delta[add].op",
    "STATE_DELTA.delta[add].path",
    "STATE_DELTA.delta[add].value",
    "STATE_DELTA.delta[copy].from",
    "STATE_DELTA.delta[copy].op",
    "STATE_DELTA.delta[copy].path",
    "STATE_DELTA.delta[move].from",
    "STATE_DELTA.delta[move].op",
    "STATE_DELTA.delta[move].path",
    "STATE_DELTA.delta[remove].op",
    "STATE_DELTA.delta[remove].path",
    "STATE_DELTA.delta[replace].op",
    "STATE_DELTA.delta[replace].path",
    "STATE_DELTA.delta[replace].value",
    "STATE_DELTA.delta[test].op",
    "STATE_DELTA.delta[test].path",
    "STATE_DELTA.delta[test].value",
    "SUBAGENT_FINISHED.outcome[suspended].type",
];

#[test]
fn without_its_required_members_an_event_is_corrupt() {
    let mut inside = BTreeSet::new();
    for case in cases::all() {
        let smallest: Map<String, Value> = serde_json::from_str(&case.minimal.json).unwrap();
        for_each_member(&case.maximal.json, |whole, member| {
            let required = read(&without(whole, member)).is_none();
            match member.name.split_once('.') {
                Some((_, key)) if key == member.key => {
                    assert_eq!(required, smallest.contains_key(key), "{}", member.name);
                }
                _ if required => {
                    inside.insert(member.name.clone());
                }
                _ => {}
            }
        });
    }
    // The parts of a tool result and of a user message are those of a tool message.
    let inside: Vec<&str> = inside
        .iter()
        .map(String::as_str)
        .filter(|name| !name.starts_with("TOOL_CALL_RESULT.content["))
        .filter(|name| !name.starts_with("MESSAGES_SNAPSHOT.messages[user].content["))
        .filter(|name| !name.starts_with("RUN_STARTED.input.messages["))
        .collect();
    assert_eq!(inside, REQUIRED_INSIDE);
}

#[test]
fn a_null_is_absent_wherever_it_is_not_a_value() {
    let mut seen = 0;
    for case in cases::all() {
        for_each_member(&case.maximal.json, |whole, member| {
            if !NULL_IS_A_VALUE.contains(&member.name.as_str()) && member.name != SNAPSHOT {
                let nulled = read(&with(whole, member, Value::Null));
                assert_eq!(nulled, read(&without(whole, member)), "{}", member.name);
                seen += 1;
            }
        });
    }
    assert!(seen > 300, "the walk visited {seen} members");
}

#[test]
fn a_null_that_is_a_value_survives() {
    let mut seen = BTreeSet::new();
    for case in cases::all() {
        for_each_member(&case.maximal.json, |whole, member| {
            if NULL_IS_A_VALUE.contains(&member.name.as_str()) || member.name == SNAPSHOT {
                let nulled = with(whole, member, Value::Null);
                let event = read(&nulled).expect(&member.name);
                assert_eq!(json_of(&event), nulled, "{}", member.name);
                seen.insert(member.name.clone());
            }
        });
    }
    // The content of an activity is not walked; its null is in the largest form.
    assert_eq!(seen.len(), NULL_IS_A_VALUE.len());
    let activity = &NULL_IS_A_VALUE[0];
    assert!(!seen.contains(*activity));
}
const SNAPSHOT: &str = "STATE_SNAPSHOT.snapshot";

#[test]
fn all_optional_members_as_null_make_the_smallest_form() {
    for case in cases::all() {
        let smallest: Map<String, Value> = serde_json::from_str(&case.minimal.json).unwrap();
        let largest: Map<String, Value> = serde_json::from_str(&case.maximal.json).unwrap();
        let mut nulled = smallest.clone();
        for key in largest.keys() {
            nulled.entry(key.clone()).or_insert(Value::Null);
        }
        assert_eq!(
            read(&Value::Object(nulled)),
            Some(case.minimal.event),
            "{}",
            case.kind
        );
    }
}

#[test]
fn a_member_of_another_kind_is_corrupt() {
    let others = [json!(true), json!(7), json!("x"), json!([]), json!({})];
    let mut refused = 0;
    for case in cases::all() {
        for_each_member(&case.maximal.json, |whole, member| {
            let now = &whole.pointer(&member.object).expect("the object")[member.key.as_str()];
            for other in &others {
                if kind(other) == kind(now) || is_any(member, other) {
                    continue;
                }
                let changed = with(whole, member, other.clone());
                assert_eq!(read(&changed), None, "{} = {other}", member.name);
                refused += 1;
            }
        });
    }
    assert!(refused > 1000, "the walk refused {refused} members");
}

#[test]
fn an_unknown_member_is_ignored_in_every_object() {
    for case in cases::all() {
        for_each_member(&case.maximal.json, |whole, member| {
            let mut more = whole.clone();
            let object = more.pointer_mut(&member.object).expect("the object");
            object["unheard"] = json!({ "of": null });
            let event = read(&more).expect(&member.name);
            let is_operation = object_of(&more, member).contains_key("op");
            // RFC 6902 lets an operation have further members, and they are kept.
            let expected = if is_operation { &more } else { whole };
            assert_eq!(&json_of(&event), expected, "{}", member.name);
        });
    }
}

/// True when the member may be of `other`'s kind too.
fn is_any(member: &Member, other: &Value) -> bool {
    let name = member.name.as_str();
    let activity = name.starts_with("ACTIVITY") || name.ends_with("[activity].content");
    match member.key.as_str() {
        // Objects only, but for a content part, where it is any JSON.
        "metadata" => name.contains(".content["),
        "responseSchema" => false,
        // Text in a source and in a fact.
        "value" => !name.contains(".source[") && !name.contains(".context["),
        "by" => true,
        // Text, or parts. Roles that speak plain text are read from parts too.
        "content" => !activity && (other.is_string() || other.is_array()),
        key => OPAQUE.contains(&key),
    }
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn for_each_member(json: &str, mut visit: impl FnMut(&Value, &Member)) {
    let whole: Value = serde_json::from_str(json).expect("a case");
    let name = whole["type"].as_str().expect("a type").to_owned();
    let mut members = Vec::new();
    collect(&whole, &name, "", &mut members);
    for member in &members {
        visit(&whole, member);
    }
}

fn collect(value: &Value, name: &str, place: &str, members: &mut Vec<Member>) {
    match value {
        Value::Object(object) => {
            for (key, inner) in object {
                members.push(Member {
                    name: format!("{name}.{key}"),
                    object: place.to_owned(),
                    key: key.clone(),
                });
                let activity = key == "content" && inner.is_object();
                if !activity && !OPAQUE.contains(&key.as_str()) {
                    let name = format!("{name}.{key}{}", tag(inner));
                    collect(inner, &name, &format!("{place}/{key}"), members);
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                let tag = tag(inner);
                let tag = if tag.is_empty() { "[]" } else { &tag };
                collect(
                    inner,
                    &format!("{name}{tag}"),
                    &format!("{place}/{index}"),
                    members,
                );
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What says which kind of object it is, in brackets.
fn tag(value: &Value) -> String {
    let tag = ["role", "type", "op"]
        .into_iter()
        .find_map(|key| value.get(key)?.as_str());
    tag.map(|tag| format!("[{tag}]")).unwrap_or_default()
}

fn object_of<'v>(whole: &'v Value, member: &Member) -> &'v Map<String, Value> {
    let object = whole.pointer(&member.object).and_then(Value::as_object);
    object.expect("the object")
}

fn with(whole: &Value, member: &Member, value: Value) -> Value {
    let mut changed = whole.clone();
    let object = changed.pointer_mut(&member.object).expect("the object");
    object[member.key.as_str()] = value;
    changed
}

fn without(whole: &Value, member: &Member) -> Value {
    let mut changed = whole.clone();
    let object = changed
        .pointer_mut(&member.object)
        .and_then(Value::as_object_mut);
    object.expect("the object").remove(&member.key);
    changed
}

/// The event; `None` when it is corrupt.
fn read(value: &Value) -> Option<Event> {
    let text = Decoded::from_slice(value.to_string().as_bytes());
    let read = match text {
        Decoded::Event(event) => Some(event),
        Decoded::Corrupt(_) => None,
        Decoded::Unknown { kind, .. } => panic!("unknown: {kind}"),
    };
    let from_value = Decoded::from_value(value.clone()).into_event();
    assert_eq!(from_value, read, "from a value as from text: {value}");
    read
}

fn json_of(event: &Event) -> Value {
    serde_json::from_str(&event.to_json()).expect("an event is JSON")
}
