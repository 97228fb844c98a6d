//! Under which ids things are said, and which are refused.

use apron_emit::{Outcome, Rule, stream};
use apron_protocol::{AssistantMessage, Message, TextMessageRole};

use crate::support::{both, drain, input, rule_of, tell};
use crate::words;

#[test]
fn calls_belong_to_the_text_that_was_said_with_them() {
    let events = both(async |run| {
        let mut text = run.text();
        text.push("looking").await?;
        text.end().await?;
        let first = run.tool_call_with("c1", "look", None).await?;
        let second = run.tool_call_with("c2", "look", None).await?;
        first.result("seen").await?;
        second.result("seen").await?;
        // After an answer it is another message.
        let mut text = run.text();
        text.push("found").await?;
        text.end().await?;
        drop(run.tool_call_with("c3", "look", None).await?);
        Ok(Outcome::success())
    });
    let told = tell(&events);
    assert!(told.contains("text r:a1; content r:a1 looking"), "{told}");
    assert!(
        told.contains("call c1 under r:a1") && told.contains("call c2 under r:a1"),
        "{told}"
    );
    assert!(told.contains("text r:a2; content r:a2 found"), "{told}");
    assert!(told.contains("call c3 under r:a2"), "{told}");
}

#[test]
fn a_call_before_the_text_shares_its_message_with_it() {
    let events = both(async |run| {
        drop(run.tool_call_with("c1", "look", None).await?);
        let mut text = run.text();
        text.push("and").await?;
        // Another text at the same time is another message.
        let mut other = run.text();
        other.push("aside").await?;
        Ok(Outcome::success())
    });
    assert_eq!(
        tell(&events),
        "run; call c1 under r:a1; args c1 {}; call-end c1; text r:a1; content r:a1 and; \
         text r:a2; content r:a2 aside; text-end r:a2; text-end r:a1; done pending c1"
    );
}

#[test]
fn what_others_say_is_no_part_of_the_agents_turn() {
    let events = both(async |run| {
        let mut asked = run.text().with_role(TextMessageRole::User).with_name("Ada");
        asked.push("please").await?;
        asked.end().await?;
        drop(run.tool_call_with("c1", "look", None).await?);
        run.emit(words::by(words::text("theirs"), "s")).await?;
        run.emit(words::by(words::call("d"), "s")).await?;
        run.emit(words::by(words::call_end("d"), "s")).await?;
        run.emit(words::by(words::result("x", "d"), "s")).await?;
        drop(run.tool_call_with("c2", "look", None).await?);
        // Text of another role does not take the id that the assistant's calls have.
        let mut asked = run.text().with_role(TextMessageRole::System);
        asked.push("note").await?;
        asked.end().await?;
        let mut text = run.text();
        text.push("done").await?;
        Ok(Outcome::success())
    });
    let told = tell(&events);
    assert!(
        told.contains("call c1 under r:a2") && told.contains("call c2 under r:a2"),
        "{told}"
    );
    assert!(
        told.contains("content r:a3 note") && told.contains("content r:a2 done"),
        "{told}"
    );
}

#[test]
fn ids_never_collide_with_the_history_when_a_run_id_is_used_again() {
    let call = apron_protocol::ToolCall::new("r:c1", "look", "{}");
    let mut input = input();
    input.messages = vec![
        AssistantMessage::new("r:a1").with_tool_call(call).into(),
        Message::tool("r:c1:result", "r:c1", "seen"),
        Message::reasoning("r:r1", "hm"),
        Message::assistant("r:a3", "said"),
    ];
    let events = drain(stream(input, async |run| {
        for _ in 0..2 {
            let mut text = run.text();
            text.push("a").await?;
        }
        let mut reasoning = run.reasoning();
        reasoning.push("b").await?;
        let call = run.tool_call("look").await?;
        let mut ids = run.ids();
        // The provider counts from the start as well.
        assert_eq!(ids.tool_call(Some("r:c1")).as_str(), "r:c1~2");
        assert_eq!(ids.tool_call(Some("r:c1")).as_str(), "r:c1~3");
        assert_eq!(ids.tool_call(Some("fresh")).as_str(), "fresh");
        assert_eq!(ids.tool_call(Some("fresh")).as_str(), "fresh~2");
        assert_eq!(ids.tool_call(Some("")).as_str(), "r:c3");
        assert_eq!(ids.tool_result(&"r:c1".into()).as_str(), "r:c1:result~2");
        call.result("seen").await?;
        Ok(Outcome::success())
    }));
    let told = tell(&events);
    for fresh in [
        "text r:a2;",
        "text r:a4;",
        "span r:r2;",
        "thought r:r3;",
        "call r:c2 under r:a4;",
    ] {
        assert!(told.contains(fresh), "{fresh} in {told}");
    }
}

#[test]
fn ten_thousand_calls_of_one_name_cost_no_search() {
    let events = drain(stream(input(), async |run| {
        let mut ids = run.ids();
        for number in 1..10_000_u32 {
            let id = ids.tool_call(Some("call_0"));
            let expected = if number == 1 {
                "call_0".to_owned()
            } else {
                format!("call_0~{number}")
            };
            assert_eq!(id.as_str(), expected);
        }
        Ok(Outcome::success())
    }));
    assert_eq!(tell(&events), "run; done");
}

#[test]
fn an_id_of_another_kind_is_refused_at_the_call_and_nothing_is_sent() {
    let events = both(async |run| {
        run.emit(words::activity("plan")).await?;
        let mut text = run.text().with_id("plan");
        assert_eq!(rule_of(text.push("lost").await), Rule::IdInUse);
        assert_eq!(text.id(), None);
        text.end().await?;
        assert_eq!(
            rule_of(run.tool_call_with("plan", "f", None).await),
            Rule::IdInUse
        );
        let parent = Some("plan".into());
        assert_eq!(
            rule_of(run.tool_call_with("c", "f", parent).await),
            Rule::ParentNotAssistant
        );
        let mut text = run.text().with_id("mine");
        text.push("said").await?;
        assert_eq!(text.id().unwrap().as_str(), "mine");
        assert_eq!(
            rule_of(run.emit(words::activity("mine")).await),
            Rule::IdInUse
        );
        let call = run.tool_call("f").await?;
        assert_eq!(call.id().as_str(), "r:c1");
        let (ended, again) = {
            let ended = call.end().await?;
            (ended.clone(), ended)
        };
        ended.result("once").await?;
        assert_eq!(rule_of(again.result("twice").await), Rule::AlreadyAnswered);
        let plan = run.step("plan").await?;
        assert_eq!(plan.name(), "plan");
        assert_eq!(rule_of(run.step("plan").await), Rule::AlreadyOpen);
        plan.end().await?;
        run.step("plan").await?.end().await?;
        Ok(Outcome::success())
    });
    assert_eq!(
        tell(&events),
        "run; ACTIVITY_SNAPSHOT; text mine; content mine said; call r:c1 under mine; args r:c1 {}; \
         call-end r:c1; result r:c1:result for r:c1 once; step plan; step-end plan; step plan; \
         step-end plan; text-end mine; done"
    );
}
