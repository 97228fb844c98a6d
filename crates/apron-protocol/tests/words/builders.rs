//! What a caller writes, and what it stands for.

use apron_protocol::{
    AgentCapabilities, AssistantMessage, Content, ContentPart, Decoded, Event,
    ExecutionCapabilities, IdentityCapabilities, Interrupt, MediaPart, Message,
    MultiAgentCapabilities, PartSource, RunFinished, RunOutcome, SubagentInfo, SubagentStarted,
    Text, TextMessageContent, TextMessageStart, TokenUsage, Tool, ToolsCapabilities,
};
use serde_json::{Value, json};

#[test]
fn the_defaults_are_the_ones_a_client_understands() {
    for (event, json) in [
        (
            Event::from(apron_protocol::RunStarted::new("t", "r")),
            r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"1.0"}"#,
        ),
        (
            TextMessageStart::new("m").into(),
            r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#,
        ),
        (
            apron_protocol::RunError::new("timeout", "Too slow.").into(),
            r#"{"type":"RUN_ERROR","message":"Too slow.","code":"timeout"}"#,
        ),
        (
            RunFinished::new("t", "r")
                .with_outcome(RunOutcome::success())
                .into(),
            r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}"#,
        ),
        (
            RunFinished::new("t", "r")
                .with_outcome(RunOutcome::Cancelled)
                .into(),
            r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}"#,
        ),
        (
            RunFinished::new("t", "r")
                .with_outcome(RunOutcome::interrupt(
                    Interrupt::new("i1", "tool_call"),
                    [Interrupt::new("i2", "tool_call")],
                ))
                .into(),
            r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i1","reason":"tool_call"},{"id":"i2","reason":"tool_call"}]}}"#,
        ),
    ] {
        assert_eq!(event.to_json(), json);
    }
}

#[test]
fn the_last_event_of_a_run_is_known() {
    let last: Vec<&str> = crate::cases::all()
        .iter()
        .filter(|case| case.maximal.event.is_terminal())
        .map(|case| case.kind.as_str())
        .collect();
    assert_eq!(last, ["RUN_FINISHED", "RUN_ERROR"]);
}

#[test]
fn common_fields_are_reached_from_the_event() {
    for case in crate::cases::all() {
        let minimal = case.minimal.event;
        assert_eq!(minimal.timestamp(), None, "{}", case.kind);
        assert_eq!(minimal.raw_event(), None);
        assert_eq!(minimal.metadata(), None);

        let mut event = case.maximal.event;
        assert_eq!(event.timestamp(), Some(1_730_000_000_000), "{}", case.kind);
        assert_eq!(event.raw_event(), Some(&json!({ "raw": null })));
        assert!(
            event
                .metadata()
                .is_some_and(|data| data.contains_key("key"))
        );
        let json: Value = serde_json::from_str(&case.maximal.json).unwrap();
        let tagged = json.get("subagentRunId").is_some();
        let run = [
            "RUN_STARTED",
            "RUN_FINISHED",
            "RUN_ERROR",
            "MESSAGES_SNAPSHOT",
        ];
        assert_eq!(tagged, !run.contains(&case.kind.as_str()), "{}", case.kind);
        let tag = event.subagent_run_id().map(ToString::to_string);
        assert_eq!(tag.as_deref(), tagged.then_some("s1"), "{}", case.kind);

        event.set_timestamp(-1);
        event.set_raw_event(json!(2));
        event.metadata_mut().insert("more".to_owned(), json!(3));
        let read = Decoded::from_slice(event.to_json().as_bytes()).into_event();
        assert_eq!(read.as_ref(), Some(&event));
        assert_eq!(
            (event.timestamp(), event.raw_event()),
            (Some(-1), Some(&json!(2)))
        );
    }
}

#[test]
fn content_is_made_of_text_or_parts() {
    assert_eq!(Content::from("a"), Content::Text("a".to_owned()));
    assert_eq!(Content::from(String::new()).to_text(), "");
    assert!(Content::from("").is_empty());
    let picture = ContentPart::Image(MediaPart::new(PartSource::url("u")));
    let content: Content = ["a", "b"]
        .into_iter()
        .map(ContentPart::text)
        .chain([picture.clone()])
        .collect();
    assert_eq!(content.to_text(), "ab");
    assert!(!content.is_empty());
    assert_eq!(picture.as_text(), None);
    assert!(Content::from_iter([]).is_empty());
}

#[test]
fn a_message_says_who_and_which_it_is() {
    let messages = crate::shapes::messages();
    let said: Vec<(&str, &str)> = messages
        .iter()
        .map(|message| (message.id().as_str(), message.role()))
        .collect();
    assert_eq!(
        said,
        [
            ("m1", "developer"),
            ("m2", "system"),
            ("m3", "assistant"),
            ("m4", "user"),
            ("m5", "tool"),
            ("m6", "activity"),
            ("m7", "reasoning"),
            ("m8", "assistant"),
            ("m9", "user"),
        ]
    );
    assert!(
        messages[..7]
            .iter()
            .all(|message| message.subagent_run_id().is_some())
    );
    assert!(
        messages[7..]
            .iter()
            .all(|message| message.subagent_run_id().is_none())
    );
    assert_eq!(
        Message::assistant("a", "b"),
        AssistantMessage::new("a").with_content("b").into()
    );
}

#[test]
fn usage_of_one_model_is_one_entry() {
    let mut first = TokenUsage::new("openai", "a");
    first.input_tokens = Some(1);
    let mut second = first.clone();
    second.output_tokens = Some(2);
    let mut entries = Vec::new();
    first.clone().merge_into(&mut entries);
    second.merge_into(&mut entries);
    TokenUsage::new("openai", "b").merge_into(&mut entries);
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].input_tokens, Some(2));
    assert_eq!(entries[0].output_tokens, Some(2));
    assert_eq!(entries[0].total_tokens, None, "unknown is not 0");
    assert!(entries[1].is_empty() && !entries[0].is_empty());
    first.input_tokens = Some(u64::MAX);
    first.add(&entries[0]);
    assert_eq!(first.input_tokens, Some(u64::MAX));
}

#[test]
fn a_delta_is_made_of_any_kind_of_text() {
    let long = "x".repeat(100);
    for text in ["", "a", "é", &long] {
        let delta = Text::from(text);
        assert_eq!(delta, text);
        assert_eq!(&*delta, text);
        assert_eq!(delta.to_string(), text);
        assert_eq!(format!("{delta:?}"), format!("{text:?}"));
        assert_eq!(Text::from(text.to_owned()), delta);
        assert_eq!(Text::from(&text.to_owned()), delta);
        assert_eq!(String::from(delta.clone()), text);
        assert_eq!(delta.heap_bytes() > 24, text.len() > 24);
    }
    let mut text = Text::from('é');
    text.push_str("a");
    assert_eq!(text, "éa");
    assert_eq!(Text::new(), Text::default());
}

/// The budget of a queue is counted in weights: what a producer can make long must weigh.
#[test]
fn what_can_be_long_weighs() {
    let long = "x".repeat(10_000);
    let deep = json!({ "a": [long], "b": null });
    let tag = |event: Event| {
        let mut event = event;
        event.metadata_mut().insert("key".to_owned(), json!(long));
        event
    };
    let small = Event::from(TextMessageContent::new("m", "Hi")).weight();
    assert_eq!(small, size_of::<Event>());
    use apron_protocol as words;
    for event in [
        TextMessageContent::new("m", long.as_str()).into(),
        words::ToolCallArgs::new("c", long.as_str()).into(),
        words::ReasoningMessageContent::new("m", long.as_str()).into(),
        words::TextMessageChunk::new()
            .with_delta(long.as_str())
            .into(),
        words::ToolCallChunk::new().with_delta(long.as_str()).into(),
        words::ReasoningMessageChunk::new()
            .with_delta(long.as_str())
            .into(),
        words::ReasoningEncryptedValue::of_message("m", long.as_str()).into(),
        words::StateSnapshot::new(deep.clone()).into(),
        words::StateDelta::new(vec![words::PatchOperation::add(
            words::JsonPointer::root(),
            deep.clone(),
        )])
        .into(),
        words::ActivitySnapshot::new("m", "a", crate::shapes::object(deep.clone())).into(),
        words::ActivityDelta::new(
            "m",
            "a",
            vec![words::PatchOperation::add(
                words::JsonPointer::root(),
                deep.clone(),
            )],
        )
        .into(),
        words::MessagesSnapshot::new(vec![Message::user("m", long.as_str())]).into(),
        words::ToolCallResult::new("m", "c", long.as_str()).into(),
        words::ToolCallResult::new("m", "c", vec![ContentPart::text(long.as_str())]).into(),
        words::Raw::new(deep.clone()).into(),
        words::Custom::new("a", deep.clone()).into(),
        RunFinished::new("t", "r").with_result(deep.clone()).into(),
        words::SubagentFinished::new("s")
            .with_result(deep.clone())
            .into(),
        words::RunStarted::new("t", "r")
            .with_input(words::RunAgentInput::new("t", "r").with_state(deep))
            .into(),
        tag(SubagentStarted::new("s", "a").into()),
        tag(words::StepStarted::new("a").into()),
    ] {
        let weight = event.weight();
        assert!(
            (10_000..11_000).contains(&weight),
            "{} weighs {weight}",
            event.event_type()
        );
    }
}

#[test]
fn capabilities_are_written_as_declared() {
    assert_eq!(
        serde_json::to_string(&AgentCapabilities::default()).unwrap(),
        "{}"
    );
    let mut capabilities = AgentCapabilities::default();
    let mut identity = IdentityCapabilities::default();
    identity.kind = Some("librarian".to_owned());
    identity.documentation_url = Some("https://a.example".to_owned());
    let mut tools = ToolsCapabilities::default();
    tools.items = Some(vec![Tool::new("search", "Looks.")]);
    let mut agents = MultiAgentCapabilities::default();
    agents.subagents = Some(vec![
        SubagentInfo::new("a").with_description("b"),
        SubagentInfo::new("c"),
    ]);
    let mut execution = ExecutionCapabilities::default();
    execution.max_execution_time = Some(60_000);
    capabilities.identity = Some(identity);
    capabilities.tools = Some(tools);
    capabilities.multi_agent = Some(agents);
    capabilities.execution = Some(execution);
    let json = serde_json::to_string(&capabilities).unwrap();
    assert_eq!(
        json,
        r#"{"identity":{"type":"librarian","documentationUrl":"https://a.example"},"tools":{"items":[{"name":"search","description":"Looks."}]},"multiAgent":{"subagents":[{"name":"a","description":"b"},{"name":"c"}]},"execution":{"maxExecutionTime":60000}}"#
    );
    assert_eq!(
        serde_json::from_str::<AgentCapabilities>(&json).unwrap(),
        capabilities
    );
    for execution in [
        r#"{"maxIterations":1e1}"#,
        r#"{"maxIterations":null}"#,
        "{}",
    ] {
        assert!(
            serde_json::from_str::<ExecutionCapabilities>(execution).is_ok(),
            "{execution}"
        );
    }
    for execution in [r#"{"maxIterations":-1}"#, r#"{"maxIterations":1.5}"#] {
        assert!(
            serde_json::from_str::<ExecutionCapabilities>(execution).is_err(),
            "{execution}"
        );
    }
}
