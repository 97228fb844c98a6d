//! What events and input are made of, each with every member set, and the exact JSON.

use apron_protocol::{
    ActivityMessage, AssistantMessage, ContentPart, Context, InstructionMessage, Interrupt,
    JsonPointer, MediaPart, Message, PartSource, PatchOperation, ReasoningMessage, ResumeEntry,
    RunAgentInput, TextPart, TokenUsage, Tool, ToolCall, ToolMessage, UserMessage,
};
use serde_json::{Map, Value, json};

/// The object inside `value`.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("no object: {other}"),
    }
}

pub(crate) fn usage() -> TokenUsage {
    let mut usage = TokenUsage::new("openai", "gpt-5-mini");
    usage.input_tokens = Some(10);
    usage.output_tokens = Some(20);
    usage.total_tokens = Some(30);
    usage.reasoning_tokens = Some(5);
    usage.cached_input_tokens = Some(0);
    usage.cache_write_input_tokens = Some(9_007_199_254_740_991);
    usage
}
pub(crate) const USAGE: &str = r#"{"provider":"openai","model":"gpt-5-mini","inputTokens":10,"outputTokens":20,"totalTokens":30,"reasoningTokens":5,"cachedInputTokens":0,"cacheWriteInputTokens":9007199254740991}"#;

pub(crate) fn interrupt() -> Interrupt {
    Interrupt::new("i1", "tool_call")
        .with_message("Go on?")
        .with_tool_call_id("c1")
        .with_response_schema(object(json!({ "default": null })))
        .with_expires_at("2027-01-31T12:00:00Z")
        .with_metadata("key", Value::Null)
        .with_subagent_run_id("s1")
}
pub(crate) const INTERRUPT: &str = r#"{"id":"i1","reason":"tool_call","message":"Go on?","toolCallId":"c1","responseSchema":{"default":null},"expiresAt":"2027-01-31T12:00:00Z","metadata":{"key":null},"subagentRunId":"s1"}"#;

pub(crate) fn parts() -> Vec<ContentPart> {
    let url = PartSource::Url {
        value: "https://a.example/b.wav".to_owned(),
        mime_type: Some("audio/wav".to_owned()),
    };
    let file = PartSource::File {
        value: "file-1".to_owned(),
        provider: Some("openai".to_owned()),
        mime_type: Some("video/mp4".to_owned()),
    };
    vec![
        TextPart::new("Look:")
            .with_id("p1")
            .with_metadata(json!([null]))
            .into(),
        ContentPart::Image(
            MediaPart::new(PartSource::data("QUJD", "image/png"))
                .with_id("p2")
                .with_metadata(1),
        ),
        ContentPart::Audio(MediaPart::new(url)),
        ContentPart::Video(MediaPart::new(file)),
        ContentPart::Document(MediaPart::new(PartSource::file("file-2"))),
        ContentPart::text(""),
    ]
}
pub(crate) const PARTS: &str = r#"[{"type":"text","text":"Look:","id":"p1","metadata":[null]},{"type":"image","source":{"type":"data","value":"QUJD","mimeType":"image/png"},"id":"p2","metadata":1},{"type":"audio","source":{"type":"url","value":"https://a.example/b.wav","mimeType":"audio/wav"}},{"type":"video","source":{"type":"file","value":"file-1","provider":"openai","mimeType":"video/mp4"}},{"type":"document","source":{"type":"file","value":"file-2"}},{"type":"text","text":""}]"#;

pub(crate) fn operations() -> Vec<PatchOperation> {
    let place = |text: &str| text.parse::<JsonPointer>().unwrap();
    let mut with_more = PatchOperation::add(place("/a"), Value::Null);
    if let PatchOperation::Add(operation) = &mut with_more {
        operation.extra.insert("by".to_owned(), Value::Null);
    }
    vec![
        with_more,
        PatchOperation::replace(JsonPointer::root(), json!({})),
        PatchOperation::test(place("/a~1b/~0"), 1.5),
        PatchOperation::remove(place("/a/0")),
        PatchOperation::move_value(place("/a"), place("/b")),
        PatchOperation::copy_value(place("/b"), place("/c/-")),
    ]
}
pub(crate) const OPERATIONS: &str = r#"[{"op":"add","path":"/a","value":null,"by":null},{"op":"replace","path":"","value":{}},{"op":"test","path":"/a~1b/~0","value":1.5},{"op":"remove","path":"/a/0"},{"op":"move","from":"/a","path":"/b"},{"op":"copy","from":"/b","path":"/c/-"}]"#;

/// One message of each role with every member, then one of each that may be bare.
pub(crate) fn messages() -> Vec<Message> {
    let instruction = |id: &str| {
        InstructionMessage::new(id, "Be kind.")
            .with_name("Ada")
            .with_encrypted_value("opaque")
            .with_metadata("key", Value::Null)
            .with_subagent_run_id("s1")
    };
    vec![
        Message::Developer(instruction("m1")),
        Message::System(instruction("m2")),
        AssistantMessage::new("m3")
            .with_content("I look.")
            .with_tool_call(
                ToolCall::new("c1", "search", "{")
                    .with_encrypted_value("opaque")
                    .with_metadata("key", Value::Null),
            )
            .with_name("Ada")
            .with_encrypted_value("opaque")
            .with_metadata("key", Value::Null)
            .with_subagent_run_id("s1")
            .into(),
        UserMessage::new("m4", parts())
            .with_name("Ada")
            .with_encrypted_value("opaque")
            .with_metadata("key", Value::Null)
            .with_subagent_run_id("s1")
            .into(),
        ToolMessage::new("m5", "c1", parts())
            .with_error("timeout")
            .with_encrypted_value("opaque")
            .with_metadata("key", Value::Null)
            .with_subagent_run_id("s1")
            .into(),
        ActivityMessage::new("m6", "plan", object(json!({ "done": null })))
            .with_metadata("key", Value::Null)
            .with_subagent_run_id("s1")
            .into(),
        ReasoningMessage::new("m7", "Hm.")
            .with_encrypted_value("opaque")
            .with_metadata("key", Value::Null)
            .with_subagent_run_id("s1")
            .into(),
        AssistantMessage::new("m8").into(),
        Message::user("m9", ""),
    ]
}
pub(crate) const MESSAGES: &str = concat!(
    r#"[{"role":"developer","id":"m1","content":"Be kind.","name":"Ada","encryptedValue":"opaque","metadata":{"key":null},"subagentRunId":"s1"},"#,
    r#"{"role":"system","id":"m2","content":"Be kind.","name":"Ada","encryptedValue":"opaque","metadata":{"key":null},"subagentRunId":"s1"},"#,
    r#"{"role":"assistant","id":"m3","content":"I look.","toolCalls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{"},"encryptedValue":"opaque","metadata":{"key":null}}],"name":"Ada","encryptedValue":"opaque","metadata":{"key":null},"subagentRunId":"s1"},"#,
    r#"{"role":"user","id":"m4","content":[{"type":"text","text":"Look:","id":"p1","metadata":[null]},{"type":"image","source":{"type":"data","value":"QUJD","mimeType":"image/png"},"id":"p2","metadata":1},{"type":"audio","source":{"type":"url","value":"https://a.example/b.wav","mimeType":"audio/wav"}},{"type":"video","source":{"type":"file","value":"file-1","provider":"openai","mimeType":"video/mp4"}},{"type":"document","source":{"type":"file","value":"file-2"}},{"type":"text","text":""}],"name":"Ada","encryptedValue":"opaque","metadata":{"key":null},"subagentRunId":"s1"},"#,
    r#"{"role":"tool","id":"m5","toolCallId":"c1","content":[{"type":"text","text":"Look:","id":"p1","metadata":[null]},{"type":"image","source":{"type":"data","value":"QUJD","mimeType":"image/png"},"id":"p2","metadata":1},{"type":"audio","source":{"type":"url","value":"https://a.example/b.wav","mimeType":"audio/wav"}},{"type":"video","source":{"type":"file","value":"file-1","provider":"openai","mimeType":"video/mp4"}},{"type":"document","source":{"type":"file","value":"file-2"}},{"type":"text","text":""}],"error":"timeout","encryptedValue":"opaque","metadata":{"key":null},"subagentRunId":"s1"},"#,
    r#"{"role":"activity","id":"m6","activityType":"plan","content":{"done":null},"metadata":{"key":null},"subagentRunId":"s1"},"#,
    r#"{"role":"reasoning","id":"m7","content":"Hm.","encryptedValue":"opaque","metadata":{"key":null},"subagentRunId":"s1"},"#,
    r#"{"role":"assistant","id":"m8"},{"role":"user","id":"m9","content":""}]"#,
);

pub(crate) fn input() -> RunAgentInput {
    let mut input = RunAgentInput::new("t1", "r1")
        .with_parent_run_id("r0")
        .with_state(json!({ "a": null }))
        .with_tool(
            Tool::new("search", "Looks.")
                .with_parameters(json!({ "default": null }))
                .with_metadata("key", Value::Null),
        )
        .with_tool(Tool::new("bare", ""))
        .with_context(Context::new("now", "noon"))
        .with_forwarded_props(json!([null]))
        .with_resume(ResumeEntry::resolved("i1", json!([null])).with_metadata("key", Value::Null))
        .with_resume(ResumeEntry::cancelled("i2"));
    input.messages = vec![Message::user("m1", "Hi"), Message::system("m2", "Be kind.")];
    input
}
pub(crate) const INPUT: &str = concat!(
    r#"{"threadId":"t1","runId":"r1","protocolVersion":"1.0","parentRunId":"r0","state":{"a":null},"#,
    r#""messages":[{"role":"user","id":"m1","content":"Hi"},{"role":"system","id":"m2","content":"Be kind."}],"#,
    r#""tools":[{"name":"search","description":"Looks.","parameters":{"default":null},"metadata":{"key":null}},{"name":"bare","description":""}],"#,
    r#""context":[{"description":"now","value":"noon"}],"forwardedProps":[null],"#,
    r#""resume":[{"interruptId":"i1","status":"resolved","payload":[null],"metadata":{"key":null}},{"interruptId":"i2","status":"cancelled"}]}"#,
);
