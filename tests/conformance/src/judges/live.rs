//! Judges of a live server: clients and checkers in processes of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A judge of a live server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Judge {
    /// The official client 1.0.0.
    Official,
    /// The official client 0.0.59, which most UIs carry.
    Older,
    /// The official zod schemas.
    Schema,
    /// The official pydantic models.
    Pydantic,
    /// ag-ui-validate, warnings included.
    Validate,
    /// ag-ui-validate as its own client, which also sees how the bytes travel; it has one input of
    /// its own.
    Transport,
    /// TanStack AI's chat client.
    TanStack,
}

impl Judge {
    /// Every judge.
    pub const ALL: [Self; 7] = [
        Self::Official,
        Self::Older,
        Self::Schema,
        Self::Pydantic,
        Self::Validate,
        Self::Transport,
        Self::TanStack,
    ];
}

/// A prompt, and what the client knows when it posts it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scenario {
    /// Its name in reports.
    pub name: String,
    prompt: String,
    messages: Value,
    tools: Value,
}

impl Scenario {
    /// What follows from an entry of the server's list. The tools are called with a client that has
    /// them, and with one that has not.
    #[must_use]
    pub fn of(entry: &Value) -> Vec<Self> {
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let (name, prompt) = (text("name"), text("prompt"));
        let of = |name: &str, tools: Value| Self {
            name: name.to_owned(),
            messages: json!([{"id": "u1", "role": "user", "content": prompt}]),
            prompt: prompt.clone(),
            tools,
        };
        if name == "tools" {
            return vec![of("tools", tools()), of("tools, unknown", json!([]))];
        }
        vec![of(&name, json!([]))]
    }

    /// Clients before 1.0 declare no version.
    fn input(&self, version: bool) -> Value {
        let mut input = json!({
            "threadId": "t1", "runId": format!("r-{}", self.name.replace([',', ' '], "")),
            "state": {}, "context": [], "forwardedProps": {},
            "messages": self.messages, "tools": self.tools,
        });
        if version {
            input["protocolVersion"] = "1.0".into();
        }
        input
    }
}

fn tools() -> Value {
    let tool = |name: &str, argument: &str| {
        json!({"name": name, "description": "", "parameters": {
            "type": "object", "properties": {argument: {"type": "string"}}}})
    };
    json!([tool("get_weather", "city"), tool("get_time", "timezone")])
}

/// What a judge said.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// The exit code; 0 is satisfied.
    pub exit: Option<i32>,
    /// Everything it printed.
    pub said: String,
}

/// The judges, and the server before them.
#[derive(Debug)]
pub struct Bench {
    judges: PathBuf,
    url: String,
    folder: PathBuf,
}

impl Bench {
    /// A bench of the judges in the folder `judges` (`APRON_JUDGES`), before the server at `url`.
    /// Inputs are written into `folder`.
    #[must_use]
    pub fn new(judges: PathBuf, url: String, folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).unwrap();
        Self {
            judges,
            url,
            folder,
        }
    }

    /// Has one judge run one scenario.
    #[must_use]
    pub fn ask(&self, judge: Judge, scenario: &Scenario) -> Verdict {
        let version = !matches!(judge, Judge::Older | Judge::TanStack);
        let input = self.folder.join(format!("{judge:?}.json"));
        fs::write(&input, scenario.input(version).to_string()).unwrap();
        let input = input.to_string_lossy();
        let url = &*self.url;
        let python = self.judges.join(".venv/bin/python");
        let (program, arguments): (&Path, Vec<&str>) = match judge {
            Judge::Official => (Path::new("node"), vec!["judge-agui.mjs", url, &input]),
            Judge::Older => {
                let older = ["--client", "0.0.59"];
                (
                    Path::new("node"),
                    [&["judge-agui.mjs", url, &input][..], &older].concat(),
                )
            }
            Judge::Schema => (Path::new("node"), vec!["judge-schema.mjs", url, &input]),
            Judge::Pydantic => (
                &python,
                vec!["judge_pydantic.py", url, "--input", &input, "--strict"],
            ),
            Judge::Validate => (
                Path::new("./judge-validate.sh"),
                vec![url, &input, "--max-warnings", "0"],
            ),
            Judge::Transport => (
                Path::new("./judge-validate.sh"),
                vec![url, "--max-warnings", "0"],
            ),
            Judge::TanStack => (
                Path::new("node"),
                vec![
                    "judge-tanstack.mjs",
                    url,
                    "--quiet",
                    "--say",
                    &scenario.prompt,
                ],
            ),
        };
        let output = self.run(program, &arguments);
        let said = [&*output.stdout, &output.stderr]
            .map(String::from_utf8_lossy)
            .concat();
        Verdict {
            exit: output.status.code(),
            said,
        }
    }

    /// The scenario that follows `calls`: what the official client has after it, and the results.
    #[must_use]
    pub fn answered(&self, calls: &Scenario) -> Scenario {
        let verdict = self.ask(Judge::Official, calls);
        let last: Value = serde_json::from_str(verdict.said.lines().last().unwrap()).unwrap();
        let mut messages = last["final"]["messages"].as_array().unwrap().clone();
        let calls: Vec<Value> = messages
            .iter()
            .flat_map(|message| {
                message["toolCalls"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .cloned()
            })
            .collect();
        assert_eq!(calls.len(), 2, "the client has two calls to answer: {last}");
        for (at, call) in calls.iter().enumerate() {
            let id = format!("result{at}");
            let content = format!("result {at}");
            let result =
                json!({"id": id, "role": "tool", "toolCallId": call["id"], "content": content});
            messages.push(result);
        }
        let prompt = String::from("What did the tools say?");
        Scenario {
            name: "tools, answered".to_owned(),
            prompt,
            messages: messages.into(),
            tools: tools(),
        }
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Output {
        Command::new(program)
            .args(arguments)
            .current_dir(&self.judges)
            .output()
            .unwrap_or_else(|err| panic!("{}: {err}", program.display()))
    }
}
