//! JSON documents one after another, cut out of bytes: one a line, or pretty-printed, or just one.

use std::ops::Range;

/// Finds where each document ends, without parsing it twice and at any split of the bytes.
///
/// What is no object and no array is cut at the end of its line, for the parser to complain about.
pub(super) struct Documents {
    limit: usize,
    buffer: Vec<u8>,
    /// Everything before is over with.
    start: usize,
    /// Everything before was looked at.
    at: usize,
    scan: Scan,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Scan {
    /// Between documents.
    Gap,
    /// In an object or array.
    Inside { depth: usize, string: Quote },
    /// In something else.
    Line,
}

/// Where a scan is with respect to a string.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Quote {
    Outside,
    Inside,
    Escaped,
}

/// A document is over the limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct TooLarge;

impl Documents {
    /// Cuts documents of up to `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            buffer: Vec::new(),
            start: 0,
            at: 0,
            scan: Scan::Gap,
        }
    }

    /// Takes in the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.at -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next document that is whole.
    pub(super) fn next(&mut self) -> Option<Result<&[u8], TooLarge>> {
        let found = self.find();
        if let Some(range) = found {
            return Some(Ok(self.buffer.get(range).unwrap_or_default()));
        }
        (self.at - self.start > self.limit).then_some(Err(TooLarge))
    }

    /// What is left at the end of the input: the last line, if it is no object or array. One of
    /// those that is not whole was cut off, and nothing can be made of it.
    pub(super) fn finish(&mut self) -> Option<&[u8]> {
        if self.scan != Scan::Line {
            return None;
        }
        self.scan = Scan::Gap;
        let range = self.start..self.buffer.len();
        self.start = self.buffer.len();
        self.buffer.get(range)
    }

    fn find(&mut self) -> Option<Range<usize>> {
        while let Some(&byte) = self.buffer.get(self.at) {
            self.at += 1;
            match &mut self.scan {
                Scan::Gap => match byte {
                    b' ' | b'\t' | b'\r' | b'\n' | b',' => self.start = self.at,
                    b'{' | b'[' => {
                        self.start = self.at - 1;
                        self.scan = Scan::Inside {
                            depth: 1,
                            string: Quote::Outside,
                        };
                    }
                    _ => {
                        self.start = self.at - 1;
                        self.scan = Scan::Line;
                    }
                },
                Scan::Inside { depth, string } => match (*string, byte) {
                    (Quote::Escaped, _) => *string = Quote::Inside,
                    (Quote::Inside, b'\\') => *string = Quote::Escaped,
                    (Quote::Inside, b'"') => *string = Quote::Outside,
                    (Quote::Inside, _) => {}
                    (Quote::Outside, b'"') => *string = Quote::Inside,
                    (Quote::Outside, b'{' | b'[') => *depth += 1,
                    (Quote::Outside, b'}' | b']') => {
                        *depth -= 1;
                        if *depth == 0 {
                            return Some(self.cut());
                        }
                    }
                    (Quote::Outside, _) => {}
                },
                Scan::Line if byte == b'\n' => return Some(self.cut()),
                Scan::Line => {}
            }
        }
        None
    }

    fn cut(&mut self) -> Range<usize> {
        self.scan = Scan::Gap;
        let range = self.start..self.at;
        self.start = self.at;
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        for size in 1..=text.len() {
            let mut documents = Documents::new(1000);
            let mut found = Vec::new();
            for bytes in text.as_bytes().chunks(size) {
                documents.feed(bytes);
                while let Some(document) = documents.next() {
                    let text = std::str::from_utf8(document.unwrap()).unwrap();
                    found.push(text.trim().to_owned());
                }
            }
            if let Some(rest) = documents.finish() {
                found.push(std::str::from_utf8(rest).unwrap().to_owned());
            }
            assert_eq!(found, expect, "in pieces of {size}");
        }
    }

    #[test]
    fn documents_are_cut_where_they_end() {
        check("{\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"]);
        check("{\n \"a\": [\n{}]\n}", &["{\n \"a\": [\n{}]\n}"]);
        check("{\"}\\\"{\":\"é\"}[1]", &["{\"}\\\"{\":\"é\"}", "[1]"]);
    }

    #[test]
    fn what_is_no_document_is_a_line() {
        check("{}\noops }{\n{}", &["{}", "oops }{", "{}"]);
        check("{}\nlast", &["{}", "last"]);
        check("[DONE]\n", &["[DONE]"]);
    }

    #[test]
    fn what_is_cut_off_is_dropped() {
        check("{}\n{\"a\":", &["{}"]);
    }

    #[test]
    fn a_document_has_a_limit() {
        let mut documents = Documents::new(4);
        documents.feed(b"{\"a\":1");
        assert_eq!(documents.next(), Some(Err(TooLarge)));
    }
}
