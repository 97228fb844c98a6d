//! `apron serve`: the routes, and the loop that serves them.

use std::io::{self, Write};
use std::sync::Arc;

use apron::Chat;
use apron::openai::chat;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use tokio::net::TcpListener;

use crate::args::Serve;
use crate::upstream::Upstream;
use crate::{Error, page, scenarios};

/// Serves until the process ends, with a few words of welcome on `out`.
///
/// # Errors
///
/// When the provider cannot start, the address cannot be bound, or `out` cannot be written.
///
/// # Cancellation
///
/// Dropping it stops accepting connections; those that are open end with the runtime.
pub async fn serve(args: &Serve, out: &mut impl Write) -> Result<(), Error> {
    let env = |name: &str| std::env::var(name).ok();
    let upstream = Upstream::choose(args.provider_url.as_deref(), env);
    let upstream = Arc::new(upstream.await.map_err(Error::Provider)?);
    let listen = |source| Error::Listen {
        addr: args.addr,
        source,
    };
    let listener = TcpListener::bind(args.addr).await.map_err(listen)?;
    let addr = listener.local_addr().map_err(listen)?;
    welcome(out, &addr.to_string(), &upstream).map_err(Error::Write)?;
    // Without it a short delta may wait for the client to acknowledge the one before.
    let listener = listener.tap_io(|io| {
        if let Err(error) = io.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY");
        }
    });
    // Ends connections whose client has stopped reading.
    let listener = apron::axum::Listener::new(listener);
    axum::serve(listener, router(upstream))
        .await
        .map_err(Error::Serve)
}

/// Every route of the server.
pub fn router(upstream: Arc<Upstream>) -> Router {
    Router::new()
        .route("/run", post(run))
        .route("/scenarios", get(|| async { Json(scenarios::all()) }))
        .route("/healthz", get(|| async { "ok" }))
        .merge(page::router())
        .with_state(upstream)
}

/// The main job: what the provider streams, as an AG-UI run.
async fn run(State(upstream): State<Arc<Upstream>>, chat: Chat) -> Response {
    let request = chat::request(chat.input(), upstream.model());
    chat.serve(move |run| async move {
        let response = upstream.client().chat(request).await?;
        Ok(run.relay(chat::events(response)).await?)
    })
}

/// The first line names the address, for whoever started the server on port 0.
fn welcome(out: &mut impl Write, addr: &str, upstream: &Upstream) -> io::Result<()> {
    writeln!(out, "Serving on http://{addr}/ (Ctrl-C stops it)")?;
    writeln!(out, "Provider: {upstream}")?;
    writeln!(
        out,
        "A page to chat on is at /, the scripted answers are listed at /scenarios."
    )?;
    out.flush()
}
