//! The slot rules as a table: deltas in, calls out.

use std::borrow::Cow;

use super::*;
use crate::chat::chunk::Function;

/// A delta: index, id, name, arguments.
#[derive(Clone, Copy)]
struct D(Option<u64>, &'static str, &'static str, &'static str);

/// Sorts chunks of deltas in, and compares each call's provider id, name and arguments.
#[track_caller]
fn check(tools: &[&str], chunks: &[&[D]], expect: &[(&str, &str, &str)]) {
    let mut known = Tools::default();
    for tool in tools {
        known.add((*tool).to_owned(), (*tool).to_owned());
    }
    let mut calls = Calls::default();
    for (number, chunk) in (0..).zip(chunks) {
        for (at, D(index, id, name, arguments)) in chunk.iter().enumerate() {
            let text = |text: &'static str| (!text.is_empty()).then_some(Cow::Borrowed(text));
            let delta = CallDelta {
                index: *index,
                id: text(id),
                function: Function {
                    name: text(name),
                    arguments: text(arguments),
                },
                extra_content: None,
            };
            let place = Place::of(&delta, number, at, chunk.len());
            calls.take(delta, place, &known).unwrap();
        }
    }
    let calls: Vec<_> = calls
        .list
        .into_iter()
        .map(|mut call| {
            call.arguments.finish();
            let id = call.provider_id.unwrap_or_default();
            (id, call.name, call.arguments.into_string())
        })
        .collect();
    let calls: Vec<_> = calls
        .iter()
        .map(|(id, name, arguments)| (id.as_str(), name.as_str(), arguments.as_str()))
        .collect();
    assert_eq!(calls, expect);
}

const I: Option<u64> = Some(0);
const J: Option<u64> = Some(1);
const N: Option<u64> = None;

#[test]
fn an_index_tells_calls_apart() {
    check(
        &[],
        &[
            &[D(I, "a", "f", "{\"x\"")],
            &[D(J, "b", "g", "{\"y\"")],
            &[D(I, "", "", ":1}"), D(J, "", "", ":2}")],
        ],
        &[("a", "f", "{\"x\":1}"), ("b", "g", "{\"y\":2}")],
    );
}

#[test]
fn a_known_id_wins_over_any_index() {
    check(
        &[],
        &[&[D(I, "a", "f", "{\"x\"")], &[D(J, "a", "", ":1}")]],
        &[("a", "f", "{\"x\":1}")],
    );
}

#[test]
fn a_new_id_with_a_name_opens_a_call_in_a_used_slot() {
    check(
        &[],
        &[
            &[D(I, "a", "f", "{\"x\":1}")],
            &[D(I, "b", "f", "{\"y\"")],
            &[D(I, "", "", ":2}")],
        ],
        &[("a", "f", "{\"x\":1}"), ("b", "f", "{\"y\":2}")],
    );
    check(
        &[],
        &[&[D(I, "a", "f", "")], &[D(I, "b", "f", "")]],
        &[("a", "f", "{}"), ("b", "f", "{}")],
    );
}

#[test]
fn an_id_that_rotates_continues_its_slot() {
    check(
        &[],
        &[
            &[D(I, "a", "f", "{\"x\"")],
            &[D(I, "b", "", ":1")],
            &[D(I, "c", "f", "}")],
        ],
        &[("a", "f", "{\"x\":1}")],
    );
}

#[test]
fn a_late_id_belongs_to_its_call() {
    check(
        &[],
        &[&[D(I, "", "f", "{\"x\"")], &[D(I, "a", "", ":1}")]],
        &[("a", "f", "{\"x\":1}")],
    );
    check(
        &[],
        &[&[D(N, "", "f", "{\"x\"")], &[D(N, "a", "", ":1}")]],
        &[("a", "f", "{\"x\":1}")],
    );
    check(
        &[],
        &[&[D(I, "", "f", "{\"x\":1}")], &[D(I, "a", "g", "{}")]],
        &[("", "f", "{\"x\":1}"), ("a", "g", "{}")],
    );
}

#[test]
fn without_index_a_new_id_is_a_new_call() {
    check(
        &[],
        &[&[D(N, "a", "f", "{}")], &[D(N, "b", "g", "{}")]],
        &[("a", "f", "{}"), ("b", "g", "{}")],
    );
    check(
        &[],
        &[&[D(N, "a", "f", "{}"), D(N, "b", "f", "{}")]],
        &[("a", "f", "{}"), ("b", "f", "{}")],
    );
}

#[test]
fn without_id_a_name_after_whole_arguments_opens_a_call() {
    check(
        &[],
        &[
            &[D(I, "", "f", "{\"x\":1}")],
            &[D(I, "", "g", "{\"y\":2}")],
            &[D(I, "", "g", "{\"y\":3}")],
        ],
        &[
            ("", "f", "{\"x\":1}"),
            ("", "g", "{\"y\":2}"),
            ("", "g", "{\"y\":3}"),
        ],
    );
}

#[test]
fn without_id_a_repeated_name_continues() {
    check(
        &[],
        &[
            &[D(I, "", "f", "{\"x\"")],
            &[D(I, "", "f", ":1}")],
            &[D(I, "", "f", "")],
            &[D(I, "", "f", "{\"x\":1}")],
        ],
        &[("", "f", "{\"x\":1}")],
    );
}

#[test]
fn without_index_and_id_a_name_opens_and_its_absence_continues() {
    check(
        &[],
        &[
            &[D(N, "", "f", "{\"x\"")],
            &[D(N, "", "", ":1}")],
            &[D(N, "", "g", "{\"y\"")],
            &[D(N, "", "g", ":2}")],
        ],
        &[("", "f", "{\"x\":1}"), ("", "g", "{\"y\":2}")],
    );
}

#[test]
fn without_index_and_id_several_are_told_apart_by_position() {
    let chunks: [&[D]; 2] = [
        &[D(N, "", "f", "{\"x\""), D(N, "", "g", "{\"y\"")],
        &[D(N, "", "", ":1}"), D(N, "", "", ":2}")],
    ];
    check(
        &[],
        &chunks,
        &[("", "f", "{\"x\":1}"), ("", "g", "{\"y\":2}")],
    );
    let chunks: [&[D]; 2] = [
        &[D(N, "a", "f", "{\"x\""), D(N, "b", "g", "{\"y\"")],
        &[D(N, "", "", ":1}"), D(N, "", "", ":2}")],
    ];
    check(
        &[],
        &chunks,
        &[("a", "f", "{\"x\":1}"), ("b", "g", "{\"y\":2}")],
    );
}

#[test]
fn three_names_without_ids_at_one_index_are_three_calls() {
    let one_chunk: [&[D]; 1] = [&[
        D(I, "", "f", "{}"),
        D(I, "", "g", "{}"),
        D(I, "", "h", "{}"),
    ]];
    let expect = [("", "f", "{}"), ("", "g", "{}"), ("", "h", "{}")];
    check(&[], &one_chunk, &expect);
    let no_arguments: [&[D]; 1] = [&[D(I, "", "f", ""), D(I, "", "g", ""), D(I, "", "h", "")]];
    check(&[], &no_arguments, &expect);
    let apart: [&[D]; 3] = [
        &[D(I, "", "f", "")],
        &[D(I, "", "g", "")],
        &[D(I, "", "h", "")],
    ];
    check(&["f", "g", "h"], &apart, &expect);
}

#[test]
fn two_entries_of_one_index_in_one_chunk_are_one_call() {
    check(
        &[],
        &[&[D(I, "a", "f", ""), D(I, "", "", "{\"x\":1}")]],
        &[("a", "f", "{\"x\":1}")],
    );
}

#[test]
fn a_split_name_is_joined_unless_it_is_whole() {
    let split: [&[D]; 3] = [
        &[D(I, "a", "get_", "")],
        &[D(I, "", "weather", "")],
        &[D(I, "", "", "{\"x\":1}")],
    ];
    check(&[], &split, &[("a", "get_weather", "{\"x\":1}")]);
    check(
        &["get_weather"],
        &split,
        &[("a", "get_weather", "{\"x\":1}")],
    );
    check(&["get_"], &split, &[("a", "get_", "{\"x\":1}")]);
    check(
        &["get_", "get_weather"],
        &split,
        &[("a", "get_weather", "{\"x\":1}")],
    );
    let growing: [&[D]; 2] = [&[D(I, "a", "get_", "")], &[D(I, "", "get_weather", "{}")]];
    check(&["get_weather"], &growing, &[("a", "get_weather", "{}")]);
}

#[test]
fn a_name_after_the_arguments_is_taken() {
    check(
        &[],
        &[
            &[D(I, "a", "", "{\"q\":")],
            &[D(I, "", "search", "1")],
            &[D(I, "", "", "}")],
        ],
        &[("a", "search", "{\"q\":1}")],
    );
}

#[test]
fn what_says_nothing_makes_no_call() {
    check(&[], &[&[D(I, "", "", "")], &[D(N, "", "", "")]], &[]);
}

#[test]
fn there_is_a_limit() {
    let mut calls = Calls::default();
    for number in 0..=LIMIT {
        let delta = CallDelta {
            id: Some(number.to_string().into()),
            ..CallDelta::default()
        };
        let place = Place::of(&delta, 0, 0, 1);
        let taken = calls.take(delta, place, &Tools::default());
        assert_eq!(taken.is_ok(), number < LIMIT);
    }
}
