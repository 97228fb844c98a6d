//! `apron replay`: recorded provider streams to AG-UI events.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use apron::emit;
use apron::http::EventBody;
use apron::openai::chat;
use apron::protocol::{Event, RunAgentInput, Tool};
use futures_util::{StreamExt, stream};

use crate::Error;
use crate::args::{Format, Replay};

/// Replays every file, each as a run of its own.
pub(crate) async fn replay(args: &Replay, out: &mut impl Write) -> Result<(), Error> {
    for path in &args.files {
        let recording = fs::read(path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        let events = events(input(&args.tools), recording).await;
        let written = match args.format {
            Format::Sse => write_sse(events, out).await,
            Format::Jsonl if args.files.len() == 1 => write_lines(&events, out),
            Format::Jsonl => write_one_line(path, &events, out),
        };
        written.map_err(Error::Write)?;
    }
    out.flush().map_err(Error::Write)
}

/// What a client would have asked for: a run with those tools.
fn input(tools: &[String]) -> RunAgentInput {
    let tools = tools
        .iter()
        .filter(|name| !name.is_empty())
        .map(|name| Tool::new(name.as_str(), ""));
    tools.fold(
        RunAgentInput::new("replay", "replay"),
        RunAgentInput::with_tool,
    )
}

/// The run that the recording makes.
async fn events(input: RunAgentInput, recording: Vec<u8>) -> Vec<Event> {
    let run = emit::stream(input, move |run| async move {
        let body = stream::iter([Ok::<_, io::Error>(recording)]);
        Ok(run.relay(chat::events(body)).await?)
    });
    run.collect().await
}

async fn write_sse(events: Vec<Event>, out: &mut impl Write) -> io::Result<()> {
    let mut body = EventBody::new(stream::iter(events));
    while let Some(Ok(chunk)) = body.next().await {
        out.write_all(&chunk)?;
    }
    Ok(())
}

fn write_lines(events: &[Event], out: &mut impl Write) -> io::Result<()> {
    events
        .iter()
        .try_for_each(|event| writeln!(out, "{}", event.to_json()))
}

fn write_one_line(path: &Path, events: &[Event], out: &mut impl Write) -> io::Result<()> {
    let file = serde_json::Value::from(path.to_string_lossy());
    let events: Vec<_> = events.iter().map(Event::to_json).collect();
    writeln!(out, r#"{{"file":{file},"events":[{}]}}"#, events.join(","))
}
