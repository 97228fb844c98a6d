//! The request as it is written: one pass from the client's input to the body.

use apron_protocol::Tool;
use serde_json::{Map, Value, json};

use super::ChatRequest;
use super::forward::{function_choice, response_schema};
use super::messages::Writer;
use super::names::ToolNames;
use super::options::{Flavor, ToolChoice};
use super::refusal::Refusal;
use super::repair::{Repair, Repairs};
use super::tools;
use super::turns::{Turn, turns};
use super::wire::Body;

/// A request, written.
pub(crate) struct Rendered<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) names: ToolNames,
    pub(crate) repairs: Repairs,
    pub(crate) refusal: Option<Refusal>,
}

impl ChatRequest {
    /// Writes the request; `flavor` is what the client knows, and the request's own comes first.
    pub(crate) fn render(&self, flavor: Option<Flavor>) -> Rendered<'_> {
        let flavor = self.settings.flavor.or(flavor).unwrap_or(Flavor::OpenAi);
        let mut repairs = Repairs::default();
        let (offered, unusable) = tools::select(&self.tools, &self.input.tools, &mut repairs);
        let turns = turns(&self.input.messages, &mut repairs);
        let names = ToolNames::of(&offered, called(&turns), flavor, &mut repairs);
        let writer = Writer::new(&self.settings, flavor, &names, &mut repairs);
        let (messages, unanswered) = writer.write(&self.system, &self.input, turns);
        let (options, unfit) = self.options(flavor, &offered, &names, &mut repairs);
        let strict = self.settings.strict_tools;
        let tools = offered
            .iter()
            .map(|tool| tools::to_value(tool, names.sent(&tool.name), strict))
            .collect();
        let forwarded = self.forward.model(self.input.forwarded_props.as_ref());
        Rendered {
            body: Body {
                model: forwarded.unwrap_or(&self.model),
                messages,
                tools,
                options,
            },
            names,
            repairs,
            refusal: unusable.or(unanswered).or(unfit),
        }
    }

    /// Every member but the model, the messages and the tools.
    fn options(
        &self,
        flavor: Flavor,
        tools: &[&Tool],
        names: &ToolNames,
        repairs: &mut Repairs,
    ) -> (Map<String, Value>, Option<Refusal>) {
        let props = self.input.forwarded_props.as_ref();
        let mut options = self.options.clone();
        if let Some(choice) = &self.tool_choice {
            options.insert("tool_choice".to_owned(), choice_value(choice, names));
        }
        let forwarded = self.forward.apply(props, names, &mut options);
        if tools.is_empty() {
            options.retain(|name, _| name != "tool_choice" && name != "parallel_tool_calls");
        }
        let limit = self.forward.max_tokens(props, self.max_tokens);
        if let Ok(Some(limit)) = limit {
            let name = match flavor {
                Flavor::OpenAi => "max_completion_tokens",
                Flavor::Compatible => "max_tokens",
            };
            options.insert(name.to_owned(), limit.into());
        }
        let schema = self.schema(props, &mut options, repairs);
        if self.settings.usage && !options.contains_key("stream_options") {
            let usage = json!({"include_usage": true});
            options.insert("stream_options".to_owned(), usage);
        }
        let refusal = forwarded.and(limit.map(drop)).and(schema).err();
        (options, refusal)
    }

    fn schema(
        &self,
        props: Option<&Value>,
        options: &mut Map<String, Value>,
        repairs: &mut Repairs,
    ) -> Result<(), Refusal> {
        let Some(schema) = response_schema(props) else {
            return Ok(());
        };
        if !self.settings.client_schema {
            repairs.add(Repair::IgnoredSchema);
        } else if schema.is_object() {
            let schema = json!({"name": "schema", "strict": true, "schema": schema});
            let format = json!({"type": "json_schema", "json_schema": schema});
            options.insert("response_format".to_owned(), format);
        } else {
            return Err(Refusal::ResponseSchema);
        }
        Ok(())
    }
}

/// Names of the tools that were called, those of today and those of long ago.
fn called<'a>(turns: &[Turn<'a>]) -> impl Iterator<Item = &'a str> {
    let calls = turns.iter().flat_map(|turn| match turn {
        Turn::Assistant(spoken) => spoken.calls.as_slice(),
        Turn::Developer(_) | Turn::System(_) | Turn::User(_) => &[],
    });
    calls.map(|called| called.call.function.name.as_str())
}

fn choice_value(choice: &ToolChoice, names: &ToolNames) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Tool(name) => function_choice(name, names),
    }
}
