//! A script on its way to the client: the response body, paced and observed.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::vec;

use bytes::Bytes;
use futures_core::Stream;
use tokio::time::{Sleep, sleep};

use super::script::{Script, Step, Timed};
use super::stats::InFlight;
use super::wire::Wire;

/// Plays a script: one item a step, each after its pause.
///
/// It ends with `None` after a clean script and with an error where the script breaks off, which
/// makes the server close the connection without the body's proper end.
pub(super) struct Body {
    steps: vec::IntoIter<Timed>,
    /// The step being waited for.
    next: Option<Step>,
    pause: Option<Pin<Box<Sleep>>>,
    pace: f32,
    wire: Wire,
    /// Set once the server has had a chance to flush what came before an abort.
    flushed: bool,
    /// Resolves when the provider is dropped.
    closing: Pin<Box<dyn Future<Output = ()> + Send>>,
    in_flight: InFlight,
}

impl Body {
    /// `pace` multiplies the script's pauses; `closing` resolves when the provider goes away.
    pub(super) fn new(
        script: Script,
        wire: Wire,
        pace: f32,
        closing: impl Future<Output = ()> + Send + 'static,
        in_flight: InFlight,
    ) -> Self {
        Self {
            steps: script.into_steps().into_iter(),
            next: None,
            pause: None,
            pace,
            wire,
            flushed: false,
            closing: Box::pin(closing),
            in_flight,
        }
    }

    /// The step to play now, its pause over.
    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Option<Step>> {
        if self.next.is_none() {
            let Some((after, step)) = self.steps.next() else {
                return Poll::Ready(None);
            };
            self.next = Some(step);
            self.pause = scaled(after, self.pace).map(|pause| Box::pin(sleep(pause)));
        }
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        Poll::Ready(self.next.take())
    }
}

impl Stream for Body {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.closing.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Some(Err(broken("the provider is shutting down"))));
        }
        match ready!(self.poll_step(cx)) {
            None => {
                self.in_flight.finish();
                Poll::Ready(None)
            }
            Some(Step::Abort) if !self.flushed => {
                // An error makes the server forget what it has buffered, so let it write first.
                self.flushed = true;
                self.next = Some(Step::Abort);
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Step::Abort) => {
                self.in_flight.finish();
                Poll::Ready(Some(Err(broken("the script breaks off here"))))
            }
            Some(Step::Silence) => {
                // `closing` keeps the waker, so a provider that goes away still ends this.
                self.next = Some(Step::Silence);
                Poll::Pending
            }
            Some(step) => Poll::Ready(Some(Ok(self.wire.frames(step).into()))),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body")
            .field("next", &self.next)
            .field("left", &self.steps.len())
            .finish_non_exhaustive()
    }
}

fn broken(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, why)
}

/// The pause at this pace; none when it comes to nothing.
fn scaled(pause: Duration, pace: f32) -> Option<Duration> {
    let scaled = Duration::try_from_secs_f32(pause.as_secs_f32() * pace).unwrap_or(Duration::MAX);
    (!scaled.is_zero()).then_some(scaled)
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Duration;

    use futures_util::StreamExt;
    use serde_json::json;
    use tokio::time::{Instant, timeout};

    use super::Body;
    use crate::provider::ask::Ask;
    use crate::provider::script::Script;
    use crate::provider::wire::Wire;
    use crate::provider::{Answer, Counts, Stats};
    use crate::scenarios;

    #[tokio::test(start_paused = true)]
    async fn the_slow_answer_begins_at_once_and_takes_about_six_seconds() {
        let start = Instant::now();
        let stats = Stats::default();
        let times: Vec<_> = play("Answer slowly, please.", 1.0, &stats)
            .map(|frames| (start.elapsed(), frames.is_ok()))
            .collect()
            .await;
        assert!(times.iter().all(|(_, ok)| *ok));
        let times: Vec<_> = times.into_iter().map(|(at, _)| at).collect();
        assert_eq!(
            times[..2],
            [Duration::ZERO; 2],
            "the role and the first delta"
        );
        for (pair, at) in times[1..].windows(2).zip(&times[2..]) {
            let gap = pair[1] - pair[0];
            assert!(
                (690..=710).contains(&gap.as_millis()),
                "{gap:?} before {at:?}"
            );
        }
        assert!(
            (5.5..6.5).contains(&start.elapsed().as_secs_f64()),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(stats.counts(), counts(1, 1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn the_pace_scales_every_pause_down_to_none() {
        let start = Instant::now();
        play("Answer slowly, please.", 0.5, &Stats::default())
            .count()
            .await;
        let half = start.elapsed();
        assert!((2.7..3.3).contains(&half.as_secs_f64()), "{half:?}");
        play("Answer slowly, please.", 0.0, &Stats::default())
            .count()
            .await;
        assert_eq!(start.elapsed(), half);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_answer_never_ends_by_itself_and_counts_as_dropped() {
        let stats = Stats::default();
        let mut body = Box::pin(play("Hang after the first word.", 0.0, &stats));
        assert!(body.next().await.is_some(), "the role");
        assert!(body.next().await.is_some(), "the delta");
        let day = Duration::from_secs(24 * 60 * 60);
        assert!(timeout(day, body.next()).await.is_err());
        assert_eq!(stats.counts(), counts(1, 0, 0));
        drop(body);
        assert_eq!(stats.counts(), counts(1, 0, 1));
    }

    #[tokio::test]
    async fn a_closing_provider_breaks_even_silence() {
        let (closing, closed) = tokio::sync::oneshot::channel::<()>();
        let closed = async {
            let _ = closed.await;
        };
        let script = Script::new().silence();
        let mut body = Box::pin(Body::new(
            script,
            wire(),
            0.0,
            closed,
            Stats::default().begin(),
        ));
        assert!(body.next().await.is_some());
        let broken = tokio::spawn(async move { body.next().await });
        drop(closing);
        let item = timeout(Duration::from_secs(5), broken)
            .await
            .unwrap()
            .unwrap();
        assert!(item.is_some_and(|item| item.is_err()));
    }

    fn play(prompt: &str, pace: f32, stats: &Stats) -> Body {
        let request = json!({"messages": [{"role": "user", "content": prompt}]});
        let Answer::Stream(script) = scenarios::answer(&Ask::new(&request)) else {
            panic!("{prompt} is not answered with a stream");
        };
        Body::new(script, wire(), pace, pending(), stats.begin())
    }

    fn wire() -> Wire {
        Wire::new(&Ask::new(&json!({})), "0".into(), 0)
    }

    fn counts(started: u64, finished: u64, dropped: u64) -> Counts {
        Counts {
            started,
            finished,
            dropped,
        }
    }
}
