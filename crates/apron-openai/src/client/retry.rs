//! Whether and when to try again. No clock, no I/O.

use std::time::Duration;

use crate::failure_code::FailureCode;
use crate::http_error::HttpError;

/// When a call is repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryPolicy {
    /// How often it is repeated at most.
    pub(super) retries: u32,
    /// The wait before the first repetition; each further one is twice as long, up to [`LONGEST`].
    pub(super) backoff: Duration,
    /// The longest wait that a provider may ask for.
    pub(super) max_wait: Duration,
}

/// What to do about an attempt that failed before its answer began.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Verdict {
    /// Another attempt would end the same, or might be paid for twice.
    Final,
    /// Another attempt may do, after the wait that the provider asks for, if it does.
    Transient(Option<Duration>),
}

/// The repetitions of one call.
#[derive(Debug)]
pub(super) struct Retries {
    policy: RetryPolicy,
    done: u32,
    /// Spreads calls that fail together, so that they do not come back together.
    spread: u64,
}

/// The longest wait that is not the provider's own wish.
const LONGEST: Duration = Duration::from_secs(8);

impl Verdict {
    /// Judges an error answer; `wish` is the header `x-should-retry`, by which OpenAI overrules the
    /// status.
    pub(super) fn of(error: &HttpError, wish: Option<&str>) -> Self {
        let hopeless = matches!(
            error.failure_code(),
            FailureCode::InsufficientQuota
                | FailureCode::AuthenticationError
                | FailureCode::ContextLengthExceeded
                | FailureCode::ModelNotFound
                | FailureCode::ContentFilter
                | FailureCode::ToolCallInvalid
        );
        let transient = match wish {
            Some("true") => true,
            Some("false") => false,
            _ => matches!(error.status, 408 | 409 | 429 | 500..=599),
        };
        if transient && !hopeless {
            Self::Transient(error.retry_after)
        } else {
            Self::Final
        }
    }
}

impl Retries {
    /// The repetitions of a call. Calls with different `seed`s wait for slightly different times.
    pub(super) fn new(policy: RetryPolicy, seed: u64) -> Self {
        Self {
            policy,
            done: 0,
            spread: seed,
        }
    }

    /// How long to wait before the next attempt; `None` when there is none.
    pub(super) fn next(&mut self, verdict: Verdict) -> Option<Duration> {
        let Verdict::Transient(asked) = verdict else {
            return None;
        };
        if self.done >= self.policy.retries {
            return None;
        }
        let wait = match asked {
            // Who is told to come back in an hour had better say so than sit there.
            Some(asked) if asked > self.policy.max_wait => return None,
            Some(asked) if !asked.is_zero() => asked,
            _ => self.backoff(),
        };
        self.done += 1;
        Some(wait)
    }

    /// Three to four quarters of the doubled wait.
    fn backoff(&mut self) -> Duration {
        let doubled = 1_u32.checked_shl(self.done).unwrap_or(u32::MAX);
        let full = self.policy.backoff.saturating_mul(doubled).min(LONGEST);
        self.spread = scramble(self.spread);
        let part = u32::try_from(self.spread % 1024).unwrap_or_default();
        full - full / 4096 * part
    }
}

/// One step of SplitMix64.
fn scramble(seed: u64) -> u64 {
    let seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy = RetryPolicy {
        retries: 6,
        backoff: Duration::from_millis(500),
        max_wait: Duration::from_secs(20),
    };

    #[test]
    fn waits_double_up_to_eight_seconds_and_stay_within_a_quarter() {
        for seed in 0..100 {
            let mut retries = Retries::new(POLICY, seed);
            for full in [500, 1000, 2000, 4000, 8000, 8000] {
                let wait = retries.next(Verdict::Transient(None)).unwrap();
                let full = Duration::from_millis(full);
                assert!(wait <= full && wait >= full * 3 / 4, "{wait:?} of {full:?}");
            }
            assert_eq!(retries.next(Verdict::Transient(None)), None);
        }
    }

    #[test]
    fn calls_that_fail_together_come_back_apart() {
        let wait = |seed| Retries::new(POLICY, seed).next(Verdict::Transient(None));
        assert_eq!(wait(1), wait(1));
        assert_ne!(wait(1), wait(2));
    }

    #[test]
    fn the_providers_wish_counts_up_to_the_cap() {
        let mut retries = Retries::new(POLICY, 0);
        let mut next =
            |seconds| retries.next(Verdict::Transient(Some(Duration::from_secs(seconds))));
        assert_eq!(next(20), Some(Duration::from_secs(20)));
        assert_eq!(next(21), None);
        assert!(
            next(0).unwrap() >= Duration::from_millis(750),
            "no wait is no wish"
        );
    }

    #[test]
    fn no_retries_means_none() {
        let none = RetryPolicy {
            retries: 0,
            ..POLICY
        };
        assert_eq!(Retries::new(none, 0).next(Verdict::Transient(None)), None);
        assert_eq!(Retries::new(POLICY, 0).next(Verdict::Final), None);
    }

    #[test]
    fn a_status_is_tried_again_when_that_may_help() {
        let verdict = |status, body: &str| Verdict::of(&HttpError::new(status, body), None);
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert_eq!(verdict(status, ""), Verdict::Transient(None), "{status}");
        }
        for status in [200, 301, 400, 401, 402, 403, 404, 413, 422] {
            assert_eq!(verdict(status, ""), Verdict::Final, "{status}");
        }
        let quota = r#"{"error":{"type":"insufficient_quota","message":"pay"}}"#;
        assert_eq!(verdict(429, quota), Verdict::Final);
        let long = r#"{"error":{"code":"context_length_exceeded"}}"#;
        assert_eq!(verdict(500, long), Verdict::Final);
    }

    #[test]
    fn the_provider_may_overrule_the_status_but_not_the_quota() {
        let verdict =
            |status, body: &str, wish| Verdict::of(&HttpError::new(status, body), Some(wish));
        assert_eq!(verdict(500, "", "false"), Verdict::Final);
        assert_eq!(verdict(400, "", "true"), Verdict::Transient(None));
        let quota = r#"{"error":{"code":"insufficient_quota"}}"#;
        assert_eq!(verdict(429, quota, "true"), Verdict::Final);
    }
}
