//! One chunk of a chat-completions stream, read leniently and borrowed from its text.
//!
//! Only what the translator needs is read. Members that are passed on whole (annotations, details
//! of reasoning) stay raw JSON until somebody wants them.

use std::borrow::Cow;

use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::content::Content;
use crate::lenient::{Leaf, Lenient, Member, Members, fill};
use crate::usage::Usage;

/// The members of a chunk that matter. It is known when it has one of them, whatever is inside.
#[derive(Default)]
pub(super) struct Chunk<'a> {
    /// True once a member was known.
    known: bool,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) model: Option<Cow<'a, str>>,
    pub(super) choices: Choices<'a>,
    pub(super) usage: Option<Usage>,
    pub(super) citations: Option<&'a RawValue>,
    pub(super) search_results: Option<&'a RawValue>,
    faults: Faults<'a>,
}

/// The places where a chunk may say that something failed.
#[derive(Default)]
struct Faults<'a> {
    /// `error`, `type: "error"` or `object: "error"`: the whole chunk is the report.
    whole: bool,
    /// `detail`, or `message` with `code`: a report unless there are choices.
    detail: bool,
    message: bool,
    code: bool,
    /// An error inside a choice or an extension.
    nested: Option<&'a RawValue>,
}

/// The choices with index 0, which normally is one; the others are not wanted.
#[derive(Default)]
pub(super) struct Choices<'a> {
    /// True when there was a choice of any index.
    pub(super) any: bool,
    first: Option<Choice<'a>>,
    more: Vec<Choice<'a>>,
}

/// One choice.
#[derive(Default)]
pub(super) struct Choice<'a> {
    index: Option<u64>,
    pub(super) delta: Option<Delta<'a>>,
    /// The whole message, where a provider does not stream or repeats itself.
    pub(super) message: Option<&'a RawValue>,
    pub(super) finish_reason: Option<Cow<'a, str>>,
    error: Option<&'a RawValue>,
}

/// What a choice adds; also the form of a whole message.
#[derive(Default)]
pub(super) struct Delta<'a> {
    pub(super) content: Content<'a>,
    reasoning_content: Option<Cow<'a, str>>,
    reasoning: Option<Cow<'a, str>>,
    pub(super) reasoning_details: Option<&'a RawValue>,
    pub(super) reasoning_encrypted: Option<Cow<'a, str>>,
    pub(super) refusal: Option<Cow<'a, str>>,
    pub(super) transcript: Option<Cow<'a, str>>,
    pub(super) function_call: Option<Function<'a>>,
    pub(super) tool_calls: Vec<CallDelta<'a>>,
    pub(super) executed_tools: Option<&'a RawValue>,
    pub(super) annotations: Option<&'a RawValue>,
    pub(super) extra_content: Option<&'a RawValue>,
}

/// What a chunk adds to one tool call. Empty and absent are the same.
#[derive(Default)]
pub(super) struct CallDelta<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) function: Function<'a>,
    pub(super) extra_content: Option<&'a RawValue>,
}

/// The name and the arguments, or a piece of them.
#[derive(Default)]
pub(super) struct Function<'a> {
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) arguments: Option<Cow<'a, str>>,
}

impl<'a> Chunk<'a> {
    /// Reads the text of one chunk; `None` is JSON of another kind.
    ///
    /// # Errors
    ///
    /// When the text is no JSON.
    pub(super) fn parse(text: &'a str) -> Result<Option<Self>, serde_json::Error> {
        let mut chunk = Self::default();
        let is_object = fill(text, &mut chunk)?;
        Ok((is_object && chunk.known).then_some(chunk))
    }

    /// The JSON that reports an error: a part of the chunk, or `whole`, its own text.
    pub(super) fn error(&self, whole: &'a str) -> Option<&'a str> {
        let faults = &self.faults;
        let flat = faults.detail || (faults.message && faults.code);
        if faults.whole || (flat && !self.choices.any) {
            return Some(whole);
        }
        let choices = self.choices.first.iter().chain(&self.choices.more);
        choices
            .filter_map(|choice| choice.error)
            .chain(faults.nested)
            .map(RawValue::get)
            .next()
    }
}

impl<'a> Choices<'a> {
    fn push(&mut self, choice: Choice<'a>) {
        self.any = true;
        if choice.index.unwrap_or(0) != 0 {
        } else if self.first.is_none() {
            self.first = Some(choice);
        } else {
            self.more.push(choice);
        }
    }
}

impl<'a> IntoIterator for Choices<'a> {
    type Item = Choice<'a>;
    type IntoIter =
        std::iter::Chain<std::option::IntoIter<Choice<'a>>, std::vec::IntoIter<Choice<'a>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.more)
    }
}

impl<'a> Delta<'a> {
    /// Reads a whole message, or nothing from anything else.
    pub(super) fn parse(text: &'a str) -> Self {
        let mut message = Self::default();
        match fill(text, &mut message) {
            Ok(true) => message,
            Ok(false) | Err(_) => Self::default(),
        }
    }

    /// Text of reasoning. Some gateways send it under two names at once, so one is taken.
    pub(super) fn take_reasoning(&mut self) -> Option<Cow<'a, str>> {
        self.reasoning_content
            .take()
            .or_else(|| self.reasoning.take())
    }
}

impl CallDelta<'_> {
    /// True when it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.id.is_none() && self.function.is_empty() && self.extra_content.is_none()
    }
}

impl<'a> From<Function<'a>> for CallDelta<'a> {
    fn from(function: Function<'a>) -> Self {
        Self {
            function,
            ..Self::default()
        }
    }
}

impl Function<'_> {
    /// True when it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.name.is_none() && self.arguments.is_none()
    }
}

impl<'de> Members<'de> for Chunk<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "id" => self.id = value.text()?,
            "model" => self.model = value.text()?,
            "choices" => {
                self.known = true;
                value.each(|Lenient(choice): Lenient<Choice<'de>>| {
                    self.choices.push(choice.unwrap_or_default());
                })?;
            }
            "usage" => {
                self.known = true;
                let usage: Option<Usage> = value.object()?;
                self.usage = usage
                    .filter(|usage| !usage.is_empty())
                    .or(self.usage.take());
            }
            "x_groq" => {
                let groq: Groq<'de> = value.object()?.unwrap_or_default();
                self.known |= groq.usage.is_some() || groq.error.is_some();
                self.usage = self.usage.take().or(groq.usage);
                self.faults.nested = self.faults.nested.or(groq.error);
            }
            "error" => {
                let fails = value.raw()?.is_some_and(says_something);
                self.known |= fails;
                self.faults.whole |= fails;
            }
            "type" | "object" => {
                let fails = value.text()?.is_some_and(|kind| kind == "error");
                self.known |= fails;
                self.faults.whole |= fails;
            }
            "detail" => {
                self.faults.detail = value.raw()?.is_some_and(says_something);
                self.known |= self.faults.detail;
            }
            "message" => {
                self.faults.message = value.text()?.is_some();
                self.known |= self.faults.message;
            }
            "code" => self.faults.code = value.raw()?.is_some_and(says_something),
            "citations" => self.citations = value.raw()?,
            "search_results" => self.search_results = value.raw()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}

/// Groq's own member, which repeats the usage and may report an error.
#[derive(Default)]
struct Groq<'a> {
    usage: Option<Usage>,
    error: Option<&'a RawValue>,
}

impl<'de> Members<'de> for Groq<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "usage" => self.usage = value.object()?.filter(|usage: &Usage| !usage.is_empty()),
            "error" => self.error = value.raw()?.filter(|raw| says_something(raw)),
            _ => value.skip()?,
        }
        Ok(())
    }
}

impl<'de> Members<'de> for Choice<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "index" => self.index = value.integer()?,
            "delta" => value.fill(&mut self.delta)?,
            "message" => self.message = value.raw()?,
            "finish_reason" => self.finish_reason = value.text()?,
            "error" => self.error = value.raw()?.filter(|raw| says_something(raw)),
            _ => value.skip()?,
        }
        Ok(())
    }
}

impl<'de> Members<'de> for Delta<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "content" => self.content = value.read()?,
            "reasoning_content" => self.reasoning_content = value.text()?,
            "reasoning" => self.reasoning = value.text()?,
            "reasoning_details" => self.reasoning_details = value.raw()?,
            "reasoning_encrypted" => self.reasoning_encrypted = value.text()?,
            "refusal" => self.refusal = value.text()?,
            "audio" => self.transcript = value.object()?.and_then(|Audio(transcript)| transcript),
            "function_call" => self.function_call = value.object()?,
            "tool_calls" => value.each(|Lenient(call): Lenient<CallDelta<'de>>| {
                self.tool_calls.push(call.unwrap_or_default());
            })?,
            "executed_tools" => self.executed_tools = value.raw()?,
            "annotations" => self.annotations = value.raw()?,
            "extra_content" => self.extra_content = value.raw()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}

/// The transcript; the sound itself has no place in a text stream.
#[derive(Default)]
struct Audio<'a>(Option<Cow<'a, str>>);

impl<'de> Members<'de> for Audio<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "transcript" => self.0 = value.text()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}

impl<'de> Members<'de> for CallDelta<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "index" => self.index = value.integer()?,
            "id" => self.id = value.text()?,
            "function" | "custom" => {
                if let Some(function) = value.object()? {
                    self.function = function;
                }
            }
            "extra_content" => self.extra_content = value.raw()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}

impl<'de> Members<'de> for Function<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "name" => self.name = value.text()?,
            // `input` is the free text of a custom tool.
            "arguments" | "input" => self.arguments = value.raw()?.and_then(arguments),
            _ => value.skip()?,
        }
        Ok(())
    }
}

/// The string's text, or the JSON of a provider that does not write it into a string.
fn arguments(raw: &RawValue) -> Option<Cow<'_, str>> {
    let text = if raw.get().starts_with('"') {
        serde_json::from_str::<Leaf<'_>>(raw.get()).ok()?.0?
    } else {
        Cow::Borrowed(raw.get())
    };
    (!text.is_empty()).then_some(text)
}

/// Whether a member that reports trouble does so: null, false, 0 and the empty ones do not.
fn says_something(raw: &RawValue) -> bool {
    !matches!(raw.get(), "null" | "false" | "0" | "\"\"" | "{}" | "[]")
}
