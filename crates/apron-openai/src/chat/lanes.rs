//! The lanes of a turn: what the model says and what it thinks, as messages.
//!
//! One lane is open at a time: speech ends thought, thought and tool calls end speech. Old clients
//! need that, new ones allow it. A closed message id is never used again.

use std::collections::VecDeque;

use apron_emit::Ids;
use apron_protocol::{
    Event, MessageId, ReasoningEnd, ReasoningMessageContent, ReasoningMessageEnd,
    ReasoningMessageStart, ReasoningStart, Text, TextMessageContent, TextMessageEnd,
    TextMessageStart,
};

/// Messages and spans that are open, and what is needed to open the next.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    text: Option<MessageId>,
    thought: Option<Thought>,
    last_text: Option<MessageId>,
    last_thought: Option<MessageId>,
    /// The assistant message that holds the turn's calls, once there is one.
    parent: Option<MessageId>,
    /// The parent was minted before there was text, so the first text may have its id.
    vacant: bool,
}

#[derive(Debug)]
struct Thought {
    span: MessageId,
    message: MessageId,
}

impl Lanes {
    /// Says a piece of text. Opens a message when none is open.
    pub(super) fn say(&mut self, delta: Text, ids: &mut dyn Ids, out: &mut VecDeque<Event>) {
        self.close_thought(out);
        let id = match &self.text {
            Some(id) => id,
            None => {
                let vacant = std::mem::take(&mut self.vacant);
                let id = match self.parent.clone().filter(|_| vacant) {
                    Some(parent) => parent,
                    None => ids.message(),
                };
                out.push_back(TextMessageStart::new(&id).into());
                self.last_text = Some(id.clone());
                self.text.insert(id)
            }
        };
        out.push_back(TextMessageContent::new(id, delta).into());
    }

    /// Thinks a piece of text. Opens a span and a message when none is open.
    ///
    /// The caller has closed the text, whose end it decorates.
    pub(super) fn think(&mut self, delta: Text, ids: &mut dyn Ids, out: &mut VecDeque<Event>) {
        let message = &self.open_thought(ids, out).message;
        out.push_back(ReasoningMessageContent::new(message, delta).into());
    }

    /// Opens a span and a message without a word, for what has no words.
    pub(super) fn open_empty_thought(
        &mut self,
        ids: &mut dyn Ids,
        out: &mut VecDeque<Event>,
    ) -> MessageId {
        self.open_thought(ids, out).message.clone()
    }

    fn open_thought(&mut self, ids: &mut dyn Ids, out: &mut VecDeque<Event>) -> &Thought {
        let last = &mut self.last_thought;
        self.thought.get_or_insert_with(|| {
            let thought = Thought {
                span: ids.reasoning(),
                message: ids.reasoning(),
            };
            out.push_back(ReasoningStart::new(&thought.span).into());
            out.push_back(ReasoningMessageStart::new(&thought.message).into());
            *last = Some(thought.message.clone());
            thought
        })
    }

    /// Ends the open thought, if there is one.
    pub(super) fn close_thought(&mut self, out: &mut VecDeque<Event>) {
        if let Some(Thought { span, message }) = self.thought.take() {
            out.push_back(ReasoningMessageEnd::new(message).into());
            out.push_back(ReasoningEnd::new(span).into());
        }
    }

    /// Ends the open text, if there is one; `decorate` may add to its end.
    pub(super) fn close_text(
        &mut self,
        out: &mut VecDeque<Event>,
        decorate: impl FnOnce(TextMessageEnd) -> TextMessageEnd,
    ) {
        if let Some(id) = self.text.take() {
            out.push_back(decorate(TextMessageEnd::new(id)).into());
        }
    }

    /// The assistant message that the turn's calls belong to: the text's, or one without text. It
    /// stays the same for the whole turn.
    pub(super) fn parent(&mut self, ids: &mut dyn Ids) -> MessageId {
        let (last, vacant) = (&self.last_text, &mut self.vacant);
        let parent = self.parent.get_or_insert_with(|| {
            last.clone().unwrap_or_else(|| {
                *vacant = true;
                ids.message()
            })
        });
        parent.clone()
    }

    /// True while a text message is open.
    pub(super) fn speaking(&self) -> bool {
        self.text.is_some()
    }

    /// The assistant message of the turn: with the calls, or else the last with text.
    pub(super) fn message(&self) -> Option<&MessageId> {
        self.parent.as_ref().or(self.last_text.as_ref())
    }

    /// The last reasoning message, open or not.
    pub(super) fn last_thought(&self) -> Option<&MessageId> {
        self.last_thought.as_ref()
    }
}
