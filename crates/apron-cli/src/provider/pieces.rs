//! Text cut the way a model's tokens cut it.

/// Cuts `text` before every space and after every fifth character.
///
/// The cuts fall between characters but not between what a reader calls one: an emoji made of
/// several code points may well be split, as real providers split it.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .char_indices()
            .skip(1)
            .enumerate()
            .find(|&(nth, (_, char))| char == ' ' || nth + 1 == LONGEST)
            .map_or(rest.len(), |(_, (at, _))| at);
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        (!piece.is_empty()).then_some(piece)
    })
}

/// In characters.
const LONGEST: usize = 5;

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_are_small_start_at_spaces_and_join_up_again() {
        let text = "Grüße, a lighthouse: 👩\u{200d}👩\u{200d}👧\u{200d}👦!";
        let cut: Vec<_> = pieces(text).collect();
        assert_eq!(cut.concat(), text);
        assert_eq!(cut[..4], ["Grüße", ",", " a", " ligh"]);
        let small = |piece: &&str| (1..=5).contains(&piece.chars().count());
        assert!(cut.iter().all(small), "{cut:?}");
        let torn = |piece: &&str| piece.ends_with('\u{200d}');
        assert!(cut.iter().any(torn), "a family in two pieces: {cut:?}");
        assert_eq!(pieces("").count(), 0);
    }
}
