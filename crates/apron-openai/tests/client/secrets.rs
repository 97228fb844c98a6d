//! Secrets are planted everywhere, and no failure says one.

use apron_emit::Failure;
use apron_openai::{Client, chat};
use apron_protocol::{Message, RunAgentInput, Tool};
use async_openai::config::{Config, OpenAIConfig};

use crate::support::{Provider, Step, answer, error, play_events, says, stream};

const CANARIES: [&str; 7] = [
    "sk-canary-key",
    "org-canary",
    "canary-path",
    "canary-password",
    "canary-prompt",
    "canary-tool",
    "canary-provider",
];

#[track_caller]
fn check_text(what: &str, text: &str) {
    for canary in CANARIES {
        assert!(!text.contains(canary), "{what} says {canary}: {text}");
    }
    assert!(
        !text.contains("127.0.0.1"),
        "{what} says the address: {text}"
    );
}

/// Nothing that goes to the client, or is printed in passing, says a secret.
#[track_caller]
fn check(failure: &Failure) {
    check_text("the code", failure.code());
    check_text("the message", failure.message());
    check_text("the failure", &failure.to_string());
}

fn input() -> RunAgentInput {
    RunAgentInput::new("t", "r")
        .with_message(Message::user("1", "canary-prompt"))
        .with_tool(Tool::new("canary-tool", "canary-tool"))
}

fn config(address: &str) -> OpenAIConfig {
    OpenAIConfig::new()
        .with_api_base(format!("http://user:canary-password@{address}/canary-path"))
        .with_api_key("sk-canary-key")
        .with_org_id("org-canary")
}

/// Calls a provider, and reads what it answers.
async fn call(client: &Client) -> Option<Failure> {
    match client.chat(chat::request(&input(), "m")).await {
        Ok(response) => {
            check_text("the answer", &format!("{response:?}"));
            play_events(&input(), response).await.1
        }
        Err(failure) => Some(failure),
    }
}

const PROSE: &str = r#"{"error":{"message":"Incorrect API key sk-canary-key of org-canary for canary-prompt, canary-provider","type":"canary-provider","code":"canary-provider"}}"#;

#[tokio::test]
async fn no_failure_says_a_secret() {
    let data = |text: &str| stream(&format!("{}data: {text}\n\n", says("canary-provider")));
    let scripts: Vec<Vec<Step>> = vec![
        error(400, PROSE),
        error(401, PROSE),
        error(403, "canary-provider sk-canary-key"),
        error(404, PROSE),
        error(422, r#"{"detail":"canary-provider sk-canary-key"}"#),
        error(429, PROSE),
        error(500, "canary-provider"),
        error(503, PROSE),
        answer(200, "content-type: text/html\r\n", "<p>canary-provider"),
        answer(
            302,
            "location: http://canary-provider/sk-canary-key\r\n",
            "canary-provider",
        ),
        answer(
            429,
            "x-request-id: canary-provider\r\nretry-after: 3600\r\n",
            PROSE,
        ),
        answer(200, "content-type: application/json\r\n", PROSE),
        answer(200, "content-type: application/json\r\n", "canary-provider"),
        vec![],
        vec![Step::Send(b"canary-provider\r\n\r\n".to_vec())],
        data(PROSE),
        data("canary-provider"),
        data("{\"canary-provider\":"),
        stream(&says("canary-provider")),
        stream("error: canary-provider\n\n"),
    ];
    for script in scripts {
        let provider = Provider::start(vec![script]).await;
        let address = provider
            .base
            .trim_start_matches("http://")
            .trim_end_matches("/v1");
        let client = Client::builder(config(address)).retries(0).build();
        check_text("the client", &format!("{client:?}"));
        check(&call(&client).await.expect("each of them fails"));
    }
}

#[tokio::test]
async fn a_provider_that_cannot_be_reached_is_not_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let builder = Client::builder(config(&address)).retries(0);
    check_text("the builder", &format!("{builder:?}"));
    check(&call(&builder.build()).await.unwrap());
}

#[tokio::test]
async fn a_configuration_that_cannot_be_used_is_not_repeated() {
    let bad = [
        OpenAIConfig::new()
            .with_api_base("canary-path")
            .with_api_key("sk-canary-key"),
        OpenAIConfig::new()
            .with_api_base("http://127.0.0.1:1")
            .with_api_key("sk-canary-key\n"),
        OpenAIConfig::new()
            .with_api_base("ftp://127.0.0.1/canary-path")
            .with_api_key("sk-canary-key"),
    ];
    for config in bad {
        let base = config.api_base().to_owned();
        let client = Client::builder(config).retries(0).build();
        let failure = call(&client).await.unwrap();
        check(&failure);
        // Here the cause is ours, and says none either.
        let mut cause = std::error::Error::source(&failure);
        while let Some(err) = cause {
            check_text(&base, &format!("{err} {err:?}").replace("127.0.0.1", ""));
            cause = err.source();
        }
    }
}

/// Whether or not this machine has certificates, `https` never means plain text.
#[cfg(feature = "rustls")]
#[tokio::test]
async fn over_https_nothing_is_said_in_the_clear() {
    use tokio::io::AsyncReadExt;

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("https://{}/v1", listener.local_addr().unwrap());
    let config = OpenAIConfig::new().with_api_base(base).with_api_key("k");
    let client = Client::builder(config).retries(0).build();
    let listening = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.read_u8().await.unwrap()
    });
    let failure = call(&client).await.unwrap();
    assert_eq!(failure.code(), "connect_failed");
    if listening.is_finished() {
        // The first byte of a TLS handshake.
        assert_eq!(listening.await.unwrap(), 0x16);
    }
}
