//! A provider on a loopback port that gives one answer and is gone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

/// The answer of a provider that refuses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusing {
    /// The HTTP status.
    pub status: u16,
    /// Headers, without those that frame the body.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Refusing {
    /// An answer of `status` with `headers` and `body`.
    #[must_use]
    pub fn new(status: u16, headers: Vec<(String, String)>, body: impl Into<String>) -> Self {
        Self {
            status,
            headers,
            body: body.into(),
        }
    }

    /// Gives the answer to the first request; the base URL, and a handle that gives the request.
    #[must_use]
    pub fn start(self) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let served = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let request = read_request(&mut reader);
            self.answer(stream);
            request
        });
        (url, served)
    }

    fn answer(&self, mut stream: impl Write) {
        let mut head = format!("HTTP/1.1 {} Refused\r\n", self.status);
        for (name, value) in &self.headers {
            let framing = [
                "content-length",
                "transfer-encoding",
                "connection",
                "content-encoding",
            ];
            if !framing.contains(&&*name.to_ascii_lowercase()) {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        let length = self.body.len();
        head.push_str(&format!(
            "content-length: {length}\r\nconnection: close\r\n\r\n"
        ));
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(self.body.as_bytes()).unwrap();
    }
}

fn read_request(reader: &mut impl BufRead) -> String {
    let mut request = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        request.push_str(&line);
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body).unwrap();
    request + &body
}
