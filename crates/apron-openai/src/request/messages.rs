//! Turns as the provider's messages.

use std::borrow::Cow;

use apron_protocol::{InstructionMessage, RunAgentInput};
use serde::de::IgnoredAny;

use super::content::{self, WireContent};
use super::ids::IdGiver;
use super::names::{ToolNames, is_plain};
use super::options::{
    ClientContext, ClientInstructions, Flavor, InstructionRole, MissingResults, ReasoningReplay,
    Settings,
};
use super::refusal::Refusal;
use super::repair::{Repair, Repairs};
use super::turns::{Called, Spoken, Turn};
use super::wire::{
    WireAssistant, WireCall, WireFunction, WireInstruction, WireMessage, WireTool, WireUser,
};
use crate::envelope::Envelope;

/// Writes the messages of one request.
pub(super) struct Writer<'a, 'r> {
    settings: &'a Settings,
    flavor: Flavor,
    names: &'r ToolNames,
    repairs: &'r mut Repairs,
    refusal: Option<Refusal>,
    ids: IdGiver,
    messages: Vec<WireMessage<'a>>,
}

impl<'a, 'r> Writer<'a, 'r> {
    pub(super) fn new(
        settings: &'a Settings,
        flavor: Flavor,
        names: &'r ToolNames,
        repairs: &'r mut Repairs,
    ) -> Self {
        Self {
            settings,
            flavor,
            names,
            repairs,
            refusal: None,
            ids: IdGiver::new(settings.call_ids),
            messages: Vec::new(),
        }
    }

    /// Writes everything: the server's instructions, the client's context, the conversation.
    pub(super) fn write(
        mut self,
        system: &'a [String],
        input: &'a RunAgentInput,
        turns: Vec<Turn<'a>>,
    ) -> (Vec<WireMessage<'a>>, Option<Refusal>) {
        for text in system {
            self.instruct(InstructionRole::System, text.into(), None);
        }
        self.write_context(input);
        let newest = turns.len().saturating_sub(1);
        for (at, turn) in turns.into_iter().enumerate() {
            match turn {
                Turn::Developer(it) => self.write_instruction(InstructionRole::Developer, it),
                Turn::System(it) => self.write_instruction(InstructionRole::System, it),
                Turn::User(user) => {
                    let files = self.settings.client_files;
                    match WireContent::of_user(&user.content, files, self.repairs) {
                        Some(content) => {
                            let name = self.author(user.name.as_deref());
                            self.push_user(content, name);
                        }
                        None => self.repairs.add(Repair::EmptyMessage),
                    }
                }
                Turn::Assistant(spoken) => self.write_spoken(spoken, at == newest),
            }
        }
        (self.messages, self.refusal)
    }

    fn write_context(&mut self, input: &RunAgentInput) {
        if self.settings.client_context == ClientContext::Drop || input.context.is_empty() {
            return;
        }
        let mut text = "Context from the application:".to_owned();
        for context in &input.context {
            text.push_str("\n\n");
            text.push_str(&context.description);
            text.push_str(": ");
            text.push_str(&context.value);
        }
        match self.settings.client_instructions {
            ClientInstructions::Keep => {
                self.instruct(InstructionRole::System, Cow::Owned(text), None);
            }
            // Who may not instruct the model may not do it by way of context either.
            ClientInstructions::Drop => self.push_user(WireContent::Text(Cow::Owned(text)), None),
        }
    }

    fn write_instruction(&mut self, given: InstructionRole, message: &'a InstructionMessage) {
        match self.settings.client_instructions {
            ClientInstructions::Keep => {
                let name = self.author(message.name.as_deref());
                self.instruct(given, message.content.as_str().into(), name);
            }
            ClientInstructions::Drop => self.repairs.add(Repair::DroppedInstructions),
        }
    }

    fn instruct(&mut self, given: InstructionRole, content: Cow<'a, str>, name: Option<&'a str>) {
        let default = match self.flavor {
            Flavor::OpenAi => InstructionRole::AsGiven,
            Flavor::Compatible => InstructionRole::System,
        };
        let role = match self.settings.instruction_role.unwrap_or(default) {
            InstructionRole::AsGiven => given,
            other => other,
        };
        let message = WireInstruction { content, name };
        match role {
            InstructionRole::User => {
                self.push_user(WireContent::Text(message.content), message.name);
            }
            InstructionRole::Developer => self.messages.push(WireMessage::Developer(message)),
            InstructionRole::System | InstructionRole::AsGiven => self.push_system(message),
        }
    }

    /// Chat templates of open models accept one system message, and only at the start.
    fn push_system(&mut self, message: WireInstruction<'a>) {
        if self.flavor == Flavor::Compatible
            && let [WireMessage::System(first)] = self.messages.as_mut_slice()
        {
            first.content = Cow::Owned(format!("{}\n\n{}", first.content, message.content));
            first.name = None;
            self.repairs.add(Repair::MergedInstructions);
        } else {
            self.messages.push(WireMessage::System(message));
        }
    }

    fn push_user(&mut self, content: WireContent<'a>, name: Option<&'a str>) {
        let last = self.messages.last();
        if self.settings.merge_users && matches!(last, Some(WireMessage::User(_))) {
            if let Some(WireMessage::User(last)) = self.messages.pop() {
                let content = last.content.join(content);
                let name = last.name.filter(|last| Some(*last) == name);
                self.messages
                    .push(WireMessage::User(WireUser { content, name }));
                self.repairs.add(Repair::MergedUsers);
            }
        } else {
            self.messages
                .push(WireMessage::User(WireUser { content, name }));
        }
    }

    fn author(&mut self, name: Option<&'a str>) -> Option<&'a str> {
        let plain = name.filter(|name| is_plain(name));
        if name.is_some() && plain.is_none() {
            self.repairs.add(Repair::AuthorName);
        }
        plain
    }

    /// Writes what the model said, and the results of its calls right behind it.
    fn write_spoken(&mut self, spoken: Spoken<'a>, newest: bool) {
        let mut message = WireAssistant {
            content: spoken.text,
            name: self.author(spoken.name),
            ..WireAssistant::default()
        };
        self.replay(&spoken, &mut message);
        let mut results = Vec::with_capacity(spoken.calls.len());
        for called in spoken.calls {
            self.write_call(&called, newest, &mut message.tool_calls, &mut results);
        }
        if message.content.is_none() && message.tool_calls.is_empty() {
            return;
        }
        self.messages.push(WireMessage::Assistant(message));
        self.messages.extend(results);
    }

    fn write_call(
        &mut self,
        called: &Called<'a>,
        newest: bool,
        calls: &mut Vec<WireCall<'a>>,
        results: &mut Vec<WireMessage<'a>>,
    ) {
        let call = called.call;
        let result = match (called.result, self.settings.missing_results) {
            (Some(result), _) => content::of_result(result, self.repairs),
            (None, MissingResults::DropCall) => {
                self.repairs.add(Repair::DroppedCall);
                return;
            }
            (None, policy) => {
                if newest && policy == MissingResults::RefuseNewest {
                    let id = call.id.clone();
                    self.refusal.get_or_insert(Refusal::UnansweredCall { id });
                }
                self.repairs.add(Repair::MissingResult);
                Cow::Borrowed(NO_RESULT)
            }
        };
        let (arguments, repair) = arguments(&call.function.arguments);
        let result = if repair == Some(Repair::InvalidArguments) {
            Cow::Owned(format!("{BAD_ARGUMENTS}\n{result}"))
        } else {
            result
        };
        if let Some(repair) = repair {
            self.repairs.add(repair);
        }
        let id = self.ids.give(call.id.as_str(), self.repairs);
        let envelope = call.encrypted_value.as_deref().and_then(|it| self.open(it));
        calls.push(WireCall {
            id: id.clone(),
            kind: "function",
            function: WireFunction {
                name: self.tool(&call.function.name),
                arguments,
            },
            extra_content: envelope.and_then(|envelope| envelope.extra_content),
        });
        results.push(WireMessage::Tool(WireTool {
            tool_call_id: id,
            content: result,
        }));
    }

    fn tool(&self, name: &'a str) -> Cow<'a, str> {
        let changed = self.names.changed(name);
        changed.map_or(Cow::Borrowed(name), |sent| Cow::Owned(sent.to_owned()))
    }

    /// Puts back what the provider wants to see again.
    fn replay(&self, spoken: &Spoken<'a>, message: &mut WireAssistant<'a>) {
        if self.settings.reasoning == ReasoningReplay::Text && !spoken.reasoning.is_empty() {
            message.reasoning_content = Some(spoken.reasoning.join("\n"));
        }
        for envelope in spoken.sealed.iter().filter_map(|sealed| self.open(sealed)) {
            message.reasoning_details.extend(envelope.reasoning_details);
            let encrypted = envelope.reasoning_encrypted;
            message.reasoning_encrypted = encrypted.or(message.reasoning_encrypted.take());
            let extra = envelope.extra_content;
            message.extra_content = extra.or(message.extra_content.take());
        }
    }

    /// Opens what was sealed by the provider that the request goes to.
    fn open(&self, sealed: &str) -> Option<Envelope> {
        if self.flavor == Flavor::OpenAi || self.settings.reasoning == ReasoningReplay::Never {
            return None;
        }
        Envelope::open(sealed).filter(|it| it.provider == self.settings.provider)
    }
}

/// The result of a call that has none.
const NO_RESULT: &str = "[no result: the call was not completed]";
/// Stands before the result of a call whose arguments were replaced.
const BAD_ARGUMENTS: &str = "[the arguments of this call were not valid JSON]";

/// Arguments that every provider can parse. What the model wrote is never guessed at: it stays, or
/// it becomes `{}`.
fn arguments(text: &str) -> (&str, Option<Repair>) {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed == "null" {
        ("{}", Some(Repair::EmptyArguments))
    } else if trimmed.starts_with('{') && serde_json::from_str::<IgnoredAny>(trimmed).is_ok() {
        (text, None)
    } else {
        ("{}", Some(Repair::InvalidArguments))
    }
}
