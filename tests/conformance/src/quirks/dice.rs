//! Chance that can be repeated: the same seed throws the same dice everywhere.

/// A generator of pseudo-random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        usize::try_from(self.next() % end.max(1)).unwrap_or(0)
    }

    /// A number from `start` to `end`, both included.
    pub(super) fn between(&mut self, start: usize, end: usize) -> usize {
        start + self.below(end - start + 1)
    }

    /// True in `percent` of 100 throws.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// Cuts a text into `parts` pieces between characters; some may be empty.
    pub(super) fn cut(&mut self, text: &str, parts: usize) -> Vec<String> {
        let bounds: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        let mut cuts: Vec<usize> = (1..parts).map(|_| *self.pick(&bounds)).collect();
        cuts.sort_unstable();
        cuts.push(text.len());
        let mut start = 0;
        cuts.into_iter()
            .map(|end| text[std::mem::replace(&mut start, end)..end].to_owned())
            .collect()
    }

    /// A short text that is never empty: words, white space, other scripts, emoji, and what looks
    /// like markup, JSON or framing.
    pub(super) fn words(&mut self) -> String {
        let count = self.between(1, 4);
        (0..count).map(|_| *self.pick(WORDS)).collect()
    }
}

const WORDS: &[&str] = &[
    "Hello",
    " world",
    ", ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " ",
    "né",
    "Zürich",
    "東京",
    "שלום",
    "🦀",
    "👩‍🚀",
    "e\u{301}",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "\u{1}",
    "\"",
    "\\",
    "/",
    "{}",
    "{\"a\":1}",
    "[DONE]",
    "data: x",
    ": comment",
    "<b>",
    "<think>",
    "</think>",
    "<|channel|>",
    "[1]",
    "```\n",
    "null",
    "0",
    "&amp;",
    "\u{10ffff}",
    "\\u0041",
    "finish_reason",
    "error",
];
