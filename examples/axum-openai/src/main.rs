//! An axum route that answers with what an OpenAI-compatible provider streams.
//!
//! With `OPENAI_API_KEY` it talks to OpenAI (or to `OPENAI_BASE_URL`); without, to a scripted
//! provider that it starts itself, so that it runs offline:
//!
//! ```sh
//! cargo run -p example-axum-openai
//! curl -N http://127.0.0.1:3001/run -H 'content-type: application/json' \
//!   -d '{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[{"id":"1","role":"user","content":"Hello"}]}'
//! ```

use apron::Chat;
use apron::openai::{Client, OpenAIConfig, chat};
use apron_cli::provider::Provider;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use tokio::net::TcpListener;

const MODEL: &str = "gpt-5-mini";

async fn ask(State(openai): State<Client>, chat: Chat) -> Response {
    let request = chat::request(chat.input(), MODEL).system("You are a librarian. Be brief.");
    chat.serve(move |run| async move {
        let response = openai.chat(request).await?;
        Ok(run.relay(chat::events(response)).await?)
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Lives as long as the server, when there is no key.
    let scripted = Provider::start().await?;
    let openai = match Client::from_env() {
        Ok(client) => client,
        Err(_) => Client::new(OpenAIConfig::new().with_api_base(scripted.base_url())),
    };
    let app = Router::new().route("/run", post(ask)).with_state(openai);
    // The listener ends connections whose client has stopped reading.
    let listener = apron::axum::Listener::new(TcpListener::bind("127.0.0.1:3001").await?);
    axum::serve(listener, app).await?;
    Ok(())
}
