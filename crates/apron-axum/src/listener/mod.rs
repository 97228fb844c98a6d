//! A listener whose connections end when their client stops reading.

mod connection;

use std::io;
use std::time::Duration;

pub use self::connection::Connection;

/// Any listener, with a limit on how long a write may stall.
///
/// A server does not poll a response that it cannot write. So when a client stops reading, the
/// response stands still with all it holds, for as long as the client likes. This ends the
/// connection, and with it the response, once a write has made no progress for the limit, 30 s
/// unless you say otherwise. A slow client is none of its business, nor is a silent stream.
///
/// ```no_run
/// use std::time::Duration;
///
/// use apron_axum::Listener;
/// use axum::serve::ListenerExt;
///
/// # async fn serve(app: axum::Router) -> std::io::Result<()> {
/// let tcp = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
/// // Without this, a short delta may wait for the client to acknowledge the one before.
/// let tcp = tcp.tap_io(|io| {
///     if let Err(err) = io.set_nodelay(true) {
///         tracing::debug!(%err, "TCP_NODELAY");
///     }
/// });
/// let listener = Listener::new(tcp).with_stall_limit(Duration::from_secs(10));
/// axum::serve(listener, app).await
/// # }
/// ```
///
/// For the client's address in handlers, tap this listener too: `Connected` is implemented by axum
/// for the addresses of tapped listeners only.
///
/// ```no_run
/// # use apron_axum::Listener;
/// # async fn serve(tcp: tokio::net::TcpListener, app: axum::Router) -> std::io::Result<()> {
/// use std::net::SocketAddr;
///
/// use axum::serve::ListenerExt;
///
/// let listener = Listener::new(tcp).tap_io(|_| {});
/// axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await
/// # }
/// ```
///
/// # Cancellation
///
/// Accepting is cancelled as the listener inside has it. A connection that is ended fails its
/// write with [`io::ErrorKind::TimedOut`], hyper drops the response, and the events in it go.
#[derive(Debug)]
pub struct Listener<L> {
    inner: L,
    stall_limit: Duration,
}

impl<L> Listener<L> {
    /// Wraps a listener, with a stall limit of 30 s.
    #[must_use]
    pub fn new(inner: L) -> Self {
        Self {
            inner,
            stall_limit: Duration::from_secs(30),
        }
    }

    /// Sets how long a write may make no progress.
    #[must_use]
    pub fn with_stall_limit(mut self, limit: Duration) -> Self {
        self.stall_limit = limit;
        self
    }
}

impl<L: axum::serve::Listener> axum::serve::Listener for Listener<L> {
    type Io = Connection<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (io, addr) = self.inner.accept().await;
        (Connection::new(io, self.stall_limit), addr)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.inner.local_addr()
    }
}
