//! Writing: exact bytes, both paths alike, nothing optional as null.

use apron_protocol::{
    Decoded, Event, EventType, ReasoningMessageContent, RunFinished, RunStarted,
    TextMessageContent, TokenUsage, ToolCallArgs,
};
use bytes::BytesMut;
use proptest::prelude::{Strategy, any, prop};
use proptest::{prop_assert_eq, prop_oneof, proptest};
use serde_json::{Value, json};

use crate::cases::{self, Form};

#[test]
fn every_event_has_a_case_and_only_one() {
    let kinds: Vec<EventType> = cases::all().iter().map(|case| case.kind).collect();
    assert_eq!(kinds, EventType::ALL);
}

/// The names are serde's own, out of the error that lists them: a new variant that is missing from
/// the hand-written list fails here.
#[test]
fn the_list_of_event_types_is_complete() {
    fn names(error: &serde_json::Error) -> Vec<String> {
        let text = error.to_string();
        let (_, list) = text
            .split_once("expected one of")
            .expect("a list of variants");
        let quoted = list.split('`').skip(1).step_by(2);
        quoted.map(str::to_owned).collect()
    }
    let listed: Vec<&str> = EventType::ALL.iter().map(|kind| kind.as_str()).collect();
    let kinds = serde_json::from_value::<EventType>(json!("NONE")).unwrap_err();
    assert_eq!(names(&kinds), listed);
    let events = serde_json::from_value::<Event>(json!({ "type": "NONE" })).unwrap_err();
    assert_eq!(names(&events), listed);
}

#[test]
fn a_name_is_the_same_in_every_spelling() {
    for case in cases::all() {
        let name = case.kind.as_str();
        assert_eq!(case.kind.to_string(), name);
        assert_eq!(name.parse(), Ok(case.kind));
        assert_eq!(serde_json::to_value(case.kind).unwrap(), name);
        for Form { event, json } in [case.minimal, case.maximal] {
            assert_eq!(event.event_type(), case.kind);
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["type"], name);
        }
    }
    assert!("run_started".parse::<EventType>().is_err());
}

#[test]
fn every_event_is_written_to_the_byte() {
    for case in cases::all() {
        for Form { event, json } in [case.minimal, case.maximal] {
            assert_eq!(event.to_json(), json);
            let mut out = BytesMut::from("before");
            event.encode(&mut out).unwrap();
            assert_eq!(out, format!("before{json}"), "it appends");
        }
    }
}

#[test]
fn every_event_is_read_back_equal() {
    for case in cases::all() {
        for Form { event, json } in [case.minimal, case.maximal] {
            match Decoded::from_slice(json.as_bytes()) {
                Decoded::Event(read) => assert_eq!(read, event, "{json}"),
                other => panic!("{json}: {other:?}"),
            }
            let value = serde_json::from_str(&json).unwrap();
            assert_eq!(
                Decoded::from_value(value).into_event(),
                Some(event),
                "{json}"
            );
        }
    }
}

#[test]
fn serde_writes_and_reads_what_the_encoder_does() {
    for case in cases::all() {
        for Form { event, json } in [case.minimal, case.maximal] {
            assert_eq!(serde_json::to_string(&event).unwrap(), json);
            assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
        }
    }
}

#[test]
fn nothing_optional_is_written_as_null() {
    for case in cases::all() {
        let json = case.minimal.json;
        // The one null in a smallest form is data under a key.
        let data = r#""snapshot":{"a":null}"#;
        assert!(!json.replace(data, "").contains("null"), "{json}");
    }
}

/// The fields are public, so a null can be put where the protocol forbids one. It is left out.
#[test]
fn a_null_put_where_none_may_be_is_left_out() {
    let mut finished = RunFinished::new("t", "r");
    finished.result = Some(Value::Null);
    let bare = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#;
    assert_eq!(Event::from(finished).to_json(), bare);
    assert_eq!(
        Event::from(RunFinished::new("t", "r").with_result(Value::Null)).to_json(),
        bare
    );

    let mut input = crate::shapes::input();
    input.state = Some(Value::Null);
    input.forwarded_props = Some(Value::Null);
    input.tools[0].parameters = Some(Value::Null);
    input.resume[0].payload = Some(Value::Null);
    let value = serde_json::to_value(&input).unwrap();
    for (object, member) in [
        (&value, "state"),
        (&value, "forwardedProps"),
        (&value["tools"][0], "parameters"),
        (&value["resume"][0], "payload"),
    ] {
        assert!(object.get(member).is_none(), "{member}: {object}");
    }

    let mut event = Event::from(RunStarted::new("t", "r"));
    event.set_raw_event(Value::Null);
    assert_eq!(event, RunStarted::new("t", "r").into());
    event.set_raw_event(json!(1));
    assert_eq!(event.raw_event(), Some(&json!(1)));
    event.set_raw_event(Value::Null);
    assert_eq!(event.raw_event(), None);
    assert!(!event.to_json().contains("rawEvent"));
}

#[test]
fn a_number_is_clamped_to_what_a_client_can_hold() {
    let mut event = Event::from(RunFinished::new("t", "r"));
    event.set_timestamp(i64::MAX);
    assert_eq!(event.timestamp(), Some(9_007_199_254_740_991));
    event.set_timestamp(i64::MIN);
    assert_eq!(event.timestamp(), Some(-9_007_199_254_740_991));

    let mut usage = TokenUsage::default();
    usage.input_tokens = Some(u64::MAX);
    assert_eq!(
        serde_json::to_string(&usage).unwrap(),
        r#"{"inputTokens":9007199254740991}"#
    );
}

/// Text that a careless encoder gets wrong, and how it is written.
#[test]
fn the_escapes_are_these() {
    for (text, written) in [
        ("", ""),
        ("plain", "plain"),
        ("\"", r#"\""#),
        ("\\", r"\\"),
        ("/", "/"),
        ("\u{8}\t\n\u{c}\r", r"\b\t\n\f\r"),
        ("\0\u{1}\u{b}\u{1f}", r"\u0000\u0001\u000b\u001f"),
        ("\u{7f}", "\u{7f}"),
        ("\u{80}\u{84}\u{86}", "\u{80}\u{84}\u{86}"),
        ("\u{85}", r"\u0085"),
        ("\u{2027}\u{202a}", "\u{2027}\u{202a}"),
        ("\u{2028}\u{2029}", r"\u2028\u2029"),
        ("a\u{2028}\u{2028}b", r"a\u2028\u2028b"),
        ("\u{d7ff}\u{e000}\u{ffff}", "\u{d7ff}\u{e000}\u{ffff}"),
        ("â\u{20ac}Â", "â\u{20ac}Â"),
        ("😀\u{10ffff}", "😀\u{10ffff}"),
        ("1234567\"", r#"1234567\""#),
        ("12345678\n", r"12345678\n"),
    ] {
        for event in hot(text, text) {
            let json = event.to_json();
            assert!(
                json.contains(&format!(r#""delta":"{written}"}}"#)),
                "{json}"
            );
            assert_both_paths_agree(&event);
        }
    }
}

#[test]
fn a_key_and_an_opaque_string_are_escaped_alike() {
    let event = TextMessageContent::new("m", "").with_metadata("a\u{2028}b", "c\u{85}\u{2029}");
    let json = Event::from(event).to_json();
    assert!(
        json.ends_with(r#""metadata":{"a\u2028b":"c\u0085\u2029"}}"#),
        "{json}"
    );
}

#[test]
fn a_long_text_is_written_whole() {
    let long = "0123456789 ünï \u{2028}\"".repeat(100_000);
    for event in hot("m", &long) {
        assert_both_paths_agree(&event);
    }
}

proptest! {
    #[test]
    fn both_paths_write_the_same(id in text(), delta in text()) {
        for event in hot(&id, &delta) {
            assert_both_paths_agree(&event);
        }
    }

    /// Apart from the three separators, the escapes are serde_json's.
    #[test]
    fn the_rest_is_serde_jsons(delta in text()) {
        let plain: String = delta
            .chars()
            .filter(|letter| !matches!(letter, '\u{2028}' | '\u{2029}' | '\u{85}'))
            .collect();
        for event in hot("m", &plain) {
            prop_assert_eq!(event.to_json(), serde_json::to_string(&event).unwrap());
        }
    }
}

/// Text rich in what needs care.
fn text() -> impl Strategy<Value = String> {
    let letter = prop_oneof![
        any::<char>(),
        prop::char::range('\0', '\u{ff}'),
        prop::char::range('\u{2020}', '\u{2030}'),
        prop::char::range('\u{d7f0}', '\u{d7ff}'),
        prop::char::range('\u{e000}', '\u{e010}'),
        prop::sample::select(vec!['"', '\\', '\u{85}', '\u{2028}', '\u{2029}', 'a', 'b']),
    ];
    prop::collection::vec(letter, 0..80).prop_map(String::from_iter)
}

/// The three events with a hand-written path.
fn hot(id: &str, delta: &str) -> [Event; 3] {
    [
        TextMessageContent::new(id, delta).into(),
        ToolCallArgs::new(id, delta).into(),
        ReasoningMessageContent::new(id, delta).into(),
    ]
}

/// The hand-written path and serde's, made to run by metadata that is then cut off.
#[track_caller]
fn assert_both_paths_agree(event: &Event) {
    let hot = event.to_json();
    let mut tagged = event.clone();
    tagged.metadata_mut();
    let cold = tagged.to_json();
    let cold = cold
        .strip_suffix(r#","metadata":{}}"#)
        .expect("the metadata is last");
    assert_eq!(hot.strip_suffix('}'), Some(cold));
    assert_eq!(
        Decoded::from_slice(hot.as_bytes()).into_event().as_ref(),
        Some(event)
    );
    assert_eq!(
        serde_json::from_str::<Event>(&hot).ok().as_ref(),
        Some(event)
    );
    assert!(
        !hot.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']),
        "one line"
    );
}

/// A delta is queued by value: its size is a cost of every one.
#[test]
fn an_event_stays_small() {
    assert!(size_of::<Event>() <= 88, "{}", size_of::<Event>());
}
