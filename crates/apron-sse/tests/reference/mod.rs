//! The WHATWG event stream algorithm, written as the standard tells it: over a whole text, with no
//! eye to speed or memory. What the decoder is measured against.

use apron_sse::{Decoder, Error, Frame};

/// A frame as plain data, to be compared between the two.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    Event {
        event: Option<String>,
        data: String,
        id: Option<String>,
        retry_millis: Option<u128>,
        complete: bool,
    },
    Comment(String, bool),
    Ignored(String, String, bool),
    TooLarge,
    /// Nothing that a decoder should give, so nothing that the standard's side ever is.
    Strange(String),
}

/// Everything a stream came to.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) seen: Vec<Seen>,
    pub(crate) last_event_id: Option<String>,
    pub(crate) retry_millis: Option<u128>,
    pub(crate) ignored_fields: u64,
}

/// What the standard says about `input`.
pub(crate) fn by_the_standard(input: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(input.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(input));
    let mut seen = Vec::new();
    let (mut event, mut data, mut id, mut retry) = (String::new(), None::<String>, None, None);
    let (mut last_event_id, mut last_retry) = (String::new(), None);

    // One sort of line end, and then what follows the last one was cut off.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let (ended, tail) = text
        .rsplit_once('\n')
        .map_or((None, &*text), |(a, b)| (Some(a), b));
    let ended = ended
        .iter()
        .flat_map(|text| text.split('\n'))
        .map(|line| (line, true));
    let tail = Some((tail, false)).filter(|(line, _)| !line.is_empty());

    for (line, complete) in ended.chain(tail) {
        if line.is_empty() {
            if let Some(id) = &id {
                last_event_id = String::clone(id);
            }
            let name = Some(std::mem::take(&mut event)).filter(|name| !name.is_empty());
            let (id, retry_millis) = (id.take(), retry.take());
            if let Some(data) = data.take() {
                seen.push(Seen::Event {
                    event: name,
                    data,
                    id,
                    retry_millis,
                    complete: true,
                });
            }
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match name {
            "" => seen.push(Seen::Comment(value, complete)),
            "event" => event = value,
            "data" => data = Some(data.map_or(value.clone(), |data| data + "\n" + &value)),
            "id" if !value.contains('\0') => id = Some(value),
            "retry" if is_number(&value) => {
                retry = value.parse().ok();
                if complete {
                    last_retry = retry;
                }
            }
            _ => seen.push(Seen::Ignored(name.to_owned(), value, complete)),
        }
    }
    if let Some(data) = data {
        let event = Some(event).filter(|name| !name.is_empty());
        seen.push(Seen::Event {
            event,
            data,
            id,
            retry_millis: retry,
            complete: false,
        });
    }
    let ignored_fields = seen
        .iter()
        .filter(|seen| matches!(seen, Seen::Ignored(..)))
        .count();
    Outcome {
        seen,
        last_event_id: Some(last_event_id).filter(|id| !id.is_empty()),
        retry_millis: last_retry,
        ignored_fields: ignored_fields as u64,
    }
}

/// What the decoder makes of it, fed in these chunks.
pub(crate) fn by_the_decoder(
    mut decoder: Decoder,
    chunks: impl IntoIterator<Item: AsRef<[u8]>>,
) -> Outcome {
    let mut seen = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk.as_ref());
        while let Some(frame) = decoder.next_frame() {
            seen.push(plain(frame));
        }
    }
    while let Some(frame) = decoder.finish() {
        seen.push(plain(frame));
    }
    Outcome {
        seen,
        last_event_id: decoder.last_event_id().map(str::to_owned),
        retry_millis: decoder.retry().map(|retry| retry.as_millis()),
        ignored_fields: decoder.ignored_fields(),
    }
}

fn plain(frame: Result<Frame<'_>, Error>) -> Seen {
    match frame {
        Ok(Frame::Event(event)) => Seen::Event {
            event: event.event.map(String::from),
            data: event.data.into_owned(),
            id: event.id.map(String::from),
            retry_millis: event.retry.map(|retry| retry.as_millis()),
            complete: event.complete,
        },
        Ok(Frame::Comment(comment)) => Seen::Comment(comment.text.into_owned(), comment.complete),
        Ok(Frame::Ignored(field)) => Seen::Ignored(
            field.name.into_owned(),
            field.value.into_owned(),
            field.complete,
        ),
        Err(Error::TooLarge { .. }) => Seen::TooLarge,
        other => Seen::Strange(format!("{other:?}")),
    }
}

fn is_number(value: &str) -> bool {
    !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_digit())
        && value.parse::<u64>().is_ok()
}
