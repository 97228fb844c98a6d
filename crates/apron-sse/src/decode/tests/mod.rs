mod limits;
mod state;

use std::time::Duration;

use super::{Comment, Decoder, Event, Field, Frame};
use crate::error::Error;

type Outcome = Result<Frame<'static>, Error>;

fn event(data: &'static str) -> Event<'static> {
    Event {
        event: None,
        data: data.into(),
        id: None,
        retry: None,
        complete: true,
    }
}

fn data(text: &'static str) -> Outcome {
    Ok(Frame::Event(event(text)))
}

fn named(name: &'static str, text: &'static str) -> Outcome {
    Ok(Frame::Event(Event {
        event: Some(name.into()),
        ..event(text)
    }))
}

fn with_id(id: &'static str, text: &'static str) -> Outcome {
    Ok(Frame::Event(Event {
        id: Some(id.into()),
        ..event(text)
    }))
}

fn with_retry(millis: u64, text: &'static str) -> Outcome {
    Ok(Frame::Event(Event {
        retry: Some(Duration::from_millis(millis)),
        ..event(text)
    }))
}

fn cut(text: &'static str) -> Outcome {
    Ok(Frame::Event(Event {
        complete: false,
        ..event(text)
    }))
}

fn comment(text: &'static str) -> Outcome {
    Ok(Frame::Comment(Comment {
        text: text.into(),
        complete: true,
    }))
}

fn ignored(name: &'static str, value: &'static str) -> Outcome {
    Ok(Frame::Ignored(field(name, value)))
}

fn field(name: &'static str, value: &'static str) -> Field<'static> {
    Field {
        name: name.into(),
        value: value.into(),
        complete: true,
    }
}

fn drain(decoder: &mut Decoder, into: &mut Vec<Outcome>) {
    while let Some(frame) = decoder.next_frame() {
        into.push(frame.map(Frame::into_owned));
    }
}

fn finish(decoder: &mut Decoder, into: &mut Vec<Outcome>) {
    while let Some(frame) = decoder.finish() {
        into.push(frame.map(Frame::into_owned));
    }
}

fn decode(decoder: &mut Decoder, input: &[u8], chunk: usize) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for bytes in input.chunks(chunk) {
        decoder.feed(bytes);
        drain(decoder, &mut outcomes);
    }
    finish(decoder, &mut outcomes);
    outcomes
}

/// Whole, byte by byte, and with each line's CR and LF in different chunks somewhere in between.
#[track_caller]
fn check(input: impl AsRef<[u8]>, expect: &[Outcome]) {
    let input = input.as_ref();
    for chunk in [usize::MAX, 1, 2, 3, 5] {
        let outcomes = decode(&mut Decoder::new(), input, chunk);
        assert_eq!(
            outcomes,
            expect,
            "{:?} by {chunk}",
            String::from_utf8_lossy(input)
        );
    }
}

#[test]
fn an_event_is_its_data_lines() {
    check("data: a\n\n", &[data("a")]);
    check("data:a\n\n", &[data("a")]);
    check("data:  a \n\n", &[data(" a ")]);
    check("data:\ta\n\n", &[data("\ta")]);
    check("data: a: b\n\n", &[data("a: b")]);
    check(
        "data: a\ndata:b\ndata\ndata: \ndata: c\n\n",
        &[data("a\nb\n\n\nc")],
    );
    check(
        "data: a\n\ndata: b\n\n\n\ndata: c\n\n",
        &[data("a"), data("b"), data("c")],
    );
    check("data: a\0b\n\n", &[data("a\0b")]);
}

#[test]
fn empty_data_is_an_event_and_no_data_is_none() {
    check("data\n\n", &[data("")]);
    check("data:\n\n", &[data("")]);
    check("data: \n\n", &[data("")]);
    check("data\ndata\n\n", &[data("\n")]);
    check("\n\n\n", &[]);
    check("", &[]);
}

#[test]
fn lines_end_in_any_of_three_ways_mixed_at_will() {
    check("data: a\r\n\r\ndata: b\r\n\r\n", &[data("a"), data("b")]);
    check("data: a\r\rdata: b\r\r", &[data("a"), data("b")]);
    check("data: a\n\rdata: b\r\n\n", &[data("a"), data("b")]);
    check(
        "data: a\r\ndata: b\rdata: c\ndata: d\r\n\r",
        &[data("a\nb\nc\nd")],
    );
    // CR, CR LF: a line end and a blank line, not two blank lines and not one.
    check("data: a\r\r\ndata: b\n\r\n", &[data("a"), data("b")]);
    check(
        "data: a\u{2028}b\u{85}c\u{b}d\n\n",
        &[data("a\u{2028}b\u{85}c\u{b}d")],
    );
}

#[test]
fn a_cr_ends_its_line_at_once_and_an_lf_after_it_adds_nothing() {
    let mut decoder = Decoder::new();
    let mut outcomes = Vec::new();
    decoder.feed(b"data: a\r\r");
    drain(&mut decoder, &mut outcomes);
    assert_eq!(
        outcomes,
        [data("a")],
        "no need to wait for what may follow a CR"
    );

    decoder.feed(b"\ndata: b\r");
    drain(&mut decoder, &mut outcomes);
    decoder.feed(b"\n");
    drain(&mut decoder, &mut outcomes);
    assert_eq!(
        outcomes,
        [data("a")],
        "the LF belongs to the CR and is no blank line"
    );

    decoder.feed(b"\n");
    drain(&mut decoder, &mut outcomes);
    assert_eq!(outcomes, [data("a"), data("b")]);
}

#[test]
fn a_bom_is_dropped_at_the_start_only() {
    check("\u{feff}data: a\n\n", &[data("a")]);
    check(
        "\u{feff}\u{feff}data: a\n\n",
        &[ignored("\u{feff}data", "a")],
    );
    check(
        "data: a\n\n\u{feff}data: b\n\n",
        &[data("a"), ignored("\u{feff}data", "b")],
    );
    check("data: \u{feff}a\n\n", &[data("\u{feff}a")]);
    check(b"\xEF\xBBdata: a\n\n", &[ignored("\u{fffd}data", "a")]);
}

#[test]
fn text_that_is_not_utf_8_is_replaced_never_cut_by_a_chunk() {
    check("data: äö€😀\n\n", &[data("äö€😀")]);
    check(b"data: a\xFFb\n\n", &[data("a\u{fffd}b")]);
    check(
        b"data: a\xE2\x82\ndata: \xAC\n\n",
        &[data("a\u{fffd}\n\u{fffd}")],
    );
    check(b": \xC3\n\n", &[comment("\u{fffd}")]);
    check(b"event: \xF0\x9F\ndata: a\n\n", &[named("\u{fffd}", "a")]);
}

#[test]
fn comments_are_given_at_once_and_leave_the_event_around_them_alone() {
    check(": ping\n\n", &[comment("ping")]);
    check(":\n", &[comment("")]);
    check(":  two: spaces\n", &[comment(" two: spaces")]);
    check(
        "data: a\n: ping\ndata: b\n\n",
        &[comment("ping"), data("a\nb")],
    );
    check(
        "event: x\n:\n:\ndata: b\n\n",
        &[comment(""), comment(""), named("x", "b")],
    );
}

#[test]
fn the_last_name_counts_and_an_empty_one_is_none() {
    check("event: delta\ndata: a\n\n", &[named("delta", "a")]);
    check("data: a\nevent:delta\n\n", &[named("delta", "a")]);
    check("event: x\nevent: y\ndata: a\n\n", &[named("y", "a")]);
    check("event: x\nevent\ndata: a\n\n", &[data("a")]);
}

#[test]
fn a_block_without_data_says_nothing_and_leaks_nothing() {
    check("event: x\n\ndata: a\n\n", &[data("a")]);
    check("id: 1\n\ndata: a\n\n", &[data("a")]);
    check("retry: 1\n\ndata: a\n\n", &[data("a")]);
    check(
        "event: x\nid: 1\n: c\n\ndata: a\n\n",
        &[comment("c"), data("a")],
    );
}

#[test]
fn retry_is_digits_only() {
    check("retry: 1500\ndata: a\n\n", &[with_retry(1500, "a")]);
    let after_a_comment = [comment("c"), with_retry(1500, "a")];
    check("retry: 1500\n: c\ndata: a\n\n", &after_a_comment);
    check("retry: 007\ndata: a\n\n", &[with_retry(7, "a")]);
    let over_a_u64 = ["18446744073709551616", "20000000000000000000"];
    for bad in ["", "-1", "+1", "1.5", "1s", " 1", "٣"]
        .into_iter()
        .chain(over_a_u64)
    {
        let input = format!("retry: {bad}\ndata: a\n\n");
        let outcomes = decode(&mut Decoder::new(), input.as_bytes(), 1);
        let Ok(Frame::Ignored(field)) = &outcomes[0] else {
            panic!("{outcomes:?}")
        };
        assert_eq!((&*field.name, &*field.value), ("retry", bad));
        assert_eq!(outcomes[1..], [data("a")]);
    }
}

#[test]
fn unknown_fields_are_shown_and_counted() {
    check(
        "error: {\"code\":1}\n\n",
        &[ignored("error", "{\"code\":1}")],
    );
    check("Data: a\n\n", &[ignored("Data", "a")]);
    check(" data: a\n\n", &[ignored(" data", "a")]);
    check("<html>\n", &[ignored("<html>", "")]);
    check(
        "data: a\nfoo\ndata: b\n\n",
        &[ignored("foo", ""), data("a\nb")],
    );

    let mut decoder = Decoder::new();
    decode(
        &mut decoder,
        b"{\n\"error\": 1\n}\n: c\ndata: a\nid: \0\nretry: x\n\n",
        4,
    );
    assert_eq!(decoder.ignored_fields(), 5);
}

#[test]
fn debug_shows_sizes_and_no_text() {
    let mut decoder = Decoder::new();
    decoder.feed(b"event: secret\ndata: secret\nid: secret");
    assert!(decoder.next_frame().is_none());
    let shown = format!("{decoder:?}");
    assert!(
        shown.contains("event_bytes: 25") && !shown.contains("secret"),
        "{shown}"
    );
}
