//! The command line, as a person types it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use apron_cli::args::{self, Api, Cli, Format};
use clap::{CommandFactory, Parser};

use crate::http::request;

#[test]
fn the_definition_holds_together() {
    Cli::command().debug_assert();
}

#[test]
fn serve_listens_on_loopback_port_3000_by_default() {
    let args::Command::Serve(serve) = parse(&["serve"]) else {
        panic!("not serve")
    };
    assert_eq!(serve.addr.to_string(), "127.0.0.1:3000");
    assert_eq!(serve.provider_url, None);
}

#[test]
fn replay_takes_tools_by_commas_and_any_number_of_files() {
    let line = [
        "replay", "--api", "chat", "--tools", "a,b", "--format", "sse", "x.sse", "y.jsonl",
    ];
    let args::Command::Replay(replay) = parse(&line) else {
        panic!("not replay")
    };
    assert_eq!((replay.api, replay.format), (Api::Chat, Format::Sse));
    assert_eq!(replay.tools, ["a", "b"]);
    assert_eq!(replay.files.len(), 2);

    let args::Command::Replay(replay) = parse(&["replay", "--api", "chat", "x"]) else {
        panic!()
    };
    assert_eq!((replay.format, replay.tools.len()), (Format::Jsonl, 0));
}

#[test]
fn help_has_examples_and_exit_codes_for_every_command() {
    for command in ["serve", "replay"] {
        let output = apron(&[command, "--help"]).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success());
        assert!(help.contains(&format!("\n  apron {command}")), "{help}");
        assert!(help.contains("Exit codes:"), "{help}");
    }
}

#[test]
fn a_wrong_command_line_or_an_unreadable_file_ends_with_2() {
    for line in [
        &["serve", "--addr", "nowhere"][..],
        &["replay", "--api", "chat"],
        &["replay", "--api", "telegraph", "x"],
        &["replay", "--api", "chat", "no/such/file.sse"],
    ] {
        let output = apron(line).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{line:?}"
        );
    }
}

#[tokio::test]
async fn serve_says_where_it_is_and_which_provider_it_uses() {
    let mut command = apron(&["serve", "--addr", "127.0.0.1:0"]);
    let mut server = Server(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let address = lines.next().unwrap();
    let address = address
        .split(['/', ' '])
        .find(|part| part.starts_with("127.0.0.1:"))
        .unwrap();
    let provider = lines.next().unwrap();
    assert!(
        provider.starts_with("Provider: the scripted one at http://127.0.0.1:"),
        "{provider}"
    );
    assert_eq!(request(address, "GET", "/healthz", "").await.body, "ok");

    let taken = apron(&["serve", "--addr", address]).output().unwrap();
    assert_eq!(taken.status.code(), Some(1));
    let said = String::from_utf8(taken.stderr).unwrap();
    assert!(
        said.starts_with(&format!("apron: cannot listen on {address}: ")),
        "{said}"
    );
}

fn parse(line: &[&str]) -> args::Command {
    Cli::try_parse_from([&["apron"], line].concat())
        .unwrap()
        .command
}

/// The binary, away from whatever provider the environment names.
fn apron(line: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_apron"));
    command
        .args(line)
        .env_remove("OPENAI_API_KEY")
        .env_remove("RUST_LOG");
    command
}

/// Ended with the test, however that ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
