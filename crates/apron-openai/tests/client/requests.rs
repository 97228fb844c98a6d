//! What goes over the wire, and what comes back when all is well.

use apron_openai::Client;
use apron_openai::chat::{self, Flavor};
use apron_protocol::{Event, Message, RunAgentInput, Tool};
use async_openai::config::{AzureConfig, OpenAIConfig};
use reqwest::header::{HeaderValue, ORIGIN};
use serde_json::{Value, json};

use crate::support::{
    Provider, answer, end, finished, header, input, play_events, request, stream, text,
};

fn good() -> Vec<crate::support::Step> {
    let mut script = stream(&finished("Hello"));
    script.push(end());
    script
}

#[tokio::test]
async fn a_request_goes_out_and_its_answer_comes_in() {
    let mut provider = Provider::start(vec![good()]).await;
    let response = provider
        .client()
        .chat(request().max_tokens(9))
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.request_id(), Some("req_1"));
    assert_eq!(response.content_type(), Some("text/event-stream"));
    assert_eq!(response.header("transfer-encoding"), Some("chunked"));
    let (events, failure) = play_events(&input(), response).await;
    assert!(failure.is_none());
    assert_eq!(text(&events), "Hello");

    let (head, body) = Provider::request(provider.saw().await);
    assert!(
        head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"),
        "{head}"
    );
    assert_eq!(header(&head, "authorization"), Some("Bearer key"));
    assert_eq!(header(&head, "content-type"), Some("application/json"));
    assert!(
        header(&head, "accept")
            .unwrap()
            .contains("text/event-stream")
    );
    assert!(
        header(&head, "user-agent")
            .unwrap()
            .starts_with("apron-openai/")
    );
    // Whoever is not OpenAI gets the other spelling, without being told.
    let expected = request().max_tokens(9).flavor(Flavor::Compatible).to_body();
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
    assert_eq!(expected["max_tokens"], 9);
}

#[tokio::test]
async fn a_slash_at_the_end_of_the_base_does_no_harm() {
    let mut provider = Provider::start(vec![good()]).await;
    let config = OpenAIConfig::new().with_api_base(format!("{}/", provider.base));
    let _ = Client::new(config.with_api_key("k"))
        .chat(request())
        .await
        .unwrap();
    let (head, _) = Provider::request(provider.saw().await);
    assert!(head.starts_with("POST /v1/chat/completions "), "{head}");
}

#[tokio::test]
async fn azure_is_asked_by_deployment_and_version() {
    let mut provider = Provider::start(vec![good()]).await;
    let config = AzureConfig::new()
        .with_api_base(provider.base.trim_end_matches("/v1"))
        .with_deployment_id("gpt")
        .with_api_version("2024-10-21")
        .with_api_key("azure-key");
    let client = Client::builder(config).flavor(Flavor::OpenAi).build();
    let _ = client.chat(request().max_tokens(9)).await.unwrap();
    let (head, body) = Provider::request(provider.saw().await);
    assert!(
        head.starts_with("POST /openai/deployments/gpt/chat/completions?api-version=2024-10-21 "),
        "{head}"
    );
    assert_eq!(header(&head, "api-key"), Some("azure-key"));
    assert!(body.contains("\"max_completion_tokens\":9"));
}

#[tokio::test]
async fn a_request_says_who_it_is_by_its_own_headers_first() {
    let mut provider = Provider::start(vec![good()]).await;
    let config = OpenAIConfig::new()
        .with_api_base(&provider.base)
        .with_api_key("k");
    let config = config.with_header("user-agent", "mine").unwrap();
    let _ = Client::new(config).chat(request()).await.unwrap();
    let (head, _) = Provider::request(provider.saw().await);
    assert_eq!(header(&head, "user-agent"), Some("mine"));
}

#[tokio::test]
async fn a_call_that_is_not_polled_sends_nothing() {
    let mut provider = Provider::start(vec![good()]).await;
    let client = provider.client();
    drop(client.chat(request()));
    let response = client.chat(request()).await.unwrap();
    assert_eq!(provider.count(), 1);
    drop(response);
}

#[tokio::test]
async fn a_request_that_must_not_be_sent_is_not_sent() {
    let mut provider = Provider::start(vec![good()]).await;
    let input = input()
        .with_tool(Tool::new("f", ""))
        .with_tool(Tool::new("f", ""));
    let failure = provider
        .client()
        .chat(chat::request(&input, "m"))
        .await
        .unwrap_err();
    assert_eq!(failure.code(), "invalid_request");
    assert!(failure.cause().unwrap().is::<chat::Refusal>());
    assert_eq!(provider.count(), 0);
}

#[tokio::test]
async fn tools_come_back_under_the_names_that_the_client_knows() {
    let call = json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "delta": {"tool_calls":
        [{"index": 0, "id": "a", "function": {"name": "my_tool", "arguments": "{}"}}]}}]});
    let mut script = stream(&format!("data: {call}\n\ndata: [DONE]\n\n"));
    script.push(end());
    let mut provider = Provider::start(vec![script]).await;
    let input = input().with_tool(Tool::new("my.tool", ""));
    let response = provider
        .client()
        .chat(chat::request(&input, "m"))
        .await
        .unwrap();
    assert_eq!(response.tool_names().original("my_tool"), "my.tool");
    let (events, failure) = play_events(&input, response).await;
    assert!(failure.is_none());
    let name = events.iter().find_map(|event| match event {
        Event::ToolCallStart(start) => Some(start.tool_call_name.clone()),
        _ => None,
    });
    assert_eq!(name.as_deref(), Some("my.tool"));
    // The client runs it: nobody has answered the call.
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, Event::ToolCallResult(_)))
    );
    let (_, body) = Provider::request(provider.saw().await);
    assert!(body.contains("\"my_tool\"") && !body.contains("my.tool"));
}

#[tokio::test]
async fn what_the_provider_ran_itself_is_left_out_of_the_next_request() {
    let tool = json!({"choices": [{"index": 0, "delta": {"executed_tools": [
        {"index": 0, "type": "search", "arguments": "{\"q\":\"x\"}", "output": "found"}]}}]});
    let mut script = stream(&format!("data: {tool}\n\n{}", finished("It is so.")));
    script.push(end());
    let provider = Provider::start(vec![script]).await;
    let response = provider.client().chat(request()).await.unwrap();
    let (events, _) = play_events(&input(), response).await;
    let start = events
        .iter()
        .find(|event| matches!(event, Event::ToolCallStart(_)));
    // The client keeps the call with the metadata of its start, and sends both back.
    let start = serde_json::to_value(start.unwrap()).unwrap();
    let next = json!({"threadId": "t", "runId": "r2", "messages": [
        {"id": "1", "role": "user", "content": "Hi"},
        {"id": "2", "role": "assistant", "content": "It is so.", "toolCalls": [
            {"id": start["toolCallId"], "type": "function", "metadata": start["metadata"],
             "function": {"name": start["toolCallName"], "arguments": "{\"q\":\"x\"}"}}]},
        {"id": "3", "role": "tool", "toolCallId": start["toolCallId"], "content": "found"},
    ]});
    let (next, _) = RunAgentInput::from_slice(next.to_string().as_bytes()).unwrap();
    let request = chat::request(&next, "m");
    assert_eq!(request.repairs().count(chat::Repair::HostedCall), 1);
    assert_eq!(
        request.to_body()["messages"],
        json!([
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "It is so."},
        ])
    );
}

#[tokio::test]
async fn an_answer_that_is_one_json_document_is_an_answer() {
    let body = json!({"choices": [{"index": 0, "finish_reason": "stop",
                                   "message": {"role": "assistant", "content": "whole"}}]});
    let script = answer(200, "content-type: application/json\r\n", &body.to_string());
    let provider = Provider::start(vec![script]).await;
    let response = provider.client().chat(request()).await.unwrap();
    assert_eq!(response.content_type(), Some("application/json"));
    let (events, failure) = play_events(&input(), response).await;
    assert!(failure.is_none());
    assert_eq!(text(&events), "whole");
}

#[tokio::test]
async fn a_client_of_ones_own_is_used() {
    let mut provider = Provider::start(vec![good()]).await;
    let http = reqwest::Client::builder()
        .default_headers(
            [(ORIGIN, HeaderValue::from_static("mine"))]
                .into_iter()
                .collect(),
        )
        .no_proxy();
    // This machine may have no certificates.
    #[cfg(feature = "rustls")]
    let http = http.tls_certs_only([]);
    let config = OpenAIConfig::new()
        .with_api_base(&provider.base)
        .with_api_key("k");
    let client = Client::builder(config)
        .http_client(http.build().unwrap())
        .build();
    let _ = client.chat(request()).await.unwrap();
    let (head, _) = Provider::request(provider.saw().await);
    assert_eq!(header(&head, "origin"), Some("mine"));
}

#[tokio::test]
async fn a_client_can_be_used_from_several_tasks_and_outlived_by_its_calls() {
    let mut provider = Provider::start(vec![good()]).await;
    let client = provider.client();
    let calls: Vec<_> = (0..8)
        .map(|at| {
            let input =
                RunAgentInput::new("t", "r").with_message(Message::user("1", at.to_string()));
            tokio::spawn(client.chat(chat::request(&input, "m")))
        })
        .collect();
    drop(client);
    for call in calls {
        let (events, _) = play_events(&input(), call.await.unwrap().unwrap()).await;
        assert_eq!(text(&events), "Hello");
    }
    assert_eq!(provider.count(), 8);
}
