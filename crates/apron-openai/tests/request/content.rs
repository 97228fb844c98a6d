//! What people attach, on the body that goes out.

use apron_openai::chat::{self, ClientFiles, Repair};
use apron_protocol::RunAgentInput;
use serde_json::{Value, json};

/// What becomes of one part beside a text; `None` when it is left out.
#[track_caller]
fn part(files: ClientFiles, part: Value) -> Option<Value> {
    let text = json!({"type": "text", "text": "look"});
    let input = json!({"threadId": "t", "runId": "r", "messages": [
        {"id": "1", "role": "user", "content": [text, part]}]});
    let input = RunAgentInput::from_slice(input.to_string().as_bytes())
        .unwrap()
        .0;
    let request = chat::request(&input, "m").client_files(files);
    let content = request.to_body()["messages"][0]["content"].clone();
    let dropped = request.repairs().count(Repair::DroppedPart);
    if content == "look" {
        assert_eq!(dropped, 1);
        return None;
    }
    assert_eq!((content[0].clone(), dropped), (text, 0));
    Some(content[1].clone())
}

#[track_caller]
fn check(given: Value, expected: Option<Value>) {
    assert_eq!(part(ClientFiles::Drop, given), expected);
}

fn data(kind: &str, mime_type: &str) -> Value {
    json!({"type": kind, "source": {"type": "data", "value": "AAAA", "mimeType": mime_type}})
}

fn url(kind: &str, url: &str) -> Value {
    json!({"type": kind, "source": {"type": "url", "value": url}})
}

#[test]
fn pictures_go_out_inline_or_by_a_safe_address() {
    let sent = |url: &str| Some(json!({"type": "image_url", "image_url": {"url": url}}));
    check(
        data("image", "image/png"),
        sent("data:image/png;base64,AAAA"),
    );
    check(url("image", "https://h/i.png"), sent("https://h/i.png"));
    check(url("image", "HTTPS://h/i.png"), sent("HTTPS://h/i.png"));
    check(
        url("image", "data:image/png;base64,AA"),
        sent("data:image/png;base64,AA"),
    );
}

#[test]
fn addresses_that_only_a_server_can_reach_stay_here() {
    for address in [
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "gopher://h",
        "data:text/html,x",
        "/etc/passwd",
        "",
        "é",
    ] {
        check(url("image", address), None);
    }
}

#[test]
fn sounds_go_out_as_wav_or_mp3() {
    let sent = |format: &str| {
        Some(json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": format}}))
    };
    check(data("audio", "audio/wav"), sent("wav"));
    check(data("audio", "audio/mpeg"), sent("mp3"));
    check(data("audio", "audio/mp3; rate=1"), sent("mp3"));
    check(data("audio", "audio/ogg"), None);
    check(url("audio", "https://h/a.wav"), None);
}

#[test]
fn documents_go_out_as_pdf_with_a_name() {
    let sent = |name: &str| {
        let file = json!({"filename": name, "file_data": "data:application/pdf;base64,AAAA"});
        Some(json!({"type": "file", "file": file}))
    };
    check(data("document", "application/pdf"), sent("document.pdf"));
    let mut named = data("document", "application/pdf");
    named["metadata"] = json!({"filename": "report.pdf"});
    check(named, sent("report.pdf"));
    check(data("document", "text/plain"), None);
    check(url("document", "https://h/d.pdf"), None);
}

#[test]
fn videos_have_no_place_in_this_api() {
    check(data("video", "video/mp4"), None);
    check(url("video", "https://h/v.mp4"), None);
}

#[test]
fn file_handles_go_out_only_when_the_server_trusts_its_clients() {
    for kind in ["image", "audio", "document"] {
        let handle = json!({"type": kind, "source": {"type": "file", "value": "file-1"}});
        check(handle.clone(), None);
        assert_eq!(
            part(ClientFiles::Keep, handle),
            Some(json!({"type": "file", "file": {"file_id": "file-1"}}))
        );
    }
}

#[test]
fn a_message_that_loses_all_its_parts_is_left_out() {
    let input = json!({"threadId": "t", "runId": "r", "messages": [
        {"id": "1", "role": "user", "content": [data("video", "video/mp4")]},
        {"id": "2", "role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]});
    let input = RunAgentInput::from_slice(input.to_string().as_bytes())
        .unwrap()
        .0;
    let request = chat::request(&input, "m");
    let body = request.to_body();
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": "a\nb"}])
    );
    assert_eq!(request.repairs().count(Repair::EmptyMessage), 1);
}
