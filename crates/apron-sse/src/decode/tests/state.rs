//! What outlives a frame: the last id, the retry time, and the end of the input.

use std::time::Duration;

use super::{Comment, Decoder, Field, Frame, Outcome};
use super::{check, cut, data, decode, drain, field, finish, ignored, with_id};

#[test]
fn the_last_retry_is_kept_even_from_a_block_without_data() {
    let mut decoder = Decoder::new();
    assert_eq!(decoder.retry(), None);
    decode(
        &mut decoder,
        b"retry: 1500\n\ndata: a\nretry: no\n\nretry: 2",
        1,
    );
    assert_eq!(
        decoder.retry(),
        Some(Duration::from_millis(1500)),
        "the cut one may be 2000"
    );
}

#[test]
fn an_id_is_remembered_until_another_or_an_empty_one_comes() {
    let mut decoder = Decoder::new();
    assert_eq!(decoder.last_event_id(), None);
    let mut step = |input: &str, expect: &[Outcome], id: Option<&str>| {
        let mut outcomes = Vec::new();
        decoder.feed(input.as_bytes());
        drain(&mut decoder, &mut outcomes);
        assert_eq!(outcomes, expect, "{input:?}");
        assert_eq!(decoder.last_event_id(), id, "{input:?}");
    };
    step("id: a\n", &[], None);
    step("data: 1\n\n", &[with_id("a", "1")], Some("a"));
    step("data: 2\n\n", &[data("2")], Some("a"));
    step("id: b\n\n", &[], Some("b"));
    step(
        "id: c\nid: d\0\ndata: 3\n\n",
        &[ignored("id", "d\0"), with_id("c", "3")],
        Some("c"),
    );
    step("id: c\nid: d\ndata: 4\n\n", &[with_id("d", "4")], Some("d"));
    step("id\ndata: 5\n\n", &[with_id("", "5")], None);
}

#[test]
fn the_last_id_is_that_of_the_frame_in_hand_not_of_one_still_waiting() {
    let mut decoder = Decoder::new();
    decoder.feed(b"id: a\ndata: 1\n\nid: b\ndata: 2\n\n");
    assert!(decoder.next_frame().is_some());
    assert_eq!(decoder.last_event_id(), Some("a"));
    assert!(decoder.next_frame().is_some());
    assert_eq!(decoder.last_event_id(), Some("b"));
}

#[test]
fn what_the_end_cut_off_is_given_and_marked() {
    check("data: a\n\ndata: b\n", &[data("a"), cut("b")]);
    check("data: a\ndata: {\"x", &[cut("a\n{\"x")]);
    check("data: a\r", &[cut("a")]);
    check(
        "dat",
        &[Ok(Frame::Ignored(Field {
            complete: false,
            ..field("dat", "")
        }))],
    );
    check("event: x\nid: 1\n", &[]);
    let last = Ok(Frame::Comment(Comment {
        text: "pi".into(),
        complete: false,
    }));
    check("data: a\n: pi", &[last, cut("a")]);
    check(
        b"\xEF\xBB",
        &[Ok(Frame::Ignored(Field {
            complete: false,
            ..field("\u{fffd}", "")
        }))],
    );
}

#[test]
fn an_incomplete_event_does_not_move_the_id_to_resume_after() {
    let mut decoder = Decoder::new();
    let outcomes = decode(&mut decoder, b"id: 1\ndata: a\n\nid: 2\ndata: b\n", 3);
    let Some(Ok(Frame::Event(last))) = outcomes.last() else {
        panic!("{outcomes:?}")
    };
    assert_eq!((last.id.as_deref(), last.complete), (Some("2"), false));
    assert_eq!(decoder.last_event_id(), Some("1"));
}

#[test]
fn finish_gives_frames_that_were_never_taken_and_then_starts_afresh() {
    let mut decoder = Decoder::new();
    let mut outcomes = Vec::new();
    decoder.feed(b"\xEF\xBB\xBFid: 1\ndata: a\n\ndata: b\n\ndata: c\r");
    finish(&mut decoder, &mut outcomes);
    assert_eq!(outcomes, [with_id("1", "a"), data("b"), cut("c")]);
    assert!(decoder.finish().is_none());

    outcomes.clear();
    // A new connection: a BOM may come again, and an LF is no longer half of a CRLF.
    decoder.feed(b"\xEF\xBB\xBFdata: d\n\n");
    drain(&mut decoder, &mut outcomes);
    assert_eq!(outcomes, [data("d")]);
    assert_eq!(decoder.last_event_id(), Some("1"));
}

#[test]
fn nothing_of_a_connection_that_broke_off_names_the_next_ones_event() {
    let mut decoder = Decoder::new();
    assert_eq!(decode(&mut decoder, b"event: x\nid: 1\nretry: 5\n", 4), []);
    assert_eq!(decode(&mut decoder, b"data: a\n\n", 4), [data("a")]);
    assert_eq!(decoder.last_event_id(), None);
}
