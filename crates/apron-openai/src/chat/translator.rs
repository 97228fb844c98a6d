//! The state machine: chunks in, events out.

use std::borrow::Cow;
use std::collections::VecDeque;

use apron_emit::{BoxError, Failure, Ids};
use apron_protocol::{Event, TokenUsage};
use serde_json::value::RawValue;

use super::calls::{Calls, Place};
use super::chunk::{Choice, Chunk, Delta};
use super::citations::Citations;
use super::content::{Content, Part};
use super::finish::FinishReason;
use super::hosted::Hosted;
use super::lanes::Lanes;
use super::options::Options;
use super::replay::Replay;
use super::think::Splitter;
use super::tools::Tools;
use super::turn::Turn;
use crate::error::Error;
use crate::failure_code::FailureCode;
use crate::provider_error::ProviderError;
use crate::usage::Usage;

/// Translates one chat-completions stream into the events of one turn, without I/O.
///
/// Give it the `data` of each frame with [`frame`](Self::frame), and [`end`](Self::end) it when the
/// stream ends. Events come out in a legal order, but without `RUN_STARTED` and without a terminal
/// event: those are the run's. After a failure it must not be used again; what is open then is for
/// the run to close.
///
/// ```
/// use std::collections::VecDeque;
///
/// use apron_emit::CountingIds;
/// use apron_openai::chat::{Options, Translator};
///
/// let mut translator = Translator::new(Box::new(CountingIds::new("run")), Options::default());
/// let mut events = VecDeque::new();
/// translator.frame(None, r#"{"choices":[{"delta":{"content":"Hi"}}]}"#, &mut events)?;
/// translator.frame(None, r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, &mut events)?;
/// let turn = translator.end(&mut events)?;
/// assert_eq!(turn.text, "Hi");
/// assert_eq!(events.len(), 3); // start, content, end
/// # Ok::<(), apron_emit::Failure>(())
/// ```
pub struct Translator {
    pub(super) ids: Box<dyn Ids>,
    pub(super) options: Options,
    pub(super) tools: Tools,
    pub(super) lanes: Lanes,
    pub(super) splitter: Splitter,
    pub(super) calls: Calls,
    /// The calls before this one were announced.
    pub(super) announced: usize,
    /// How many calls were announced.
    pub(super) announcements: usize,
    pub(super) hosted: Hosted,
    pub(super) citations: Citations,
    pub(super) replay: Replay,
    /// What was gathered for the turn.
    pub(super) turn: Turn,
    pub(super) usage: Option<Usage>,
    pub(super) finish: Option<FinishReason>,
    /// A usage report without choices came, and nothing visible after it.
    pub(super) closing_usage: bool,
    /// The whole message that came beside deltas, while there was no text: it counts if there
    /// never is any.
    pub(super) spare: Option<Box<RawValue>>,
    /// What came in an SSE field named `error`.
    pub(super) error_field: Option<String>,
    /// The last chunk that was no JSON.
    pub(super) malformed: Option<Error>,
    done: bool,
}

impl Translator {
    /// A translator for one stream.
    #[must_use]
    pub fn new(ids: Box<dyn Ids>, options: Options) -> Self {
        Self {
            ids,
            tools: Tools::default(),
            lanes: Lanes::default(),
            splitter: Splitter::new(options.think_tags),
            calls: Calls::default(),
            announced: 0,
            announcements: 0,
            hosted: Hosted::default(),
            citations: Citations::default(),
            replay: Replay::default(),
            turn: Turn::default(),
            usage: None,
            finish: None,
            closing_usage: false,
            spare: None,
            error_field: None,
            malformed: None,
            done: false,
            options,
        }
    }

    /// Adds a tool that the model was offered.
    #[must_use]
    pub fn with_tool(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.with_renamed_tool(name.clone(), name)
    }

    /// Adds a tool that the model was offered under another name than the client's.
    #[must_use]
    pub fn with_renamed_tool(
        mut self,
        offered: impl Into<String>,
        client: impl Into<String>,
    ) -> Self {
        self.tools.add(offered.into(), client.into());
        self
    }

    /// Takes the `data` of one frame, and its event name if it has one.
    ///
    /// Nothing is taken after `[DONE]`.
    ///
    /// # Errors
    ///
    /// When the provider reports an error, or the data is no JSON more often than the options
    /// allow. The failure carries the usage known so far.
    pub fn frame(
        &mut self,
        name: Option<&str>,
        data: &str,
        out: &mut VecDeque<Event>,
    ) -> Result<(), Failure> {
        let taken = self.take(name, data.trim(), out);
        if taken.is_err() {
            self.settle(out);
        }
        taken
    }

    /// True after `[DONE]`: nothing more is taken, so nothing more need be read.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Notes an SSE field named `error`, in which some servers put their last words.
    ///
    /// It is no failure by itself, since event streams ignore unknown fields, but it is the cause
    /// if the stream turns out to be incomplete.
    pub fn error_field(&mut self, value: &str) {
        self.error_field = Some(value.chars().take(FIELD_LIMIT).collect());
    }

    /// The stream broke off: gives the failure, with the usage known so far. A `cause` that is a
    /// [`Failure`] already keeps its code. What was held back is said.
    #[must_use]
    pub fn interrupted(
        &mut self,
        cause: impl Into<BoxError>,
        out: &mut VecDeque<Event>,
    ) -> Failure {
        self.settle(out);
        let failure = match cause.into().downcast::<Failure>() {
            Ok(failure) => *failure,
            Err(cause) => FailureCode::StreamInterrupted.caused_by(cause),
        };
        self.with_usage(failure)
    }

    pub(super) fn fail(&self, code: FailureCode, cause: impl Into<BoxError>) -> Failure {
        self.with_usage(code.caused_by(cause))
    }

    pub(super) fn with_usage(&self, failure: Failure) -> Failure {
        match self.tokens() {
            Some(usage) if failure.usage().is_empty() => failure.with_usage(vec![usage]),
            _ => failure,
        }
    }

    /// The last usage report, with the names of provider and model.
    pub(super) fn tokens(&self) -> Option<TokenUsage> {
        let mut tokens = self.usage.as_ref()?.tokens();
        tokens.provider.clone_from(&self.options.provider);
        tokens.model.clone_from(&self.turn.model);
        Some(tokens)
    }

    fn take(
        &mut self,
        name: Option<&str>,
        data: &str,
        out: &mut VecDeque<Event>,
    ) -> Result<(), Failure> {
        if self.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        if data.starts_with('[')
            && let Ok(documents) = serde_json::from_str::<Vec<&RawValue>>(data)
        {
            return documents
                .into_iter()
                .try_for_each(|document| self.document(name, document.get(), out));
        }
        self.document(name, data, out)
    }

    fn document(
        &mut self,
        name: Option<&str>,
        text: &str,
        out: &mut VecDeque<Event>,
    ) -> Result<(), Failure> {
        let diagnostics = &mut self.turn.diagnostics;
        diagnostics.chunks += 1;
        let chunk = match Chunk::parse(text) {
            Ok(chunk) => chunk,
            Err(source) if name == Some("error") => {
                tracing::debug!(%source, "an error event is no JSON");
                return Err(self.report(text));
            }
            Err(source) => return self.take_malformed(source),
        };
        if name == Some("error") {
            return Err(self.report(text));
        }
        let Some(chunk) = chunk else {
            diagnostics.unknown += 1;
            return Ok(());
        };
        self.chunk(chunk, text, out)
    }

    fn take_malformed(&mut self, source: serde_json::Error) -> Result<(), Failure> {
        let diagnostics = &mut self.turn.diagnostics;
        diagnostics.malformed += 1;
        let error = Error::Malformed {
            at: diagnostics.chunks,
            source,
        };
        if diagnostics.malformed > self.options.malformed_chunks {
            return Err(self.fail(FailureCode::DecodeError, error));
        }
        self.malformed = Some(error);
        Ok(())
    }

    fn report(&self, text: &str) -> Failure {
        let error = ProviderError::from_json(text);
        self.fail(error.failure_code(), Error::from(error))
    }

    fn chunk(
        &mut self,
        chunk: Chunk<'_>,
        text: &str,
        out: &mut VecDeque<Event>,
    ) -> Result<(), Failure> {
        let report = chunk.error(text);
        let own = |name: Cow<'_, str>| name.into_owned();
        if self.turn.response_id.is_none() {
            self.turn.response_id = chunk.id.map(own);
        }
        if self.turn.model.is_none() {
            self.turn.model = chunk.model.map(own);
        }
        if chunk.usage.is_some() {
            self.closing_usage |= !chunk.choices.any;
            self.usage = chunk.usage;
        }
        if let Some(report) = report {
            return Err(self.report(report));
        }
        self.citations.list(chunk.citations, chunk.search_results);
        for choice in chunk.choices {
            self.choice(choice, out)?;
        }
        Ok(())
    }

    fn choice(&mut self, choice: Choice<'_>, out: &mut VecDeque<Event>) -> Result<(), Failure> {
        match (choice.delta, choice.message) {
            (Some(delta), message) => {
                self.delta(delta, out)?;
                if let Some(message) = message
                    && self.turn.text.is_empty()
                {
                    self.spare = Some(message.to_owned());
                }
            }
            (None, Some(message)) => self.message(message.get(), out)?,
            (None, None) => {}
        }
        if let Some(raw) = choice.finish_reason {
            self.finish = Some(FinishReason::parse(&raw));
            self.turn.raw_finish_reason = Some(raw.into_owned());
        }
        Ok(())
    }

    /// Takes a whole message: all of it when nothing was streamed, else what is new.
    pub(super) fn message(&mut self, text: &str, out: &mut VecDeque<Event>) -> Result<(), Failure> {
        let mut message = Delta::parse(text);
        if !self.turn.thoughts.text.is_empty() {
            message.take_reasoning();
            message.reasoning_details = None;
        }
        if !self.calls.list.is_empty() {
            message.tool_calls.clear();
            message.function_call = None;
        }
        if !self.turn.text.is_empty() {
            message.refusal = None;
            message.transcript = None;
            message.content = match message.content {
                Content::Text(full) => full
                    .strip_prefix(&*self.turn.text)
                    .filter(|tail| !tail.is_empty())
                    .map(|tail| Content::Text(Cow::Owned(tail.to_owned())))
                    .unwrap_or_default(),
                Content::Nothing | Content::Parts(_) => Content::Nothing,
            };
        }
        self.delta(message, out)
    }

    /// Takes what a delta says, in the order in which a client should see it.
    fn delta(&mut self, mut delta: Delta<'_>, out: &mut VecDeque<Event>) -> Result<(), Failure> {
        let reasoning = delta.take_reasoning();
        let details = delta
            .reasoning_details
            .map(|raw| self.replay.add_details(raw));
        if let Some(text) = reasoning {
            self.think(text, out);
        } else if let Some(text) = details.filter(|text| !text.is_empty()) {
            self.think(text.into(), out);
        }
        if let Some(secret) = delta.reasoning_encrypted {
            self.replay.encrypted = Some(secret.into_owned());
        }
        if let Some(raw) = delta.annotations {
            self.citations.annotate(raw);
        }
        if let Some(raw) = delta.executed_tools {
            self.executed(raw, out);
        }
        match delta.content {
            Content::Nothing => {}
            Content::Text(text) => self.say(text, out),
            Content::Parts(parts) => {
                for part in parts {
                    match part {
                        Part::Text(text) => self.say(text, out),
                        Part::Thinking(text) => self.think(text, out),
                        Part::Refusal(text) => self.refuse(text, out),
                    }
                }
            }
        }
        if let Some(text) = delta.refusal {
            self.refuse(text, out);
        }
        if let Some(text) = delta.transcript {
            self.say(text, out);
        }
        if let Some(function) = delta.function_call {
            self.call(
                function.into(),
                Place::legacy(self.turn.diagnostics.chunks),
                out,
            )?;
        }
        let calls = delta.tool_calls.len();
        for (at, call) in delta.tool_calls.into_iter().enumerate() {
            let place = Place::of(&call, self.turn.diagnostics.chunks, at, calls);
            self.call(call, place, out)?;
        }
        if let Some(raw) = delta.extra_content {
            self.signature(raw, calls);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Translator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Translator")
            .field("options", &self.options)
            .field("diagnostics", &self.turn.diagnostics)
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

/// Characters of an `error` field that are kept for the log.
const FIELD_LIMIT: usize = 2048;
