//! However a stream is cut into chunks, it means the same, and it means what the standard says.

mod reference;

use apron_sse::Decoder;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof};
use proptest::sample::Index;
use proptest::{collection, prop_assert_eq, proptest};
use reference::{by_the_decoder, by_the_standard};

/// A little of everything that has ever broken a decoder.
const HOSTILE: &[u8] = b"\xEF\xBB\xBF: first\r\n\
    data: {\"a\":\"\xC3\xA9\xF0\x9F\x98\x80\"}\r\n\r\n\
    event: delta\rdata: one\rdata\rdata:two\r\r\n\
    id: 7\ndata:  spaced \n: inside\nretry: 250\n\n\
    data: [DONE]\n\n\
    id: bad\0id\nerror: {\"code\":500}\nevent: lost\n\n\
    data: cut\xE2\x82\ndata:\xAC\xFF\n\r\n\
    \xEF\xBB\xBFdata: no bom here\n\n\
    id\nevent\ndata: cleared\n\r\
    retry: 9x\n\n\n\
    event: open\nid: 8\ndata: never ended\nretry: 12";

#[test]
fn every_two_way_split_of_a_hostile_document_gives_the_same_frames() {
    let whole = by_the_decoder(Decoder::new(), [HOSTILE]);
    assert_eq!(whole, by_the_standard(HOSTILE));
    assert_eq!(whole.seen.len(), 13, "{whole:#?}");
    for at in 0..=HOSTILE.len() {
        let (head, tail) = HOSTILE.split_at(at);
        assert_eq!(
            by_the_decoder(Decoder::new(), [head, tail]),
            whole,
            "split at {at}"
        );
    }
}

#[test]
fn every_two_way_split_goes_over_a_limit_in_the_same_places() {
    let fits_but_for_its_bom = b"\xEF\xBB\xBF:\n\ndata\n\n";
    for document in [HOSTILE, fits_but_for_its_bom] {
        for limit in 0..30 {
            let whole = by_the_decoder(Decoder::with_limit(limit), [document]);
            for at in 0..=document.len() {
                let (head, tail) = document.split_at(at);
                let split = by_the_decoder(Decoder::with_limit(limit), [head, tail]);
                assert_eq!(split, whole, "limit {limit}, split at {at}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_stream_fed_in_any_chunks_is_what_the_standard_says(
        input in stream(),
        cuts in collection::vec(any::<Index>(), 0..12),
    ) {
        let chunks = cut(&input, &cuts);
        prop_assert_eq!(by_the_decoder(Decoder::new(), chunks), by_the_standard(&input));
        prop_assert_eq!(by_the_decoder(Decoder::new(), input.chunks(1)), by_the_standard(&input));
    }

    #[test]
    fn a_limit_is_met_in_the_same_places_in_any_chunks(
        input in stream(),
        cuts in collection::vec(any::<Index>(), 0..12),
        limit in 0_usize..40,
    ) {
        let whole = by_the_decoder(Decoder::with_limit(limit), [&*input]);
        let chunks = cut(&input, &cuts);
        prop_assert_eq!(by_the_decoder(Decoder::with_limit(limit), chunks), whole);
    }

    #[test]
    fn bytes_that_mean_nothing_are_survived(
        input in collection::vec(any::<u8>(), 0..600),
        cuts in collection::vec(any::<Index>(), 0..12),
    ) {
        let chunks = cut(&input, &cuts);
        prop_assert_eq!(by_the_decoder(Decoder::new(), chunks), by_the_standard(&input));
    }
}

/// Bytes that are mostly pieces of event streams, so that they get past the first line.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let pieces: &[&[u8]] = &[
        b"data",
        b"data:",
        b"data: ",
        b"data: {}\n\n",
        b"event",
        b"event: e",
        b"id: ",
        b"id: 4",
        b"retry: ",
        b"retry: 12",
        b": ",
        b":",
        b"error: x",
        b" ",
        b"\n",
        b"\n",
        b"\n\n",
        b"\r",
        b"\r\n",
        b"\r\n\r\n",
        b"\0",
        b"\xEF\xBB\xBF",
        b"\xEF",
        b"\xBB",
        b"\xE2\x82",
        b"\xAC",
        b"\xFF",
        "é".as_bytes(),
        b"1",
        b"some text",
    ];
    let piece = prop_oneof![
        9 => proptest::sample::select(pieces.to_vec()).prop_map(<[u8]>::to_vec),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
        1 => Just(b"data: a longer line of text\n\n".to_vec()),
    ];
    collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn cut<'a>(input: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(input.len() + 1)).collect();
    places.sort_unstable();
    let mut chunks = Vec::new();
    let (mut rest, mut from) = (input, 0);
    for to in places {
        let (chunk, after) = rest.split_at(to - from);
        chunks.push(chunk);
        (rest, from) = (after, to);
    }
    chunks.push(rest);
    chunks
}
