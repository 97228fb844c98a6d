//! `apron serve` as a process of its own, on a loopback port.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A running server with the scripted provider. It ends when dropped.
#[derive(Debug)]
pub struct Served {
    child: Child,
    addr: String,
}

impl Served {
    /// Starts `command` on a free port, and waits until it says where it listens.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or says something else.
    pub fn start(command: &Path) -> Result<Self, String> {
        let mut child = Command::new(command)
            .args(["serve", "--addr", "127.0.0.1:0"])
            // Whatever the machine is set up for, this is about the scripted provider.
            .env_remove("OPENAI_API_KEY")
            .env_remove("OPENAI_BASE_URL")
            .env_remove("OPENAI_MODEL")
            // It logs every failing run, and runs fail here on purpose.
            .env("RUST_LOG", "off")
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|err| format!("{}: {err}", command.display()))?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        let mut first = String::new();
        lines.read_line(&mut first).map_err(|err| err.to_string())?;
        // The rest is read too, so that the server never waits for a reader.
        thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let addr = first
            .split_once("http://")
            .and_then(|(_, rest)| rest.split_once('/'));
        let Some((addr, _)) = addr else {
            let _ = child.kill();
            return Err(format!("the server says {first:?}"));
        };
        Ok(Self {
            child,
            addr: addr.to_owned(),
        })
    }

    /// Where a run is posted to.
    #[must_use]
    pub fn run_url(&self) -> String {
        format!("http://{}/run", self.addr)
    }

    /// Gets a JSON document.
    ///
    /// # Errors
    ///
    /// When there is no answer, or one that is no JSON.
    pub fn get_json(&self, path: &str) -> Result<Value, String> {
        let fail = |err: std::io::Error| err.to_string();
        let mut stream = TcpStream::connect(&self.addr).map_err(fail)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(fail)?;
        // HTTP/1.0, so that the body is what comes until the end.
        write!(stream, "GET {path} HTTP/1.0\r\nhost: {}\r\n\r\n", self.addr).map_err(fail)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(fail)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("no head")?;
        if !head.contains(" 200 ") {
            return Err(head.to_owned());
        }
        serde_json::from_str(body).map_err(|err| format!("{err}: {body}"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const PATIENCE: Duration = Duration::from_secs(20);
