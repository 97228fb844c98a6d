//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// AG-UI 1.0 from OpenAI-compatible streams.
#[derive(Clone, Debug, Parser)]
#[command(name = "apron", version, about, after_help = EXIT_CODES, arg_required_else_help = true)]
#[non_exhaustive]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What `apron` can do.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Serve a chat over AG-UI, with a page to try it on
    #[command(after_help = SERVE_HELP)]
    Serve(Serve),
    /// Turn recorded provider streams into AG-UI events
    #[command(after_help = REPLAY_HELP)]
    Replay(Replay),
}

/// The arguments of `apron serve`.
#[derive(Args, Clone, Debug)]
#[non_exhaustive]
pub struct Serve {
    /// The address to listen on; port 0 takes any free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:3000")]
    pub addr: SocketAddr,
    /// The base URL of an OpenAI-compatible provider, whatever the environment says
    #[arg(long, value_name = "URL")]
    pub provider_url: Option<String>,
}

/// The arguments of `apron replay`.
#[derive(Args, Clone, Debug)]
#[non_exhaustive]
pub struct Replay {
    /// The API that the streams were recorded from
    #[arg(long, value_enum)]
    pub api: Api,
    /// The names of the tools that the request offered, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tools: Vec<String>,
    /// How to write the events
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    pub format: Format,
    /// Recordings: server-sent events, or one JSON chunk a line
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// A provider's API.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
#[non_exhaustive]
pub enum Api {
    /// Chat Completions
    Chat,
}

/// A way to write events down.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
#[non_exhaustive]
pub enum Format {
    /// As they go over the wire: server-sent events
    Sse,
    /// One event a line; with several files one file a line, {"file":…,"events":[…]}
    Jsonl,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 the server could not start or output could not be written; \
2 a wrong command line, or a file that cannot be read";

const SERVE_HELP: &str = "\
Routes:
  GET  /           a page to chat on
  POST /run        an AG-UI RunAgentInput in, server-sent events out
  GET  /scenarios  the scripted answers: [{\"name\", \"prompt\", \"description\"}]
  GET  /healthz    200 and `ok`

Environment:
  OPENAI_API_KEY   the provider's key; without it, a scripted provider is started on a
                   loopback port, and everything works offline
  OPENAI_BASE_URL  the provider, if it is not OpenAI (only with a key)
  OPENAI_MODEL     the model to ask for
  RUST_LOG         what to log on standard error, such as apron=debug

Examples:
  apron serve
  OPENAI_API_KEY=… OPENAI_MODEL=gpt-5-mini apron serve --addr 127.0.0.1:8080
  OPENAI_MODEL=llama3.2 apron serve --provider-url http://127.0.0.1:11434/v1

Exit codes: 1 the address or the provider is not to be had; 2 a wrong command line";

const REPLAY_HELP: &str = "\
Examples:
  apron replay --api chat recording.sse
  apron replay --api chat --format sse --tools get_weather,get_time recording.jsonl
  apron replay --api chat recordings/*.sse

Exit codes: 0 done, also when a run ends in RUN_ERROR; 1 output could not be written; \
2 a wrong command line, or a file that cannot be read";
