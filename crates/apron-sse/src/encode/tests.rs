use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use bytes::{BufMut, BytesMut};

use super::{DataFrame, HEARTBEAT, comment, data, data_with, data_with_id, retry};
use crate::error::Error;

/// What is in the buffer before each call, and must be there after.
const BEFORE: &str = "data: before\n\n";

#[track_caller]
fn writes(write: impl FnOnce(&mut BytesMut) -> Result<(), Error>, expect: &str) {
    let mut out = BytesMut::from(BEFORE);
    write(&mut out).unwrap();
    assert_eq!(out, format!("{BEFORE}{expect}"));
}

#[track_caller]
fn refuses(write: impl FnOnce(&mut BytesMut) -> Result<(), Error>, expect: Error) {
    let mut out = BytesMut::from(BEFORE);
    assert_eq!(write(&mut out), Err(expect));
    assert_eq!(out, BEFORE, "a refused frame must leave nothing behind");
}

fn unframeable(field: &'static str, at: usize) -> Error {
    Error::Unframeable { field, at }
}

fn append(out: &mut BytesMut, text: &str) -> Result<(), Error> {
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

#[test]
fn frames_are_written_byte_for_byte() {
    writes(|out| data(out, r#"{"a":1}"#), "data: {\"a\":1}\n\n");
    writes(|out| data(out, ""), "data: \n\n");
    writes(|out| data(out, " ü\u{2028}"), "data:  ü\u{2028}\n\n");
    writes(
        |out| data_with_id(out, "7-a", "[]"),
        "id: 7-a\ndata: []\n\n",
    );
    writes(|out| data_with_id(out, "", "[]"), "id: \ndata: []\n\n");
    writes(
        |out| data_with(out, |out| append(out, "[1,2]")),
        "data: [1,2]\n\n",
    );
    writes(|out| comment(out, "working"), ": working\n\n");
    writes(|out| comment(out, ""), ": \n\n");
}

#[test]
fn retry_is_whole_milliseconds_rounded_down() {
    let cases = [
        (Duration::from_secs(3), "retry: 3000\n\n"),
        (Duration::from_micros(1999), "retry: 1\n\n"),
        (Duration::ZERO, "retry: 0\n\n"),
        (Duration::MAX, "retry: 18446744073709551615\n\n"),
    ];
    for (after, expect) in cases {
        writes(
            |out| {
                retry(out, after);
                Ok(())
            },
            expect,
        );
    }
}

#[test]
fn text_that_would_break_a_line_is_refused_and_nothing_is_written() {
    for bad in ['\r', '\n', '\0'] {
        let text = format!("ab{bad}c");
        refuses(|out| data(out, &text), unframeable("data", 2));
        refuses(
            |out| data_with(out, |out| append(out, &text)),
            unframeable("data", 2),
        );
        refuses(|out| data_with_id(out, "7", &text), unframeable("data", 2));
        refuses(|out| data_with_id(out, &text, "[]"), unframeable("id", 2));
        refuses(|out| comment(out, &text), unframeable("comment", 2));
    }
    refuses(|out| data(out, "\r\n"), unframeable("data", 0));
    refuses(|out| data(out, "end\n"), unframeable("data", 3));
}

#[test]
fn a_payload_that_fails_half_way_is_taken_back() {
    #[derive(Debug, PartialEq)]
    enum Failure {
        Own,
        Frame(Error),
    }
    impl From<Error> for Failure {
        fn from(err: Error) -> Self {
            Self::Frame(err)
        }
    }

    let mut out = BytesMut::from(BEFORE);
    let failed = data_with(&mut out, |out| {
        out.put_slice(b"{\"half");
        Err(Failure::Own)
    });
    assert_eq!(failed, Err(Failure::Own));
    assert_eq!(out, BEFORE);

    let failed = data_with(&mut out, |out| {
        out.put_slice(b"a\nb");
        Ok::<_, Failure>(())
    });
    assert_eq!(failed, Err(Failure::Frame(unframeable("data", 1))));
    assert_eq!(out, BEFORE);
}

#[test]
fn a_payload_that_panics_is_taken_back() {
    let mut out = BytesMut::from(BEFORE);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        data_with(&mut out, |out| -> Result<(), Error> {
            out.put_slice(b"{\"half");
            panic!("from the caller's serializer");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(out, BEFORE);
}

#[test]
fn a_frame_that_is_dropped_open_is_taken_back_with_its_id() {
    let mut out = BytesMut::from(BEFORE);
    let mut frame = DataFrame::open_with_id(&mut out, "7").unwrap();
    frame.buffer().put_slice(b"{\"half");
    drop(frame);
    assert_eq!(out, BEFORE);
}

#[test]
fn a_buffer_that_was_cut_or_replaced_is_noticed() {
    let mut out = BytesMut::from(BEFORE);
    let cleared = data_with(&mut out, |out| {
        out.clear();
        append(out, "[]")
    });
    assert_eq!(cleared, Err(Error::Overwritten));

    let mut out = BytesMut::from(BEFORE);
    let replaced = data_with(&mut out, |out| {
        out.clear();
        append(out, &"[],".repeat(50))
    });
    assert_eq!(replaced, Err(Error::Overwritten));

    let mut out = BytesMut::from(BEFORE);
    let shortened = data_with(&mut out, |out| {
        out.truncate(out.len() - 1);
        Ok::<_, Error>(())
    });
    assert_eq!(shortened, Err(Error::Overwritten));
    assert_eq!(out, BEFORE);
}

#[test]
fn the_heartbeat_is_what_comment_would_write() {
    writes(|out| append(out, HEARTBEAT), ": heartbeat\n\n");
    writes(|out| comment(out, "heartbeat"), HEARTBEAT);
}

#[test]
fn errors_say_which_field_and_where() {
    let error = data_with_id(&mut BytesMut::new(), "a\r", "[]").unwrap_err();
    assert_eq!(
        error.to_string(),
        "id text has a line break or NUL at byte 1"
    );
}
