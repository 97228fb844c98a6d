//! What a client sees of whole runs.

use apron::protocol::Event;
use apron::{Chat, Failure, Outcome};
use axum::Router;
use axum::routing::post;
use roundtrip::{Client, input, serve, text};

#[tokio::test]
async fn a_run_spoken_by_hand_arrives_as_it_was_said() {
    let app = Router::new().route(
        "/run",
        post(async |chat: Chat| {
            chat.serve(|run| async move {
                let step = run.step("greet").await?;
                let mut thought = run.reasoning();
                thought.push("A greeting, then.").await?;
                thought.end().await?;
                let mut words = run.text();
                for word in ["Grüß ", "", "dich, ", "👩‍🚀\u{2028}!"] {
                    words.push(word).await?;
                }
                words.end().await?;
                step.end().await?;
                let mut one = run.tool_call("one").await?;
                let mut two = run.tool_call("two").await?;
                one.push(r#"{"a":"#).await?;
                two.push("{}").await?;
                one.push("1}").await?;
                two.end().await?.result("done").await?;
                one.end().await?;
                Ok(Outcome::success())
            })
        }),
    );
    let mut client = Client::post(serve(app).await.unwrap(), &input("Hi"))
        .await
        .unwrap();
    assert!(
        client.head().starts_with("HTTP/1.1 200 OK\r\n"),
        "{}",
        client.head()
    );
    let events = client.rest().await.unwrap();
    let kinds: Vec<_> = events
        .iter()
        .map(|event| event.event_type().as_str())
        .collect();
    assert_eq!(
        kinds,
        [
            "RUN_STARTED",
            "STEP_STARTED",
            "REASONING_START",
            "REASONING_MESSAGE_START",
            "REASONING_MESSAGE_CONTENT",
            "REASONING_MESSAGE_END",
            "REASONING_END",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "STEP_FINISHED",
            "TOOL_CALL_START",
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "TOOL_CALL_RESULT",
            "TOOL_CALL_END",
            "RUN_FINISHED",
        ]
    );
    assert_eq!(text(&events), "Grüß dich, 👩‍🚀\u{2028}!");
    let last = serde_json::to_value(events.last().unwrap()).unwrap();
    let Some(Event::ToolCallStart(first)) = events.get(13) else {
        panic!("{events:?}")
    };
    assert_eq!(
        last["outcome"]["pendingToolCallIds"],
        serde_json::json!([first.tool_call_id])
    );
    assert!(!client.raw().contains(&b'\r'), "LF only");
}

#[tokio::test]
async fn a_panic_after_any_event_is_told_and_loses_nothing() {
    for spoken in 0..6_usize {
        let app = Router::new().route(
            "/run",
            post(async move |chat: Chat| {
                chat.serve(move |run| async move {
                    let mut words = run.text();
                    for _ in 0..spoken {
                        words.push("word ").await?;
                    }
                    assert!(spoken > 100, "canary-secret in a panic");
                    Ok(Outcome::success())
                })
            }),
        );
        let mut client = Client::post(serve(app).await.unwrap(), &input("go"))
            .await
            .unwrap();
        let events = client.rest().await.unwrap();
        assert_eq!(text(&events), "word ".repeat(spoken));
        let Some(Event::RunError(error)) = events.last() else {
            panic!("{events:?}")
        };
        assert_eq!(error.code.as_deref(), Some(Failure::INTERNAL));
        let terminals = events.iter().filter(|event| event.is_terminal()).count();
        assert_eq!(terminals, 1);
        assert!(
            !String::from_utf8_lossy(client.raw()).contains("canary"),
            "{spoken}"
        );
    }
}

#[tokio::test]
async fn a_client_without_a_version_gets_an_end_it_can_read() {
    let app = Router::new().route(
        "/run",
        post(async |chat: Chat| {
            chat.serve(|run| async move {
                run.tool_call("pick").await?.end().await?;
                Ok(Outcome::success())
            })
        }),
    );
    let old = input("go").replace(r#""protocolVersion":"1.0","#, "");
    let mut client = Client::post(serve(app).await.unwrap(), &old).await.unwrap();
    let events = client.rest().await.unwrap();
    let Some(Event::RunFinished(finished)) = events.last() else {
        panic!("{events:?}")
    };
    assert_eq!(finished.outcome, None);
}
