//! A byte costs the same however much of its event has come before.
//!
//! Each case times a byte early in an event and the same byte after four megabytes of it. Both are
//! the best of many short runs, so that a busy machine does not show, and quadratic work would make
//! the late one thousands of times slower.

use std::time::{Duration, Instant};

use apron_sse::Decoder;

const MANY: usize = 4 * 1024 * 1024;
const FEW: usize = 1024;
const MOST_TIMES_SLOWER: u32 = 50;

/// Feeds what `start` makes of a size, and then times `then`, byte by byte.
#[track_caller]
fn check(start: impl Fn(usize) -> Vec<u8>, then: &[u8]) {
    let early = best_time(&start(FEW), then);
    let late = best_time(&start(MANY), then);
    assert!(
        late <= early * MOST_TIMES_SLOWER,
        "{early:?} became {late:?}"
    );
}

fn best_time(start: &[u8], then: &[u8]) -> Duration {
    let mut decoder = Decoder::new();
    decoder.feed(start);
    let _ = decoder.next_frame();
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let begun = Instant::now();
        for byte in then.iter().cycle().take(120) {
            decoder.feed(std::slice::from_ref(byte));
            let frame = decoder.next_frame();
            assert!(!matches!(frame, Some(Err(_))), "{frame:?}");
        }
        best = best.min(begun.elapsed());
    }
    best
}

#[test]
fn inside_one_long_line() {
    check(|size| [b"data: ".to_vec(), vec![b'x'; size]].concat(), b"x");
}

#[test]
fn in_an_event_that_already_has_much_data() {
    let start = |size| [b"data: ".to_vec(), vec![b'x'; size], b"\n".to_vec()].concat();
    check(start, b"data: y\n");
    check(start, b": c\n");
    check(start, b"unknown\r\n");
}

#[test]
fn in_an_event_of_many_lines() {
    check(|size| b"data: x\n".repeat(size / 8), b"data: x\n");
}

#[test]
fn while_many_frames_of_the_same_chunk_wait() {
    check(|size| b"data: x\n\n".repeat(size / 9), b"\n");
}

#[test]
fn while_an_oversize_event_is_skipped() {
    let over = |size| [b"data: ".to_vec(), vec![b'x'; 10 * 1024 * 1024 + size]].concat();
    check(over, b"x");
}
