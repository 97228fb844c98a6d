//! Size, memory and work, each bounded.

use super::{Decoder, Outcome, comment, data, decode, drain, ignored, named};
use crate::error::Error;

const TOO_LARGE: Outcome = Err(Error::TooLarge { limit: 20 });

#[track_caller]
fn check(input: &str, expect: &[Outcome]) {
    for chunk in [usize::MAX, 1, 2, 3, 7] {
        let outcomes = decode(&mut Decoder::with_limit(20), input.as_bytes(), chunk);
        assert_eq!(outcomes, expect, "{input:?} by {chunk}");
    }
}

#[test]
fn an_event_of_just_the_limit_passes_and_one_byte_more_does_not() {
    check("data: 12345678901234\n\n", &[data("12345678901234")]);
    check("data: 123456789012345\n\n", &[TOO_LARGE]);
    check("data: 1234\ndata: 5678\n\n", &[data("1234\n5678")]);
    check("data: 1234\ndata: 56789\n\n", &[TOO_LARGE]);
    check("event: 8901\ndata: 890\n\n", &[named("8901", "890")]);
    check("event: 8901\ndata: 8901\n\n", &[TOO_LARGE]);
}

#[test]
fn decoding_goes_on_after_the_next_blank_line() {
    let long = "x".repeat(100);
    for end in ["\n", "\r\n", "\r"] {
        let input = format!(
            "data: a{end}{end}data: {long}{end}data: {long}{end}: c{end}{end}data: b{end}{end}"
        );
        check(&input, &[data("a"), TOO_LARGE, data("b")]);
    }
    let cut_in_a_line = format!("data: {long}");
    check(&cut_in_a_line, &[TOO_LARGE]);
    let two = format!("data: {long}\n\ndata: {long}\n\ndata: b\n\n");
    check(&two, &[TOO_LARGE, TOO_LARGE, data("b")]);
    let name_goes_too = format!("event: x\ndata: {long}\n\ndata: b\n\n");
    check(&name_goes_too, &[TOO_LARGE, data("b")]);
}

#[test]
fn a_line_of_any_kind_may_not_be_over_the_limit() {
    let long = "x".repeat(100);
    check(&format!(": {long}\n\ndata: b\n\n"), &[TOO_LARGE, data("b")]);
    check(&format!("{long}\n\ndata: b\n\n"), &[TOO_LARGE, data("b")]);
    check(
        &format!("id: {long}\n\ndata: b\n\n"),
        &[TOO_LARGE, data("b")],
    );
}

#[test]
fn lines_that_hold_nothing_may_go_on_for_ever() {
    let comments = ":\n".repeat(50);
    let input = format!("data: a\n{comments}retry: 1x\n\n");
    let mut expect = vec![comment(""); 50];
    expect.extend([ignored("retry", "1x"), data("a")]);
    check(&input, &expect);
}

#[test]
fn many_short_lines_of_one_event_count_together() {
    check(
        &format!("{}\ndata: b\n\n", "data\n".repeat(6)),
        &[TOO_LARGE, data("b")],
    );
    check(
        &format!("{}\ndata: b\n\n", "event: a\n".repeat(6)),
        &[TOO_LARGE, data("b")],
    );
}

#[test]
fn finish_after_an_oversize_event_leaves_a_usable_decoder() {
    let mut decoder = Decoder::with_limit(20);
    assert_eq!(decode(&mut decoder, &[b'x'; 100], 9), [TOO_LARGE]);
    assert_eq!(decode(&mut decoder, b"data: a\n\n", 9), [data("a")]);
}

#[test]
fn memory_stays_near_the_limit_whatever_comes() {
    const LIMIT: usize = 256 * 1024;
    const CHUNK: usize = 4 * 1024;
    let line_that_never_ends = vec![b'x'; CHUNK];
    let event_that_never_ends = b"data: xxxxxxxx\n".repeat(CHUNK / 15);
    let comments_in_an_event = b": x\n".repeat(CHUNK / 4);
    for pattern in [
        line_that_never_ends,
        event_that_never_ends,
        comments_in_an_event,
    ] {
        let mut decoder = Decoder::with_limit(LIMIT);
        decoder.feed(&b"data: ".repeat(LIMIT / 6 - 1));
        decoder.feed(b"\n");
        let mut peak = 0;
        for _ in 0..50 * LIMIT / CHUNK {
            decoder.feed(&pattern);
            while decoder.next_frame().is_some() {}
            peak = peak.max(decoder.lines.capacity() + decoder.block.capacity());
        }
        assert!(
            peak <= 4 * LIMIT + 2 * CHUNK,
            "{peak} bytes for a limit of {LIMIT}"
        );
    }
}

#[test]
fn memory_for_a_large_event_is_handed_back() {
    let mut decoder = Decoder::new();
    let mut outcomes = Vec::new();
    decoder.feed(b"data: a\ndata: ");
    decoder.feed(&[b'x'; 1 << 20]);
    decoder.feed(b"\n\n");
    drain(&mut decoder, &mut outcomes);
    assert_eq!(outcomes.len(), 1);
    assert!(decoder.lines.capacity() + decoder.block.capacity() > 1 << 20);

    // Chunks that each end inside a line must not keep it alive.
    for _ in 0..10 {
        decoder.feed(b"b\n\ndata: ");
        drain(&mut decoder, &mut outcomes);
    }
    let kept = decoder.lines.capacity() + decoder.block.capacity();
    assert!(kept <= 2 * super::super::lines::KEEP, "{kept} bytes kept");
}

/// Feeds one byte at a time, and holds the bytes looked at for line ends, or moved to make room,
/// to a few for each byte fed so far. Scanning a line again for each byte would be millions.
#[track_caller]
fn work_is_linear(input: &[u8]) {
    let mut decoder = Decoder::new();
    let mut frames = 0;
    for (fed, byte) in input.iter().enumerate() {
        decoder.feed(std::slice::from_ref(byte));
        while decoder.next_frame().is_some() {
            frames += 1;
        }
        let work = decoder.lines.work;
        assert!(work <= 6 * (fed + 1), "{work} for {} bytes", fed + 1);
    }
    assert!(frames > 0);
    // Line ends that the fast path knows without a scan are not counted.
    assert!(decoder.lines.work >= input.len() / 2, "not counted");
}

#[test]
fn work_is_linear_in_the_input_one_byte_at_a_time() {
    const TEN_MIB: usize = 10 * 1024 * 1024;
    work_is_linear(&[b"data: ".as_slice(), &vec![b'x'; TEN_MIB - 8], b"\n\n"].concat());
    work_is_linear(
        &b"data: x\r\n"
            .repeat(100_000)
            .into_iter()
            .chain(*b"\r\n")
            .collect::<Vec<_>>(),
    );
    work_is_linear(&b"data: {}\n\n".repeat(100_000));
}

#[test]
fn taking_many_frames_of_one_chunk_moves_nothing() {
    let input = b"data: {}\n\n".repeat(100_000);
    let mut decoder = Decoder::new();
    decoder.feed(&input);
    let before = decoder.lines.work;
    // A feed between any two frames must not move all that is left each time.
    for _ in 0..100_000 {
        assert!(decoder.next_frame().is_some());
        decoder.feed(b":");
        decoder.feed(b"\n");
    }
    let work = decoder.lines.work - before;
    assert!(work <= 6 * input.len(), "{work} for {} bytes", input.len());
}
