//! What the encoder writes, the decoder reads back, through any chunks.

use std::time::Duration;

use apron_sse::encode::{self, HEARTBEAT};
use apron_sse::{Decoder, Error, Frame};
use bytes::BytesMut;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::{collection, option, prop_assert, prop_assert_eq, proptest};

#[derive(Clone, Debug, PartialEq)]
enum Sent {
    Data { id: Option<String>, json: String },
    Comment(String),
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn everything_written_comes_back(
        sent in collection::vec(sent(), 0..8),
        chunk in 1_usize..64,
    ) {
        let mut wire = BytesMut::new();
        for sent in &sent {
            match sent {
                Sent::Data { id: Some(id), json } => encode::data_with_id(&mut wire, id, json)?,
                Sent::Data { id: None, json } => encode::data(&mut wire, json)?,
                Sent::Comment(text) => encode::comment(&mut wire, text)?,
            }
        }
        prop_assert!(!wire.contains(&b'\r'));

        let mut decoder = Decoder::new();
        let mut received = Vec::new();
        for bytes in wire.chunks(chunk) {
            decoder.feed(bytes);
            while let Some(frame) = decoder.next_frame() {
                received.push(match frame? {
                    Frame::Event(event) => Sent::Data {
                        id: event.id.map(String::from),
                        json: event.data.into_owned(),
                    },
                    Frame::Comment(comment) => Sent::Comment(comment.text.into_owned()),
                    other => panic!("never sent: {other:?}"),
                });
            }
        }
        prop_assert!(decoder.finish().is_none());
        prop_assert_eq!(received, sent);
    }

    #[test]
    fn any_text_is_one_frame_or_none_at_all(text in any::<String>()) {
        let mut wire = BytesMut::from("data: before\n\n");
        let written = encode::data(&mut wire, &text);
        prop_assert_eq!(written.is_err(), text.contains(['\r', '\n', '\0']));

        let mut decoder = Decoder::new();
        decoder.feed(&wire);
        let mut frames = 0;
        while let Some(frame) = decoder.next_frame() {
            frames += 1;
            let Frame::Event(event) = frame? else { panic!("not an event") };
            prop_assert!(event.data == "before" || event.data == text);
        }
        prop_assert!(decoder.finish().is_none());
        prop_assert_eq!(frames, 1 + usize::from(written.is_ok()));
    }

    #[test]
    fn both_ways_of_writing_write_the_same(text in any::<String>()) {
        let (mut whole, mut in_place) = (BytesMut::new(), BytesMut::new());
        let written = encode::data(&mut whole, &text);
        let also = encode::data_with(&mut in_place, |out| {
            out.extend_from_slice(text.as_bytes());
            Ok::<_, Error>(())
        });
        prop_assert_eq!(written, also);
        prop_assert_eq!(whole, in_place);
    }
}

#[test]
fn a_retry_and_a_heartbeat_are_read_for_what_they_are() {
    let mut wire = BytesMut::new();
    encode::retry(&mut wire, Duration::from_millis(2500));
    wire.extend_from_slice(HEARTBEAT.as_bytes());

    let mut decoder = Decoder::new();
    decoder.feed(&wire);
    let Some(Ok(Frame::Comment(beat))) = decoder.next_frame() else {
        panic!("no heartbeat")
    };
    assert_eq!(beat.text, "heartbeat");
    assert!(decoder.next_frame().is_none());
    assert_eq!(decoder.retry(), Some(Duration::from_millis(2500)));
}

fn sent() -> impl Strategy<Value = Sent> {
    prop_oneof![
        3 => (option::of(text()), text()).prop_map(|(id, json)| Sent::Data { id, json }),
        1 => text().prop_map(Sent::Comment),
    ]
}

/// Any text that may be framed, with the characters that other readers take for line ends.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[^\r\n\0]{0,40}",
        "[ :{}\"a\u{b}\u{c}\u{85}\u{2028}\u{2029}\u{feff}é😀]{0,12}",
    ]
}
