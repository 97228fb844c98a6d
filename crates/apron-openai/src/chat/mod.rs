//! Chat completions: a provider's stream as the events of a run.
//!
//! [`events`] makes a [`Source`](apron_emit::Source) of a response body, for `Run::relay`. The
//! work is done by [`Translator`], which knows no I/O, in these steps: the body is cut into frames
//! (`body`, `documents`); a frame is read into a chunk that forgives everything but broken JSON
//! (`chunk`, `content`); what a chunk says goes into lanes (`lanes`, `think`) and calls (`calls`,
//! `arguments`, `hosted`); and the end decides what it comes to (`ending`, `finish`), which is a
//! [`Turn`] or a [`Failure`](apron_emit::Failure).

mod answer;
mod arguments;
mod body;
mod calls;
mod chunk;
mod chunks;
mod citations;
mod content;
mod documents;
mod ending;
mod events;
mod finish;
mod hosted;
mod lanes;
mod options;
mod replay;
mod silence;
mod speak;
mod think;
mod tools;
mod translator;
mod turn;

pub use self::answer::Answer;
pub use self::chunks::Chunks;
pub use self::events::{Events, events, events_from_chunks};
pub use self::finish::FinishReason;
pub use self::options::{CutCalls, Options, Reasoning, Refusals, ThinkTags, UnknownTools};
pub use self::translator::Translator;
pub use self::turn::{CallState, Diagnostics, Thoughts, Turn, TurnCall};
pub use crate::request::{
    CallIds, ChatRequest, ClientContext, ClientFiles, ClientInstructions, Flavor, InstructionRole,
    MissingResults, ReasoningReplay, Refusal, Repair, Repairs, ToolChoice, ToolNames, request,
};
