//! HTTP/1.1's chunked framing, taken off.

/// Takes the chunked framing off a body that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct Dechunk {
    pending: Vec<u8>,
    done: bool,
}

impl Dechunk {
    /// True when the last chunk has come.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Takes `bytes` as they came and gives what they hold of the body.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(bytes);
        let mut body = Vec::new();
        while !self.done {
            let Some(line) = self.pending.windows(2).position(|two| two == b"\r\n") else {
                break;
            };
            let size = self
                .pending
                .get(..line)
                .and_then(|size| usize::from_str_radix(std::str::from_utf8(size).ok()?, 16).ok());
            let Some(size) = size else { break };
            let start = line + 2;
            if self.pending.len() < start + size + 2 {
                break;
            }
            body.extend(self.pending.get(start..start + size).unwrap_or_default());
            self.pending.drain(..start + size + 2);
            self.done = size == 0;
        }
        body
    }
}
