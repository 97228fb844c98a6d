//! A provider's stream as a source of events.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use apron_emit::{BoxError, Failure, Source, SourceStart};
use apron_protocol::{Event, RunId, ThreadId};
use futures_core::Stream;
use pin_project_lite::pin_project;
use serde::Serialize;

use super::answer::Answer;
use super::body::{Body, Piece};
use super::chunks::Chunks;
use super::options::Options;
use super::silence::Silence;
use super::translator::Translator;
use crate::error::Error;
use crate::failure_code::FailureCode;

/// The events of a chat answer, out of the bytes of its body: `run.relay(chat::events(response))`.
///
/// The body may be server-sent events, however the bytes are cut, or JSON: one document, or one a
/// line. The stream is read to `[DONE]` or to its end, and no further than the run has room for.
///
/// Calls of tools that the request declares wait for the client; see
/// [`Options::unknown_tools`](super::Options::unknown_tools) for others.
pub fn events<A: Answer>(answer: A) -> Events<A::Bytes> {
    answer.into_events()
}

/// The events of a chat answer, out of chunks that something else parsed: `serde_json::Value`s,
/// async-openai's typed chunks, anything that serialises to the provider's JSON.
///
/// Prefer [`events`] where there is a choice. A typed chunk has lost what its type does not know,
/// such as reasoning, and a stream of them may have lost an error that the provider reported.
pub fn events_from_chunks<S, T, E>(chunks: S) -> Events<Chunks<S>>
where
    S: Stream<Item = Result<T, E>>,
    T: Serialize,
    E: Into<BoxError>,
{
    Events::new(Chunks::new(chunks), Body::json())
}

pin_project! {
    /// A provider's stream as a [`Source`], from [`events`] or [`events_from_chunks`].
    ///
    /// # Cancellation
    ///
    /// Dropping it drops the provider's stream. It drops that itself as soon as the answer is over
    /// or has failed, before the last events are taken.
    #[must_use = "a source does nothing until it is relayed"]
    pub struct Events<S> {
        #[pin]
        stream: Option<S>,
        hand: Hand,
    }
}

/// All but the stream.
struct Hand {
    body: Body,
    options: Options,
    /// Tools that were offered under other names than the client's.
    offered: Option<Vec<(String, String)>>,
    silence: Silence,
    translating: Option<Translating>,
    out: VecDeque<Event>,
    /// The failure that follows what is in `out`.
    failure: Option<Failure>,
}

struct Translating {
    translator: Translator,
    thread: ThreadId,
    run: RunId,
}

impl<S> Events<S> {
    /// The events of an answer that comes as bytes.
    pub(super) fn of_bytes(bytes: S) -> Self {
        Self::new(bytes, Body::new())
    }

    fn new(stream: S, body: Body) -> Self {
        Self {
            stream: Some(stream),
            hand: Hand {
                body,
                options: Options::default(),
                offered: None,
                silence: Silence::default(),
                translating: None,
                out: VecDeque::new(),
                failure: None,
            },
        }
    }

    /// Sets how the stream is translated.
    pub fn with_options(mut self, options: Options) -> Self {
        self.hand.options = options;
        self
    }

    /// Says under which names the model was offered which tools: pairs of the name that was sent,
    /// and the one in the request. Without this, the request's own names were sent.
    pub fn with_offered_tools<N, O>(mut self, names: impl IntoIterator<Item = (O, N)>) -> Self
    where
        N: Into<String>,
        O: Into<String>,
    {
        let pairs = names.into_iter();
        let pairs = pairs.map(|(offered, name)| (offered.into(), name.into()));
        self.hand.offered = Some(pairs.collect());
        self
    }

    #[cfg(feature = "client")]
    pub(super) fn with_silence(mut self, silence: Silence) -> Self {
        self.hand.silence = silence;
        self
    }
}

impl<S, B, E> Source for Events<S>
where
    S: Stream<Item = Result<B, E>> + Send,
    B: AsRef<[u8]>,
    E: Into<BoxError>,
{
    fn begin(self: Pin<&mut Self>, start: SourceStart<'_>) {
        self.project().hand.begin(start);
    }

    fn poll_event(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, Failure>>> {
        let mut this = self.project();
        let hand = this.hand;
        loop {
            if let Some(event) = hand.out.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if let Some(failure) = hand.failure.take() {
                return Poll::Ready(Some(Err(failure)));
            }
            let Some(stream) = this.stream.as_mut().as_pin_mut() else {
                return Poll::Ready(None);
            };
            let over = match hand.take_frame() {
                Some(over) => over,
                None => match stream.poll_next(context) {
                    Poll::Pending => match hand.silence.poll_elapsed(context) {
                        Poll::Pending => return Poll::Pending,
                        Poll::Ready(failure) => {
                            hand.interrupt(failure.into());
                            true
                        }
                    },
                    Poll::Ready(Some(Ok(bytes))) => {
                        hand.body.feed(bytes.as_ref());
                        false
                    }
                    Poll::Ready(Some(Err(cause))) => {
                        hand.interrupt(cause.into());
                        true
                    }
                    Poll::Ready(None) => {
                        hand.finish();
                        true
                    }
                },
            };
            if over {
                this.stream.set(None);
            }
        }
    }
}

impl Hand {
    fn begin(&mut self, start: SourceStart<'_>) {
        let tools = &start.input.tools;
        let mut translator = Translator::new(start.ids, self.options.clone());
        match self.offered.take() {
            None => {
                for tool in tools {
                    translator = translator.with_tool(&tool.name);
                }
            }
            Some(pairs) => {
                for (offered, name) in pairs {
                    if tools.iter().any(|tool| tool.name == name) {
                        translator = translator.with_renamed_tool(offered, name);
                    }
                }
            }
        }
        self.translating = Some(Translating {
            translator,
            thread: start.input.thread_id.clone(),
            run: start.input.run_id.clone(),
        });
    }

    /// Takes one frame that is here already; true when the answer is over with it.
    fn take_frame(&mut self) -> Option<bool> {
        let piece = self.body.next()?;
        let Some(Translating { translator, .. }) = &mut self.translating else {
            return Some(self.fail(never_begun()));
        };
        if let Ok(Piece::Data { name, .. }) = &piece {
            self.silence.broken_by(name.as_deref());
        }
        let taken = take(translator, piece, &mut self.out);
        if let Err(failure) = taken {
            return Some(self.fail(failure));
        }
        if translator.is_done() {
            self.end();
            return Some(true);
        }
        Some(false)
    }

    /// The stream ended: takes what is left of it, and ends the turn.
    fn finish(&mut self) {
        while let Some(over) = self.take_frame() {
            if over {
                return;
            }
        }
        while let Some(Translating { translator, .. }) = &mut self.translating
            && let Some(piece) = self.body.finish()
        {
            if let Err(failure) = take(translator, piece, &mut self.out) {
                self.fail(failure);
                return;
            }
        }
        self.end();
    }

    fn end(&mut self) {
        let Some(translating) = &mut self.translating else {
            self.fail(never_begun());
            return;
        };
        match translating.translator.end(&mut self.out) {
            Ok(turn) => {
                let finished = turn.run_finished(&translating.thread, &translating.run);
                self.out.push_back(finished);
            }
            Err(failure) => {
                self.fail(failure);
            }
        }
    }

    fn interrupt(&mut self, cause: BoxError) {
        let failure = match &mut self.translating {
            Some(Translating { translator, .. }) => translator.interrupted(cause, &mut self.out),
            None => FailureCode::StreamInterrupted.caused_by(cause),
        };
        self.fail(failure);
    }

    fn fail(&mut self, failure: Failure) -> bool {
        self.failure = Some(failure);
        true
    }
}

fn take(
    translator: &mut Translator,
    piece: Result<Piece<'_>, Error>,
    out: &mut VecDeque<Event>,
) -> Result<(), Failure> {
    match piece {
        Ok(Piece::Data { name, data }) => translator.frame(name.as_deref(), &data, out),
        Ok(Piece::ErrorField(text)) => {
            translator.error_field(&text);
            Ok(())
        }
        Ok(Piece::Nothing) => Ok(()),
        Err(err) => Err(translator.interrupted(FailureCode::DecodeError.caused_by(err), out)),
    }
}

fn never_begun() -> Failure {
    Failure::internal("a source was polled before it was begun")
}

impl<S> fmt::Debug for Events<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("over", &self.stream.is_none())
            .field("options", &self.hand.options)
            .finish_non_exhaustive()
    }
}
