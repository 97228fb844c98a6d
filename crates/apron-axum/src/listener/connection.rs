//! One connection, and the clock on its writes.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

/// A connection of a [`Listener`](crate::Listener).
///
/// The clock starts when a write, a flush or the shutdown cannot go on, and stops when one does.
/// Reads are passed through.
#[derive(Debug)]
pub struct Connection<T> {
    io: T,
    limit: Duration,
    /// Made by the first write that cannot go on; most connections never have one.
    timer: Option<Pin<Box<Sleep>>>,
    stalled: Option<Step>,
}

/// What can stall.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Step {
    Write,
    Flush,
    Shutdown,
}

impl<T> Connection<T> {
    pub(super) fn new(io: T, limit: Duration) -> Self {
        Self {
            io,
            limit,
            timer: None,
            stalled: None,
        }
    }

    /// The connection inside.
    #[must_use]
    pub fn get_ref(&self) -> &T {
        &self.io
    }

    fn watch<R>(
        &mut self,
        cx: &mut Context<'_>,
        step: Step,
        polled: Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        if polled.is_ready() {
            // Bytes that went out are progress. That there was nothing to flush is none, while a
            // write stalls.
            if step == Step::Write || self.stalled == Some(step) {
                self.stalled = None;
            }
            return polled;
        }
        let deadline = Instant::now() + self.limit;
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if self.stalled.is_none() {
            self.stalled = Some(step);
            timer.as_mut().reset(deadline);
        }
        // Unconstrained, because tokio's budget is spent when a burst of writes was turned away.
        match Pin::new(&mut unconstrained(timer.as_mut())).poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                tracing::debug!(limit = ?self.limit, "a write stalled, so the connection ends");
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Connection<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Connection<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.watch(cx, Step::Write, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write_vectored(cx, bytes);
        self.watch(cx, Step::Write, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.io).poll_flush(cx);
        self.watch(cx, Step::Flush, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.io).poll_shutdown(cx);
        self.watch(cx, Step::Shutdown, polled)
    }
}
