//! Tool calls, in all the ways in which providers send them.

use apron_openai::chat::{Options, UnknownTools};
use serde_json::json;

use crate::support::{call, content, delta, finish, more, open, play, thought};

/// Ends a turn with calls.
fn end() -> serde_json::Value {
    finish("tool_calls")
}

#[test]
fn parallel_calls_are_told_apart_by_index_and_end_together() {
    play([
        open(0, "a", "f", "{\"x\""),
        open(1, "b", "g", "{\"y\""),
        more(0, ":1}"),
        more(1, ":2}"),
        end(),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCS b g in a1",
        "TCA b {\"y\"",
        "TCA a :1}",
        "TCA b :2}",
        "TCE a",
        "TCE b",
        "FIN a b",
    ]);
}

#[test]
fn a_call_may_be_whole_in_its_first_chunk() {
    let mut chunk = open(0, "a", "f", "{\"x\":1}");
    chunk["choices"][0]["finish_reason"] = "tool_calls".into();
    play([chunk]).expect(&["TCS a f in a1", "TCA a {\"x\":1}", "TCE a", "FIN a"]);
}

#[test]
fn calls_without_index_are_told_apart_by_id_and_position() {
    let entry = |id: &str, name: &str, arguments: &str| json!({"id": id, "function": {"name": name, "arguments": arguments}});
    let two = [
        "TCS a f in a1",
        "TCA a {}",
        "TCE a",
        "TCS b g in a1",
        "TCA b {}",
        "TCE b",
    ];
    let two = [two[0], two[3], two[1], two[2], two[4], two[5], "FIN a b"];
    play([
        call(entry("a", "f", "{}")),
        call(entry("b", "g", "{}")),
        end(),
    ])
    .expect(&two);
    play([
        delta(json!({"tool_calls": [entry("a", "f", "{}"), entry("b", "g", "{}")]})),
        end(),
    ])
    .expect(&two);
    let piece = |arguments: &str| call(json!({"function": {"arguments": arguments}}));
    play([
        call(entry("a", "f", "{\"x\"")),
        piece(":"),
        piece("1}"),
        end(),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCA a :",
        "TCA a 1}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn an_index_used_again_with_a_new_id_is_a_new_call() {
    play([
        open(0, "a", "f", "{\"x\":1}"),
        open(0, "b", "g", "{\"y\""),
        more(0, ":2}"),
        end(),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\":1}",
        "TCS b g in a1",
        "TCA b {\"y\"",
        "TCA b :2}",
        "TCE a",
        "TCE b",
        "FIN a b",
    ]);
}

#[test]
fn an_id_that_is_empty_later_changes_nothing() {
    for id in [json!(""), json!(null)] {
        let piece = call(json!({"index": 0, "id": id, "function": {"arguments": ":1}"}}));
        play([open(0, "a", "f", "{\"x\""), piece, end()]).expect(&[
            "TCS a f in a1",
            "TCA a {\"x\"",
            "TCA a :1}",
            "TCE a",
            "FIN a",
        ]);
    }
}

#[test]
fn an_id_may_be_repeated_or_new_on_each_chunk() {
    let piece = |id: &str, arguments: &str| {
        call(json!({"index": 0, "id": id, "function": {"arguments": arguments}}))
    };
    for ids in [["a", "a"], ["b", "c"]] {
        play([
            open(0, "a", "f", "{\"x\""),
            piece(ids[0], ":1"),
            piece(ids[1], "}"),
            end(),
        ])
        .expect(&[
            "TCS a f in a1",
            "TCA a {\"x\"",
            "TCA a :1",
            "TCA a }",
            "TCE a",
            "FIN a",
        ]);
    }
}

#[test]
fn a_call_without_id_gets_one() {
    let first = call(json!({"index": 0, "function": {"name": "f", "arguments": "{\"x\""}}));
    play([first.clone(), more(0, ":1}"), end()]).expect(&[
        "TCS c1 f in a1",
        "TCA c1 {\"x\"",
        "TCA c1 :1}",
        "TCE c1",
        "FIN c1",
    ]);
    let late = call(json!({"index": 0, "id": "a", "function": {"arguments": ":1}"}}));
    play([first, late, end()]).expect(&[
        "TCS c1 f in a1",
        "TCA c1 {\"x\"",
        "TCA c1 :1}",
        "TCE c1",
        "FIN c1",
    ]);
}

#[test]
fn a_name_on_each_chunk_is_the_same_name() {
    let piece = |arguments: &str| {
        call(json!({"index": 0, "function": {"name": "f", "arguments": arguments}}))
    };
    play([
        open(0, "a", "f", ""),
        piece("{\"x\""),
        piece(":1}"),
        piece(""),
        end(),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCA a :1}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn a_name_in_pieces_is_joined() {
    let piece = call(json!({"index": 0, "function": {"name": "weather"}}));
    let script = ["TCS a get_weather in a1", "TCA a {}", "TCE a", "FIN a"];
    play([
        open(0, "a", "get_", ""),
        piece.clone(),
        more(0, "{}"),
        end(),
    ])
    .expect(&script);
    // Whatever comes next shows that the name is whole.
    play([open(0, "a", "get_", ""), piece, end()]).expect(&script);
    play([
        open(0, "a", "f", ""),
        call(json!({"index": 0, "function": {"name": "oo"}})),
        end(),
    ])
    .expect(&["TCS a f in a1", "TCA a {}", "TCE a", "FIN a"]);
}

#[test]
fn an_empty_name_null_arguments_and_missing_members_change_nothing() {
    play([
        open(0, "a", "f", "{\"x\""),
        call(json!({"index": 0, "function": {"name": "", "arguments": ":1}"}})),
        call(json!({"index": 0, "function": {"name": null, "arguments": null}})),
        call(json!({"index": 0, "function": {}})),
        call(json!({"index": 0, "function": null})),
        call(json!({"index": 0})),
        end(),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCA a :1}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn an_empty_object_before_the_arguments_is_dropped_and_alone_it_is_kept() {
    play([
        open(0, "a", "f", "{}"),
        more(0, "{\"x\""),
        more(0, ":1}"),
        end(),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCA a :1}",
        "TCE a",
        "FIN a",
    ]);
    play([open(0, "a", "f", "{}"), more(0, ""), end()]).expect(&[
        "TCS a f in a1",
        "TCA a {}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn no_arguments_are_an_empty_object() {
    play([open(0, "a", "f", ""), end()]).expect(&["TCS a f in a1", "TCA a {}", "TCE a", "FIN a"]);
    play([
        call(json!({"index": 0, "id": "a", "function": {"name": "f"}})),
        end(),
    ])
    .expect(&["TCS a f in a1", "TCA a {}", "TCE a", "FIN a"]);
}

#[test]
fn arguments_may_be_json_instead_of_a_string() {
    let chunk = call(json!({"index": 0, "id": "a",
        "function": {"name": "f", "arguments": {"x": [1, "é\""]}}}));
    play([chunk, end()]).expect(&[
        "TCS a f in a1",
        "TCA a {\"x\":[1,\"é\\\"\"]}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn arguments_sent_again_are_said_once() {
    play([
        open(0, "a", "f", "{\"x\""),
        more(0, ":1}"),
        more(0, "{\"x\":1}"),
        end(),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCA a :1}",
        "TCE a",
        "FIN a",
    ]);
    play([open(0, "a", "f", "{\"x\""), more(0, "{\"x\":1}"), end()]).expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TCA a :1}",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn arguments_sent_again_in_the_middle_wait_for_what_follows() {
    // The same object nested in itself, or everything once more: only the next piece tells.
    let begin = || open(0, "a", "f", "{\"x\":");
    let script = ["TCS a f in a1", "TCA a {\"x\":"];
    let check = |chunks: [serde_json::Value; 3], rest: &[&str]| {
        play(chunks).expect(&[&script[..], rest].concat());
    };
    check(
        [begin(), more(0, "{\"x\":1}"), end()],
        &["TCA a 1}", "TCE a", "FIN a"],
    );
    play([begin(), more(0, "{\"x\":1}"), more(0, "}"), end()]).expect(&[
        script[0],
        script[1],
        "TCA a {\"x\":1}}",
        "TCE a",
        "FIN a",
    ]);
    let error = json!({"error": "boom"});
    check(
        [begin(), more(0, "{\"x\":1}"), error],
        &["TCA a 1}", "ERR provider_error"],
    );
    // Under a cut, it proves nothing.
    check(
        [begin(), more(0, "{\"x\":1}"), finish("length")],
        &["TCA a 1}", "TCE a", "ERR max_output_tokens"],
    );
}

#[test]
fn arguments_that_are_no_json_are_passed_on() {
    play([open(0, "a", "f", "{\"x\":1}"), more(0, "{\"y\":2}"), end()]).expect(&[
        "TCS a f in a1",
        "TCA a {\"x\":1}",
        "TCA a {\"y\":2}",
        "TCE a",
        "FIN a",
    ]);
    play([open(0, "a", "f", "{\"x\":oops"), end()]).expect(&[
        "TCS a f in a1",
        "TCA a {\"x\":oops",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn text_after_calls_goes_into_the_message_of_the_calls() {
    play([
        open(0, "a", "f", "{\"x\""),
        content("hi"),
        more(0, ":1}"),
        end(),
    ])
    .expect(&[
        "TCS a f in a1",
        "TCA a {\"x\"",
        "TMS a1",
        "TMC a1 hi",
        "TCA a :1}",
        "TME a1",
        "TCE a",
        "FIN a",
    ]);
    // A message that ended keeps its id to itself.
    play([
        content("let me"),
        open(0, "a", "f", "{}"),
        content("see"),
        open(1, "b", "g", "{}"),
        end(),
    ])
    .expect(&[
        "TMS a1",
        "TMC a1 let me",
        "TME a1",
        "TCS a f in a1",
        "TMS a2",
        "TMC a2 see",
        "TME a2",
        "TCS b g in a1",
        "TCA a {}",
        "TCE a",
        "TCA b {}",
        "TCE b",
        "FIN a b",
    ]);
}

#[test]
fn no_calls_leave_the_text_open() {
    play([
        content("h"),
        delta(json!({"tool_calls": []})),
        delta(json!({"tool_calls": null})),
        delta(json!({"tool_calls": [{}]})),
        content("i"),
        finish("stop"),
    ])
    .expect(&["TMS a1", "TMC a1 h", "TMC a1 i", "TME a1", "FIN"]);
}

#[test]
fn a_call_of_any_type_is_a_call() {
    for kind in [json!(null), json!("function"), json!("other")] {
        let chunk = call(json!({"index": 0, "id": "a", "type": kind,
            "function": {"name": "f", "arguments": "{}"}}));
        play([chunk, end()]).expect(&["TCS a f in a1", "TCA a {}", "TCE a", "FIN a"]);
    }
    let custom = |input: &str| {
        call(json!({"index": 0, "id": "a", "type": "custom",
            "custom": {"name": "f", "input": input}}))
    };
    play([custom("free "), custom("text"), end()]).expect(&[
        "TCS a f in a1",
        "TCA a free ",
        "TCA a text",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn a_thought_signature_travels_with_its_call() {
    let signature = json!({"google": {"thought_signature": "S"}});
    let mut first = open(0, "a", "f", "{}");
    first["choices"][0]["delta"]["tool_calls"][0]["extra_content"] = signature.clone();
    let alone = call(json!({"index": 0, "extra_content": signature}));
    let beside = delta(json!({ "extra_content": signature }));
    let script = ["TCS a f in a1", "TCA a {}", "REV a", "TCE a", "FIN a"];
    let streams = [
        play([first, end()]),
        play([open(0, "a", "f", "{}"), alone, end()]),
        play([open(0, "a", "f", "{}"), beside.clone(), end()]),
    ];
    for stream in streams {
        let options = Options::default().with_provider("gemini");
        let played = stream.options(options).expect(&script);
        assert_eq!(
            played.envelopes(),
            [json!({"v": 1, "p": "openai.chat", "provider": "gemini", "extraContent": signature})]
        );
    }
    let played = play([content("hi"), beside, finish("stop")]).expect(&[
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "REV a1",
        "FIN",
    ]);
    assert_eq!(played.envelopes()[0]["extraContent"], signature);
}

#[test]
fn a_wrapper_for_parallel_calls_is_a_tool_that_nobody_offered() {
    let arguments = r#"{"tool_uses":[{"recipient_name":"functions.f","parameters":{}}]}"#;
    let line = format!("TCA a {arguments}");
    play([open(0, "a", "multi_tool_use.parallel", arguments), end()]).expect(&[
        "TCS a multi_tool_use.parallel in a1",
        &line,
        "TCE a",
        "TCR a",
        "FIN",
    ]);
}

#[test]
fn a_call_of_a_tool_that_nobody_offered_is_answered() {
    let stream = || play([open(0, "a", "nope", "{}"), open(1, "b", "f", "{}"), end()]);
    let spoken = [
        "TCS a nope in a1",
        "TCS b f in a1",
        "TCA a {}",
        "TCE a",
        "TCA b {}",
        "TCE b",
    ];
    let answered = [&spoken[..], &["TCR a", "FIN b"]].concat();
    stream().expect(&answered);
    let policy = |policy| Options::default().with_unknown_tools(policy);
    let pending = [&spoken[..], &["FIN a b"]].concat();
    stream()
        .options(policy(UnknownTools::Pend))
        .expect(&pending);
    play([open(0, "a", "nope", "{}"), end()])
        .options(policy(UnknownTools::Leave))
        .expect(&["TCS a nope in a1", "TCA a {}", "TCE a", "FIN"]);
}

#[test]
fn tools_that_the_provider_ran_are_calls_with_results() {
    let executed = |entry: serde_json::Value| delta(json!({ "executed_tools": [entry] }));
    let asked = json!({"index": 0, "type": "search", "arguments": "{\"query\":\"q\"}"});
    let done = json!({"index": 0, "type": "search", "arguments": "{\"query\":\"q\"}",
        "output": "found", "search_results": {"results": [{"url": "u"}]}});
    let played = play([
        thought("hm"),
        executed(asked.clone()),
        executed(done),
        thought("so"),
        content("hi"),
        finish("stop"),
    ])
    .expect(&[
        "RS r1",
        "RMS r2",
        "RMC r2 hm",
        "RME r2",
        "RE r1",
        "TCS c1 search in a1",
        "TCA c1 {\"query\":\"q\"}",
        "TCE c1",
        "TCR c1",
        "RS r3",
        "RMS r4",
        "RMC r4 so",
        "RME r4",
        "RE r3",
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "FIN",
    ]);
    let result = played.events.iter().find_map(|event| match event {
        apron_protocol::Event::ToolCallResult(event) => Some(json!(event)),
        _ => None,
    });
    let result = result.unwrap();
    assert_eq!(result["content"], "found");
    let found = &result["metadata"]["openai"]["searchResults"]["results"];
    assert_eq!(found[0]["url"], "u");
    // One that never reports is answered, so that no client waits for it.
    play([executed(asked), finish("stop")]).expect(&[
        "TCS c1 search in a1",
        "TCA c1 {\"query\":\"q\"}",
        "TCE c1",
        "TCR c1",
        "FIN",
    ]);
}

#[test]
fn members_of_mistral_change_nothing() {
    let chunk = json!({"p": "abcdefg", "choices": [{"index": 0, "delta": {"index": 0, "content": "",
        "tool_calls": [{"index": 0, "id": "D681PevKs", "function": {"name": "f", "arguments": "{}"}}]
    }, "finish_reason": "tool_calls"}]});
    play([chunk]).expect(&[
        "TCS D681PevKs f in a1",
        "TCA D681PevKs {}",
        "TCE D681PevKs",
        "FIN D681PevKs",
    ]);
}

#[test]
fn arguments_before_the_name_wait_for_it() {
    play([
        call(json!({"index": 0, "id": "a", "function": {"arguments": "{\"q\":"}})),
        call(json!({"index": 0, "function": {"name": "search", "arguments": "1"}})),
        call(json!({"index": 0, "function": {"name": "", "arguments": "}"}})),
        end(),
    ])
    .expect(&[
        "TCS a search in a1",
        "TCA a {\"q\":1",
        "TCA a }",
        "TCE a",
        "FIN a",
    ]);
}

#[test]
fn a_call_whose_name_is_late_comes_after_the_calls_that_had_theirs() {
    play([
        call(json!({"index": 0, "id": "a", "function": {"arguments": "{\"x\":1}"}})),
        open(1, "b", "g", "{\"y\":2}"),
        call(json!({"index": 0, "function": {"name": "f"}})),
        end(),
    ])
    .expect(&[
        "TCS b g in a1",
        "TCA b {\"y\":2}",
        "TCS a f in a1",
        "TCA a {\"x\":1}",
        "TCE b",
        "TCE a",
        "FIN b a",
    ]);
}

#[test]
fn a_call_that_never_gets_a_name_fails_the_run_and_an_empty_one_is_dropped() {
    play([more(0, "{\"x\":1}"), end()]).expect(&["ERR tool_call_invalid"]);
    play([
        call(json!({"index": 0, "id": "a"})),
        content("hi"),
        finish("stop"),
    ])
    .expect(&["TMS a1", "TMC a1 hi", "TME a1", "FIN"]);
}

#[test]
fn a_known_name_is_announced_at_once_and_another_when_it_is_whole() {
    // The arguments come later; what shows at once are the starts before them.
    play([open(0, "a", "f", ""), content("hi"), more(0, "{}"), end()]).expect(&[
        "TCS a f in a1",
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "TCA a {}",
        "TCE a",
        "FIN a",
    ]);
    play([open(0, "a", "f", ""), end()])
        .tools(&["f", "fg"])
        .expect(&["TCS a f in a1", "TCA a {}", "TCE a", "FIN a"]);
}

#[test]
fn too_many_calls_fail_the_run() {
    let entries: Vec<_> = (0..2000)
        .map(|index| json!({"index": index, "id": index.to_string(), "function": {"name": "f"}}))
        .collect();
    let text = format!("data: {}\n\n", delta(json!({ "tool_calls": entries })));
    let bytes = futures_util::stream::iter([Ok::<_, std::convert::Infallible>(text.into_bytes())]);
    let played = crate::support::drain(apron_openai::chat::events(bytes), &["f"]);
    assert_eq!(played.failure.unwrap().code(), "decode_error");
}
