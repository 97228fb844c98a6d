//! A delta, of which a run has thousands.

use allocation_counter::measure;
use apron_protocol::{Event, MessageId, TextMessageContent, ToolCallArgs};
use bytes::BytesMut;

#[test]
fn a_delta_is_made_and_written_without_an_allocation() {
    let uuid = MessageId::from("8c5e7a52-0d3c-4f0e-9b62-6f1f3c9a2b11");
    let mut out = BytesMut::with_capacity(1024);
    let used = measure(|| {
        for delta in [
            "Hello",
            " wörld",
            "\n",
            "\"quoted\"",
            "24 bytes are kept inline",
        ] {
            let event = Event::from(TextMessageContent::new(&uuid, delta));
            event.encode(&mut out).expect("JSON");
            let event = Event::from(ToolCallArgs::new("call_0123456789abcdefghijklmn", delta));
            event.encode(&mut out).expect("JSON");
            out.clear();
        }
    });
    assert_eq!(used.count_total, 0, "{used:?}");
}

#[test]
fn a_long_delta_is_taken_over_and_written_with_one_growth() {
    let id = MessageId::from("m1");
    let long = "x".repeat(10_000);
    let mut out = BytesMut::new();
    let used = measure(|| {
        let event = Event::from(TextMessageContent::new(&id, long));
        event.encode(&mut out).expect("JSON");
    });
    assert_eq!(used.count_total, 1, "{used:?}");
}
