//! Reading message lists: what is unknown is left out, what is malformed is not.

use std::error::Error as _;

use apron_protocol::{
    Content, ContentPart, MediaPart, Message, NoteKind, Notes, PartSource, RunAgentInput, TextPart,
    ToolCall,
};
use serde_json::{Value, json};

#[test]
fn a_message_of_an_unknown_role_is_left_out_whatever_it_holds() {
    let (messages, notes) = read(json!([
        { "id": "1", "role": "user", "content": "Hi" },
        { "id": "2", "role": "moderator", "content": "a role of the future" },
        { "role": "x", "id": 7, "content": 7, "toolCalls": {}, "name": [], "metadata": "no" },
        { "role": "y", "content": [7, { "type": 8 }], "toolCalls": [{ "id": 9 }, null] },
        { "role": "z", "content": [{ "type": "hologram" }, { "type": "binary" }] },
    ]));
    assert_eq!(messages, [Message::user("1", "Hi")]);
    assert_eq!(
        said(&notes),
        [
            (NoteKind::UnknownRole, "moderator"),
            (NoteKind::UnknownRole, "x"),
            (NoteKind::UnknownRole, "y"),
            (NoteKind::UnknownRole, "z"),
        ]
    );
}

/// Members that a role does not have are unknown there, so their kind does not matter.
#[test]
fn a_member_that_the_role_does_not_have_is_ignored() {
    let (messages, notes) = read(json!([
        { "id": "1", "role": "user", "content": "Hi", "toolCalls": 7, "error": {}, "toolCallId": [],
          "activityType": false },
        { "id": "2", "role": "assistant", "content": "Ho", "error": { "code": 1 } },
        { "id": "3", "role": "tool", "toolCallId": "c", "content": "", "name": 7 },
        { "id": "4", "role": "activity", "activityType": "plan", "content": {}, "name": 7,
          "encryptedValue": 7, "toolCalls": [7] },
        { "id": "5", "role": "reasoning", "content": "Hm", "name": 7 },
        { "id": "6", "role": "user", "content": [
            { "type": "text", "text": "", "source": 7, "url": 7, "mimeType": [] },
            { "type": "image", "text": 7, "data": {}, "source":
                { "type": "url", "value": "u", "provider": 7 } } ] },
    ]));
    assert_eq!(messages.len(), 6);
    assert!(notes.is_empty());
    let url = PartSource::url("u");
    assert_eq!(
        messages[5],
        Message::user(
            "6",
            vec![
                ContentPart::text(""),
                ContentPart::Image(MediaPart::new(url)),
            ]
        )
    );
}

#[test]
fn a_part_of_an_unknown_type_or_source_is_left_out() {
    let (messages, notes) = read(json!([
        { "id": "1", "role": "user", "content": [
            { "type": "text", "text": "before" },
            { "type": "hologram", "source": 7, "text": 7, "id": {} },
            { "type": "image", "source": { "type": "telepathy", "value": 7 } },
            { "type": "text", "text": "after" },
        ]},
        { "id": "2", "role": "tool", "toolCallId": "c", "content": [{ "type": "hologram" }] },
    ]));
    assert_eq!(
        messages,
        [
            Message::user(
                "1",
                vec![ContentPart::text("before"), ContentPart::text("after")]
            ),
            Message::tool("2", "c", Vec::new()),
        ]
    );
    assert_eq!(
        said(&notes),
        [
            (NoteKind::UnknownPart, "hologram"),
            (NoteKind::UnknownSource, "telepathy"),
            (NoteKind::UnknownPart, "hologram"),
        ]
    );
}

/// The 0.x part that carried any file, and the media part that 1.0 has for it.
#[test]
fn a_binary_part_is_upgraded() {
    let typed = |value: &str, kind: &str| PartSource::Url {
        value: value.to_owned(),
        mime_type: Some(kind.to_owned()),
    };
    let name = |part: MediaPart| part.with_metadata(json!({ "filename": "a.b" }));
    for (binary, part) in [
        (
            json!({ "mimeType": "image/png", "data": "QUJD", "id": "p1" }),
            ContentPart::Image(MediaPart::new(PartSource::data("QUJD", "image/png")).with_id("p1")),
        ),
        (
            json!({ "mimeType": "audio/wav", "url": "u", "filename": "a.b", "data": null }),
            ContentPart::Audio(name(MediaPart::new(typed("u", "audio/wav")))),
        ),
        (
            json!({ "mimeType": "video/mp4", "data": "QUJD", "url": "u" }),
            ContentPart::Video(MediaPart::new(PartSource::data("QUJD", "video/mp4"))),
        ),
        (
            json!({ "mimeType": "application/pdf", "id": "file-1" }),
            ContentPart::Document(MediaPart::new(PartSource::File {
                value: "file-1".to_owned(),
                provider: None,
                mime_type: Some("application/pdf".to_owned()),
            })),
        ),
        (
            json!({ "url": "u" }),
            ContentPart::Document(MediaPart::new(PartSource::url("u"))),
        ),
    ] {
        let mut wire = binary;
        wire["type"] = json!("binary");
        let (messages, notes) = read(json!([{ "id": "1", "role": "user", "content": [wire] }]));
        assert_eq!(messages, [Message::user("1", vec![part])], "{wire}");
        assert_eq!(said(&notes), [(NoteKind::UpgradedBinary, "binary")]);
    }
    for (wire, place) in [
        (json!({ "type": "binary" }), "data, url or id is missing"),
        (
            json!({ "type": "binary", "data": "QUJD" }),
            "mimeType is missing",
        ),
        (json!({ "type": "binary", "url": 7 }), "url is not a string"),
    ] {
        let why = refused(json!([{ "id": "1", "role": "user", "content": [wire] }]));
        assert!(
            why.starts_with(&format!("messages[0].content[0].{place}")),
            "{why}"
        );
    }
}

/// Histories of 0.x clients carry the text of an assistant in parts.
#[test]
fn parts_of_a_role_that_speaks_plain_text_are_its_text() {
    let parts = json!([
        { "type": "text", "text": "Hel" },
        { "type": "image", "source": { "type": "url", "value": "u" } },
        { "type": "text", "text": "lo" },
    ]);
    let (messages, notes) = read(json!([
        { "id": "1", "role": "assistant", "content": parts },
        { "id": "2", "role": "system", "content": parts },
        { "id": "3", "role": "developer", "content": [] },
        { "id": "4", "role": "reasoning", "content": parts },
    ]));
    assert_eq!(
        messages,
        [
            Message::assistant("1", "Hello"),
            Message::system("2", "Hello"),
            Message::developer("3", ""),
            Message::reasoning("4", "Hello"),
        ]
    );
    assert!(notes.is_empty());
}

#[test]
fn what_is_malformed_is_refused_with_its_place() {
    let user = |content: Value| json!({ "id": "1", "role": "user", "content": content });
    for (message, why) in [
        (json!(null), "messages[1] is not an object"),
        (json!("Hi"), "messages[1] is not an object"),
        (json!({ "id": "1" }), "messages[1].role is missing"),
        (json!({ "role": 7 }), "messages[1].role is not a string"),
        (json!({ "role": "assistant" }), "messages[1].id is missing"),
        (
            json!({ "role": "user", "id": "1" }),
            "messages[1].content is missing",
        ),
        (user(json!(null)), "messages[1].content is missing"),
        (
            user(json!({})),
            "messages[1].content is not text or a list of parts",
        ),
        (
            user(json!(7)),
            "messages[1].content is not text or a list of parts",
        ),
        (
            user(json!(["Hi"])),
            "messages[1].content[0] is not an object",
        ),
        (
            user(json!([null])),
            "messages[1].content[0] is not an object",
        ),
        (user(json!([{}])), "messages[1].content[0].type is missing"),
        (
            user(json!([{ "type": "text" }])),
            "messages[1].content[0].text is missing",
        ),
        (
            user(json!([{ "type": "text", "text": "a" }, { "type": "image" }, 7])),
            "messages[1].content[1].source is missing",
        ),
        (
            user(json!([{ "type": "image", "source": { "type": "data", "value": "A" } }])),
            "messages[1].content[0].source.mimeType is missing",
        ),
        (
            user(json!([{ "type": "image", "source": { "value": "A" } }])),
            "messages[1].content[0].source.type is missing",
        ),
        (
            json!({ "id": "1", "role": "tool", "content": "" }),
            "messages[1].toolCallId is missing",
        ),
        (
            json!({ "id": "1", "role": "assistant", "toolCalls": {} }),
            "messages[1].toolCalls is not a list",
        ),
        (
            json!({ "id": "1", "role": "assistant", "toolCalls": [
                { "id": "c", "function": { "name": "a", "arguments": "" } },
                { "id": "c", "function": { "name": "a", "arguments": {} } } ] }),
            "messages[1].toolCalls[1].function.arguments is not a string",
        ),
        (
            json!({ "id": "1", "role": "assistant", "toolCalls": [
                { "id": "c", "type": "custom", "function": { "name": "a", "arguments": "" } } ] }),
            "messages[1].toolCalls[0].type is not \"function\"",
        ),
        (
            json!({ "id": "1", "role": "activity", "activityType": "a", "content": [] }),
            "messages[1].content is not an object",
        ),
        (
            json!({ "id": "1", "role": "activity", "activityType": "a" }),
            "messages[1].content is missing",
        ),
        (
            json!({ "id": "1", "role": "reasoning", "content": "", "metadata": [] }),
            "messages[1].metadata is not an object",
        ),
    ] {
        let ok = json!({ "id": "0", "role": "user", "content": "" });
        let text = refused(json!([ok, message]));
        // The rest is serde_json's line and column.
        assert!(
            text.starts_with(&format!("{why} at line 1 column ")),
            "{text}\n{why}"
        );
    }
}

/// What was read is not quoted: an error may end up where the body may not.
#[test]
fn an_error_about_a_message_quotes_nothing_of_it() {
    let why =
        refused(json!([{ "id": "1", "role": "user", "content": "s3cret", "metadata": "s3cret" }]));
    assert!(!why.contains("s3cret"), "{why}");
}

#[test]
fn sixteen_notes_are_kept_and_all_are_counted() {
    let part = json!({ "type": "hologram" });
    let message = json!({ "id": "1", "role": "user", "content": [part, part, part] });
    let mut list = vec![message; 7];
    list.push(json!({ "role": "moderator" }));
    let (messages, notes) = read(json!(list));
    assert_eq!(messages.len(), 7);
    assert_eq!(notes.total(), 22);
    assert_eq!(notes.first().len(), 16);
}

#[test]
fn a_long_name_is_cut_between_letters() {
    for (name, kept) in [
        ("é".repeat(40), "é".repeat(16)),
        (
            format!("a{}", "é".repeat(40)),
            format!("a{}", "é".repeat(15)),
        ),
        ("x".repeat(32), "x".repeat(32)),
        ("😀".repeat(1000), "😀".repeat(8)),
        (String::new(), String::new()),
    ] {
        let (_, notes) = read(json!([{ "role": name }]));
        assert_eq!(notes.first()[0].name, kept);
    }
}

#[test]
fn a_note_is_one_line_whatever_the_name() {
    let (_, notes) = read(json!([
        { "role": "a\nb" },
        { "id": "1", "role": "user", "content": [
            { "type": "\u{2028}" },
            { "type": "image", "source": { "type": "\r" } },
            { "type": "binary", "url": "u" } ] },
    ]));
    let lines: Vec<String> = notes.first().iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            r#"left out a message of unknown role "a\nb""#,
            r#"left out a content part of unknown type "\u{2028}""#,
            r#"left out a part with unknown source "\r""#,
            "read a binary part as a media part",
        ]
    );
}

#[test]
fn a_message_a_part_and_a_call_can_be_read_alone() {
    let message: Message =
        serde_json::from_str(r#"{"content":"Hi","id":"1","role":"user"}"#).unwrap();
    assert_eq!(message, Message::user("1", "Hi"));
    let part: ContentPart = serde_json::from_value(json!({ "type": "text", "text": "a" })).unwrap();
    assert_eq!(part, TextPart::new("a").into());
    let content: Content = serde_json::from_value(json!([{ "type": "hologram" }])).unwrap();
    assert!(content.is_empty());
    let call = json!({ "id": "c", "type": null, "function": { "name": "a", "arguments": "" } });
    assert_eq!(
        serde_json::from_value::<ToolCall>(call).unwrap(),
        ToolCall::new("c", "a", "")
    );

    let why = |err: serde_json::Error| err.to_string();
    assert_eq!(
        serde_json::from_value::<Message>(json!({ "role": "moderator" })).map_err(why),
        Err("a message of an unknown role".to_owned())
    );
    assert_eq!(
        serde_json::from_value::<ContentPart>(json!({ "type": "hologram" })).map_err(why),
        Err("a content part of an unknown type".to_owned())
    );
    assert_eq!(
        serde_json::from_value::<PartSource>(json!({ "type": "telepathy" })).map_err(why),
        Err("a source of an unknown type".to_owned())
    );
    assert_eq!(
        serde_json::from_value::<Content>(json!(7)).map_err(why),
        Err("content is not text or a list of parts".to_owned())
    );
}

fn read(messages: Value) -> (Vec<Message>, Notes) {
    let body = json!({ "threadId": "t", "runId": "r", "messages": messages }).to_string();
    let (input, notes) = RunAgentInput::from_slice(body.as_bytes()).expect(&body);
    (input.messages, notes)
}

#[track_caller]
fn refused(messages: Value) -> String {
    let body = json!({ "threadId": "t", "runId": "r", "messages": messages }).to_string();
    match RunAgentInput::from_slice(body.as_bytes()) {
        Ok(read) => panic!("{body} was read as {read:?}"),
        Err(err) => err.source().expect("a cause").to_string(),
    }
}

fn said(notes: &Notes) -> Vec<(NoteKind, &str)> {
    let first = notes.first().iter();
    first.map(|note| (note.kind, note.name.as_str())).collect()
}
