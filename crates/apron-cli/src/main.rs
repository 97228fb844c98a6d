//! The `apron` command.

use std::error::Error as _;
use std::io::{self, Write};
use std::process::ExitCode;

use apron_cli::args::Cli;
use apron_cli::{Error, run};
use clap::Parser;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // When even standard error is closed, the exit code still tells.
            let _ = writeln!(io::stderr(), "apron: {}", chain(&error));
            ExitCode::from(error.exit_code())
        }
    }
}

/// The error and what lies behind it, in one line.
fn chain(error: &Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        line += &format!(": {cause}");
        source = cause.source();
    }
    line
}
