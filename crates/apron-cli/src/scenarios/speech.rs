//! Answers that only speak: text, reasoning, slowly, at length.

use super::BRISK;
use crate::provider::{Answer, Ask, Script};

/// A plain answer.
pub(super) fn text(_: &Ask<'_>) -> Answer {
    Answer::Stream(Script::new().every(BRISK).text(LIGHTHOUSES).finish("stop"))
}

/// Reasoning, then the answer.
pub(super) fn reasoning(_: &Ask<'_>) -> Answer {
    let script = Script::new()
        .every(BRISK)
        .reasoning("A week has seven days, whoever counts them. Five of them: 5 × 7 = 35.")
        .reasoning("\n\nQuick check by adding: 7, 14, 21, 28, 35 ✓")
        .text("Five weeks are 35 days.");
    Answer::Stream(script.finish("stop"))
}

/// One delta now, eight more at 700 ms each, and the end: 6.3 s.
pub(super) fn slow(_: &Ask<'_>) -> Answer {
    let [first, rest @ ..] = [
        "Patience",
        " is",
        " what",
        " a",
        " lighthouse",
        " keeper",
        " has",
        " most",
        " of.",
    ];
    let script = Script::new().delta(first).every(super::SLOW);
    let script = rest.into_iter().fold(script, Script::delta);
    Answer::Stream(script.finish("stop"))
}

/// 2,000 deltas without a pause.
pub(super) fn long(_: &Ask<'_>) -> Answer {
    let script = (1..=2_000).fold(Script::new(), |script, n| script.delta(format!("{n} ")));
    Answer::Stream(script.finish("stop"))
}

const LIGHTHOUSES: &str = "\
A lighthouse says one thing, over and over: here I am 🔦. The word for it in many languages \
remembers the island of Pharos near Alexandria: φάρος in Greek, phare in French, фар in \
Bulgarian. In Japanese it is a 灯台, a stand for a light. The Torre de Hércules in A Coruña has \
stood since Roman days, and whole families 👩‍👩‍👧 once kept such towers lit. Good night, sailor 🌊!";
