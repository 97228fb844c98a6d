//! How long a provider asks to wait.

use std::time::{Duration, SystemTime};

/// Reads the wait out of the headers `retry-after-ms` (milliseconds, which OpenAI sends) and
/// `retry-after` (seconds, also with a fraction, or an HTTP date).
///
/// A date is taken against the answer's own `date`, so that neither clock need be right, and against
/// `now` when there is none. A date in the past means no wait at all.
pub(crate) fn retry_after<'a>(
    header: impl Fn(&'static str) -> Option<&'a str>,
    now: SystemTime,
) -> Option<Duration> {
    let number = |name| header(name)?.trim().parse::<f64>().ok();
    let wait = number("retry-after-ms").map(|millis| millis / 1000.0);
    if let Some(seconds) = wait.or_else(|| number("retry-after")) {
        // Negative, infinite and not-a-number are no durations.
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name| httpdate::parse_http_date(header(name)?.trim()).ok();
    let until = date("retry-after")?;
    let since = date("date").unwrap_or(now);
    Some(until.duration_since(since).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: &[(&str, &str)], expected: Option<f64>) {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let header = |name| {
            let found = headers.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| *value)
        };
        assert_eq!(
            retry_after(header, now),
            expected.map(Duration::from_secs_f64),
            "{headers:?}"
        );
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_read() {
        check(&[], None);
        check(&[("retry-after", "3")], Some(3.0));
        check(&[("retry-after", " 0.25 ")], Some(0.25));
        check(&[("retry-after-ms", "1500")], Some(1.5));
        check(
            &[("retry-after", "3"), ("retry-after-ms", "1500")],
            Some(1.5),
        );
        check(
            &[("retry-after", "3"), ("retry-after-ms", "soon")],
            Some(3.0),
        );
        check(
            &[("retry-after", "Sun, 06 Nov 1994 08:49:57 GMT")],
            Some(20.0),
        );
        check(
            &[("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT")],
            Some(0.0),
        );
        check(
            &[
                ("retry-after", "Sun, 06 Nov 1994 09:00:07 GMT"),
                ("date", "Sun, 06 Nov 1994 09:00:00 GMT"),
            ],
            Some(7.0),
        );
    }

    #[test]
    fn what_is_no_wait_is_none() {
        for value in ["", "soon", "-1", "inf", "NaN", "1e300", "3s"] {
            check(&[("retry-after", value)], None);
        }
    }
}
