//! Tools, options and what a client may choose, on the body that goes out.

use apron_openai::chat::{
    self, ChatRequest, ClientContext, Flavor, InstructionRole, Refusal, Repair, ToolChoice,
};
use apron_protocol::{Context, Message, RunAgentInput, Tool};
use serde_json::{Value, json};

fn input() -> RunAgentInput {
    RunAgentInput::new("t", "r").with_message(Message::user("1", "Hi"))
}

fn request() -> ChatRequest {
    chat::request(&input(), "m")
}

fn with_props(props: Value) -> ChatRequest {
    let mut input = input().with_tool(Tool::new("my.tool", ""));
    input.forwarded_props = Some(props);
    chat::request(&input, "m")
}

fn names(request: &ChatRequest) -> Vec<String> {
    let body = request.to_body();
    let tools = body["tools"].as_array().unwrap();
    let name = |tool: &Value| tool["function"]["name"].as_str().unwrap().to_owned();
    tools.iter().map(name).collect()
}

#[test]
fn a_request_streams_and_asks_for_usage_unless_told_not_to() {
    let body = request().to_body();
    assert_eq!(body["stream"], true);
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    assert!(body.get("tools").is_none());
    let body = request().without_usage().to_body();
    assert!(body.get("stream_options").is_none());
    let body = request().extra("stream_options", json!({"x": 1})).to_body();
    assert_eq!(body["stream_options"], json!({"x": 1}));
}

#[test]
fn parameters_are_set_and_removed_but_the_frame_is_not() {
    let body = request()
        .temperature(0.5)
        .extra("seed", 7)
        .extra("top_p", 0.9)
        .extra("top_p", Value::Null)
        .extra("stream", false)
        .extra("messages", json!([]))
        .extra("model", "x")
        .extra("n", 3)
        .to_body();
    assert_eq!(body["temperature"], 0.5);
    assert_eq!(body["seed"], 7);
    assert_eq!(body["stream"], true);
    assert_eq!(body["model"], "m");
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    assert!(body.get("top_p").is_none() && body.get("n").is_none());
}

#[test]
fn the_output_limit_has_the_flavors_name() {
    let limited = request().max_tokens(100);
    assert_eq!(limited.to_body()["max_completion_tokens"], 100);
    let body = limited.flavor(Flavor::Compatible).to_body();
    assert_eq!(body["max_tokens"], 100);
    assert!(body.get("max_completion_tokens").is_none());
}

#[test]
fn a_body_is_the_same_serialised_and_as_a_value() {
    let request = request().system("s").temperature(0.1);
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap(),
        request.to_body()
    );
}

#[test]
fn schemas_are_made_readable_for_every_provider() {
    let schema = json!({"$schema": "x", "type": "object", "properties": {"a": {"type": "string"}},
                        "required": ["a"]});
    let cases = [
        (
            schema,
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        ),
        (Value::Null, json!({"type": "object", "properties": {}})),
        (json!({}), json!({"type": "object", "properties": {}})),
        (
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}}),
        ),
        (json!(true), json!({"type": "object", "properties": {}})),
    ];
    for (schema, expected) in cases {
        let body = request()
            .tool(Tool::new("f", "d").with_parameters(schema))
            .to_body();
        let function = json!({"name": "f", "description": "d", "parameters": expected});
        assert_eq!(
            body["tools"],
            json!([{"type": "function", "function": function}])
        );
    }
}

#[test]
fn strict_is_said_of_tools_that_can_be_strict() {
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}},
                        "required": ["a"], "additionalProperties": false});
    let open_inside = json!({"type": "object", "properties": {"a": {"type": "object", "properties": {}}},
                             "required": ["a"], "additionalProperties": false});
    let body = request()
        .strict_tools()
        .tool(Tool::new("closed", "").with_parameters(closed))
        .tool(Tool::new("inside", "").with_parameters(open_inside))
        .tool(Tool::new("none", ""))
        .to_body();
    let strict: Vec<_> = (0..3)
        .map(|at| &body["tools"][at]["function"]["strict"])
        .collect();
    assert_eq!(strict, [true, false, false]);
}

#[test]
fn names_of_tools_are_spelled_for_the_provider_and_come_back() {
    let input = RunAgentInput::from_slice(
        json!({"threadId": "t", "runId": "r",
               "tools": [{"name": "my.tool", "description": ""}, {"name": "my_tool", "description": ""}],
               "messages": [
                   {"id": "1", "role": "assistant", "toolCalls": [{"id": "a", "type": "function",
                       "function": {"name": "my.tool", "arguments": "{}"}}]},
                   {"id": "2", "role": "tool", "toolCallId": "a", "content": "A"}]})
        .to_string()
        .as_bytes(),
    );
    let request =
        chat::request(&input.unwrap().0, "m").tool_choice(ToolChoice::Tool("my.tool".into()));
    let body = request.to_body();
    assert_eq!(names(&request), ["my_tool_2", "my_tool"]);
    assert_eq!(
        body["messages"][0]["tool_calls"][0]["function"]["name"],
        "my_tool_2"
    );
    assert_eq!(
        body["tool_choice"],
        json!({"type": "function", "function": {"name": "my_tool_2"}})
    );
    assert_eq!(request.tool_names().original("my_tool_2"), "my.tool");
    assert_eq!(request.tool_names().original("my_tool"), "my_tool");
    assert_eq!(request.repairs().count(Repair::ToolName), 1);
}

#[test]
fn a_tool_of_the_server_shadows_the_clients() {
    let input = input()
        .with_tool(Tool::new("f", "evil"))
        .with_tool(Tool::new("g", ""));
    let request = chat::request(&input, "m").tool(Tool::new("f", "good"));
    assert_eq!(names(&request), ["f", "g"]);
    assert_eq!(
        request.to_body()["tools"][0]["function"]["description"],
        "good"
    );
    assert_eq!(request.repairs().count(Repair::ShadowedTool), 1);
    assert_eq!(request.check(), Ok(()));
}

#[test]
fn two_tools_of_one_name_refuse_the_request() {
    let twice = Refusal::DuplicateTool { name: "f".into() };
    let input = input()
        .with_tool(Tool::new("f", ""))
        .with_tool(Tool::new("f", ""));
    let refused = chat::request(&input, "m");
    assert_eq!(refused.check(), Err(twice.clone()));
    assert_eq!(names(&refused), ["f"], "what is sent all the same is whole");
    let refused = request().tool(Tool::new("f", "")).tool(Tool::new("f", ""));
    assert_eq!(refused.check(), Err(twice));
}

#[test]
fn more_tools_than_providers_take_refuse_the_request() {
    let with = |count: usize| {
        let tools = (0..count).map(|at| Tool::new(format!("f{at}"), ""));
        tools.fold(request(), ChatRequest::tool).check()
    };
    assert_eq!(with(128), Ok(()));
    assert_eq!(with(129), Err(Refusal::TooManyTools { count: 129 }));
}

#[test]
fn choices_of_tools_are_left_out_without_tools() {
    let choosing = request()
        .tool_choice(ToolChoice::Required)
        .parallel_tool_calls(false);
    let body = choosing.to_body();
    assert!(body.get("tool_choice").is_none() && body.get("parallel_tool_calls").is_none());
    let body = choosing.tool(Tool::new("f", "")).to_body();
    assert_eq!(
        (&body["tool_choice"], &body["parallel_tool_calls"]),
        (&json!("required"), &json!(false))
    );
}

#[test]
fn instructions_take_the_role_that_the_provider_knows() {
    let mut input = RunAgentInput::from_slice(
        br#"{"threadId":"t","runId":"r","messages":[{"id":"1","role":"developer","content":"D"},
            {"id":"2","role":"user","content":"Hi"},{"id":"3","role":"system","content":"S"}]}"#,
    )
    .unwrap()
    .0;
    input.context.push(Context::new("page", "home"));
    let request = chat::request(&input, "m").system("Be kind.");
    let roles = |request: &ChatRequest| {
        let body = request.to_body();
        let messages = body["messages"].as_array().unwrap().clone();
        let role = |message: &Value| message["role"].as_str().unwrap().to_owned();
        messages.iter().map(role).collect::<Vec<_>>()
    };
    assert_eq!(
        roles(&request),
        ["system", "system", "developer", "user", "system"]
    );
    let developer = request.clone().instruction_role(InstructionRole::Developer);
    assert_eq!(
        roles(&developer),
        ["developer", "developer", "developer", "user", "developer"]
    );
    let user = request.clone().instruction_role(InstructionRole::User);
    assert_eq!(roles(&user), ["user"; 5]);
    let compatible = request.flavor(Flavor::Compatible);
    assert_eq!(roles(&compatible), ["system", "user", "system"]);
    assert_eq!(
        compatible.to_body()["messages"][0]["content"],
        "Be kind.\n\nContext from the application:\n\npage: home\n\nD"
    );
    assert_eq!(compatible.repairs().count(Repair::MergedInstructions), 2);
}

#[test]
fn context_can_be_left_out() {
    let mut input = input();
    input.context.push(Context::new("page", "home"));
    let request = chat::request(&input, "m").client_context(ClientContext::Drop);
    assert_eq!(request.to_body()["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn a_client_sets_what_the_server_allows_by_name() {
    let request = with_props(json!({
        "temperature": 1, "top_p": 0.5, "stop": ["a"], "reasoning_effort": "low",
        "tool_choice": {"type": "function", "function": {"name": "my.tool"}, "x": 1},
    }));
    let body = request
        .temperature(0.2)
        .forward(["temperature", "stop", "tool_choice", "absent"])
        .to_body();
    assert_eq!(body["temperature"], 1);
    assert_eq!(body["stop"], json!(["a"]));
    assert_eq!(
        body["tool_choice"],
        json!({"type": "function", "function": {"name": "my_tool"}})
    );
    assert!(body.get("top_p").is_none() && body.get("reasoning_effort").is_none());
}

#[test]
fn a_forwarded_value_of_the_wrong_type_refuses_the_request() {
    for (key, value) in [
        ("temperature", json!("hot")),
        ("seed", json!(1.5)),
        ("stop", json!(["a", "b", "c", "d", "e"])),
        ("stop", json!([1])),
        ("parallel_tool_calls", json!("yes")),
        ("reasoning_effort", json!(3)),
        ("tool_choice", json!("anything")),
        ("tool_choice", json!({})),
        ("max_tokens", json!(-1)),
        ("max_tokens", json!(0)),
        ("max_tokens", json!("many")),
    ] {
        let request = with_props(json!({key: value})).forward([key]);
        let refusal = Refusal::ForwardedProp {
            key: key.to_owned(),
        };
        assert_eq!(request.check(), Err(refusal), "{value}");
        assert!(
            request.to_body().get(key).is_none(),
            "what is sent all the same is whole"
        );
    }
    let absent = with_props(json!({"temperature": null})).forward(["temperature"]);
    assert_eq!(absent.check(), Ok(()));
}

#[test]
fn a_client_can_lower_the_output_limit_and_not_raise_it() {
    let limit = |props: Value, server: Option<u32>| {
        let mut request = with_props(props).forward(["max_tokens"]);
        if let Some(server) = server {
            request = request.max_tokens(server);
        }
        request.to_body()["max_completion_tokens"].clone()
    };
    assert_eq!(limit(json!({"max_tokens": 50}), Some(100)), 50);
    assert_eq!(limit(json!({"max_tokens": 500}), Some(100)), 100);
    assert_eq!(limit(json!({"max_tokens": 500}), None), 500);
    assert_eq!(
        limit(json!({"max_completion_tokens": 50}), Some(100)),
        100,
        "not allowed"
    );
}

#[test]
fn a_client_chooses_among_the_servers_models_only() {
    let model = |wish: &str| {
        let request = with_props(json!({"model": wish})).forward_model(["m2", "m3"]);
        request.to_body()["model"].clone()
    };
    assert_eq!(model("m3"), "m3");
    assert_eq!(model("gpt-expensive"), "m");
    assert_eq!(with_props(json!({"model": "m2"})).to_body()["model"], "m");
}

#[test]
fn hashbrowns_schema_becomes_the_response_format_when_the_server_wants_it() {
    let schema = json!({"type": "object", "properties": {}});
    let request = with_props(json!({"hashbrown": {"responseSchema": schema, "ui": true}}));
    assert!(request.to_body().get("response_format").is_none());
    assert_eq!(request.repairs().count(Repair::IgnoredSchema), 1);
    let request = request.client_response_schema();
    assert_eq!(
        request.to_body()["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "schema", "strict": true, "schema": schema}})
    );
    assert!(
        !request
            .repairs()
            .iter()
            .any(|(repair, _)| repair == Repair::IgnoredSchema)
    );
    let broken = with_props(json!({"hashbrown": {"responseSchema": "x"}})).client_response_schema();
    assert_eq!(broken.check(), Err(Refusal::ResponseSchema));
    assert_eq!(
        with_props(json!({"hashbrown": {}}))
            .client_response_schema()
            .check(),
        Ok(())
    );
}

#[test]
fn a_request_prints_no_word_of_the_conversation() {
    let request = request().system("canary").extra("user", "canary");
    assert_eq!(
        format!("{request:?}"),
        "ChatRequest { model: \"m\", messages: 1, tools: 0, .. }"
    );
}
