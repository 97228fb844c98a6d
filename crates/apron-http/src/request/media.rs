//! Media types, as far as a door needs them.

/// Whether a `Content-Type` is `application/json` or `application/*+json`, with any parameters.
pub(super) fn is_json(content_type: &str) -> bool {
    let (kind, subtype) = essence(content_type);
    let suffixed = || {
        let (name, suffix) = subtype.rsplit_once('+').unwrap_or_default();
        !name.is_empty() && name.bytes().all(is_token) && suffix.eq_ignore_ascii_case("json")
    };
    kind.eq_ignore_ascii_case("application") && (subtype.eq_ignore_ascii_case("json") || suffixed())
}

/// Whether `Accept` lets us answer with `text/event-stream`.
///
/// Without a header, or with an empty one, it does. Else the most specific range that covers the
/// type decides, by whether its weight is zero.
pub(super) fn admits_event_stream(accept: impl Iterator<Item = impl AsRef<str>>) -> bool {
    let mut verdict = None;
    for value in accept {
        for range in value
            .as_ref()
            .split(',')
            .filter(|range| !range.trim().is_empty())
        {
            // Said twice, the kinder one counts.
            verdict = verdict.max(Some((specificity(range), !is_refusal(range))));
        }
    }
    match verdict {
        None => true,
        Some((Specificity::Other, _)) => false,
        Some((_, admitted)) => admitted,
    }
}

/// How closely a range fits `text/event-stream`.
fn specificity(range: &str) -> Specificity {
    match essence(range) {
        ("*", "*") => Specificity::Any,
        (kind, subtype) if kind.eq_ignore_ascii_case("text") => match subtype {
            "*" => Specificity::Kind,
            _ if subtype.eq_ignore_ascii_case("event-stream") => Specificity::Exact,
            _ => Specificity::Other,
        },
        _ => Specificity::Other,
    }
}

#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
enum Specificity {
    Other,
    Any,
    Kind,
    Exact,
}

/// Type and subtype, without parameters.
fn essence(media: &str) -> (&str, &str) {
    let essence = media.split_once(';').map_or(media, |(essence, _)| essence);
    essence.trim().split_once('/').unwrap_or_default()
}

/// Whether the range has a weight of zero. A weight that is no number refuses nothing.
fn is_refusal(range: &str) -> bool {
    let mut parameters = range
        .split(';')
        .skip(1)
        .filter_map(|one| one.split_once('='));
    let weight = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    weight.is_some_and(|(_, weight)| weight.trim().parse() == Ok(0.0_f32))
}

/// A character that a media type's name may have.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_json_with_any_parameters_and_suffix() {
        for yes in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/json;charset=UTF-8 ; x=y",
            "application/vnd.ag-ui.input+json",
            "application/x+Json;v=1",
        ] {
            assert!(is_json(yes), "{yes:?}");
        }
        for no in [
            "",
            "json",
            "text/json",
            "text/plain",
            "text/plain; application/json",
            "text/plain;x=a+json",
            "application/json, text/plain",
            "application/jsonp",
            "application/+json",
            "application/a b+json",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=application/json",
        ] {
            assert!(!is_json(no), "{no:?}");
        }
    }

    #[test]
    fn accept_is_weighed_by_its_most_specific_range() {
        let cases: [(&[&str], bool); 19] = [
            (&[], true),
            (&[""], true),
            (&["*/*"], true),
            (&["text/*"], true),
            (&["text/event-stream"], true),
            (&["TEXT/Event-Stream; charset=utf-8"], true),
            (&["text/event-stream, application/x-ndjson"], true),
            (&["application/json", "text/event-stream"], true),
            (&["application/json, */*;q=0.1"], true),
            (&["text/event-stream;q=0.001"], true),
            (&["*/*;q=0, text/event-stream"], true),
            (&["text/event-stream;q=0, text/event-stream"], true),
            (&["text/event-stream;q=much"], true),
            (&["application/json"], false),
            (&["text/html, image/*"], false),
            (&["text/event-stream;q=0"], false),
            (&["text/event-stream; Q=0.000, */*"], false),
            (&["text/*;q=0, */*"], false),
            (&["application/vnd.ag-ui.event+proto"], false),
        ];
        for (accept, admitted) in cases {
            assert_eq!(
                admits_event_stream(accept.iter().copied()),
                admitted,
                "{accept:?}"
            );
        }
    }
}
