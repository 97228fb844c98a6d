//! Which ids things get.

use std::collections::VecDeque;

use apron_emit::{CountingIds, Ids};
use apron_openai::chat::{Options, Translator};
use apron_protocol::{Event, MessageId, ToolCallId};
use serde_json::json;

use crate::support::{call, content, finish, open, play};

#[test]
fn calls_of_a_turn_share_one_parent_which_is_the_text_before_them() {
    play([
        content("hi"),
        open(0, "a", "f", "{}"),
        open(1, "b", "g", "{}"),
        finish("tool_calls"),
    ])
    .expect(&[
        "TMS a1",
        "TMC a1 hi",
        "TME a1",
        "TCS a f in a1",
        "TCS b g in a1",
        "TCA a {}",
        "TCE a",
        "TCA b {}",
        "TCE b",
        "FIN a b",
    ]);
}

#[test]
fn an_id_that_is_taken_gets_a_variant() {
    /// Minting as a run does that has a call `a` already.
    struct Taken(CountingIds);
    impl Ids for Taken {
        fn message(&mut self) -> MessageId {
            self.0.message()
        }
        fn reasoning(&mut self) -> MessageId {
            self.0.reasoning()
        }
        fn tool_call(&mut self, provider: Option<&str>) -> ToolCallId {
            match provider {
                Some("a") => "a~2".into(),
                other => self.0.tool_call(other),
            }
        }
        fn tool_result(&mut self, call: &ToolCallId) -> MessageId {
            self.0.tool_result(call)
        }
    }
    let ids = Box::new(Taken(CountingIds::new("run")));
    let mut translator = Translator::new(ids, Options::default()).with_tool("f");
    let mut out = VecDeque::new();
    for chunk in [open(0, "a", "f", "{}"), finish("tool_calls")] {
        translator
            .frame(None, &chunk.to_string(), &mut out)
            .unwrap();
    }
    let turn = translator.end(&mut out).unwrap();
    assert_eq!(turn.pending, ["a~2"]);
    assert_eq!(turn.calls[0].provider_id.as_deref(), Some("a"));
}

#[test]
fn a_tool_offered_under_another_name_comes_back_under_its_own() {
    let mut translator = Translator::new(Box::new(CountingIds::new("run")), Options::default())
        .with_renamed_tool("fs_read", "fs.read");
    let mut out = VecDeque::new();
    for chunk in [open(0, "a", "fs_read", "{}"), finish("tool_calls")] {
        translator
            .frame(None, &chunk.to_string(), &mut out)
            .unwrap();
    }
    let turn = translator.end(&mut out).unwrap();
    assert_eq!(turn.calls[0].name, "fs.read");
    let started = out.iter().any(
        |event| matches!(event, Event::ToolCallStart(start) if start.tool_call_name == "fs.read"),
    );
    assert!(started);
}

#[test]
fn an_id_may_be_of_any_shape() {
    let id = "call/ä b\"\n".repeat(20);
    let chunk = call(json!({"index": 0, "id": id, "function": {"name": "f", "arguments": "{}"}}));
    let start = format!("TCS {id} f in a1");
    let lines = [
        format!("TCA {id} {{}}"),
        format!("TCE {id}"),
        format!("FIN {id}"),
    ];
    play([chunk, finish("tool_calls")]).expect(&[&start, &lines[0], &lines[1], &lines[2]]);
}
