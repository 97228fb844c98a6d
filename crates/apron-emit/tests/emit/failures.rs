//! How a run tells why it failed, and what it counts.

use std::fmt;
use std::sync::{Arc, Mutex};

use apron_emit::{BoxError, Ending, Error, Failure, Outcome, RunOptions, stream_with};
use apron_protocol::{Event, TokenUsage};

use crate::support::{both, drain, input, tell, used};
use crate::words;

/// Wraps an error and shows it as its source.
#[derive(Debug, thiserror::Error)]
#[error("outer")]
struct Outer(#[source] BoxError);

/// Wraps an error and hides it, as `anyhow` does without a context.
struct Hiding(BoxError);

impl fmt::Debug for Hiding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Display for Hiding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for Hiding {}

#[derive(Debug, thiserror::Error)]
enum Mine {
    #[error("emitting")]
    Emit(#[from] Error),
    #[error(transparent)]
    Transparent(Failure),
}

fn quota() -> Failure {
    Failure::new("quota", "You are out of quota.").with_usage(vec![used("m", 7)])
}

/// The code, message and tokens of the `RUN_ERROR` that `error` ends a run with.
fn error_of(
    fail: impl Fn(&apron_emit::Run) -> BoxError + Clone + Send + 'static,
) -> (String, String, Vec<TokenUsage>) {
    let events = both(move |run| {
        let error = fail(&run);
        async move { Err(error) }
    });
    let [Event::RunStarted(_), Event::RunError(error)] = events.as_slice() else {
        panic!("{events:?}");
    };
    (
        error.code.clone().unwrap(),
        error.message.clone(),
        error.usage.clone(),
    )
}

#[test]
fn a_failure_is_found_however_deep_it_lies() {
    let expected = (
        "quota".to_owned(),
        "You are out of quota.".to_owned(),
        vec![used("m", 7)],
    );
    assert_eq!(error_of(|_| quota().into()), expected);
    assert_eq!(error_of(|_| Error::from(quota()).into()), expected);
    assert_eq!(
        error_of(|_| Mine::from(Error::from(quota())).into()),
        expected
    );
    let outer = |_: &_| Outer(Outer(Outer(quota().into()).into()).into()).into();
    assert_eq!(error_of(outer), expected);
}

#[test]
fn a_failure_that_is_hidden_is_the_one_that_the_run_noted() {
    let hidden = error_of(|run| Hiding(run.fail("quota", "You are out.").into()).into());
    assert_eq!(
        hidden,
        ("quota".to_owned(), "You are out.".to_owned(), vec![])
    );
    let hidden = error_of(|run| Mine::Transparent(run.fail("quota", "You are out.")).into());
    assert_eq!(hidden.0, "quota");

    // One that the run did not note is gone, and nothing of it reaches the client.
    let hidden = error_of(|_| Hiding(quota().into()).into());
    let internal = (
        "internal_error".to_owned(),
        "The run failed.".to_owned(),
        vec![],
    );
    assert_eq!(hidden, internal);
    assert_eq!(error_of(|_| "secret".into()), internal);
    assert_eq!(error_of(|_| Outer("secret".into()).into()), internal);
}

#[test]
fn an_error_of_the_run_itself_is_not_mistaken_for_the_failure_noted_before() {
    let events = both(async |run| {
        // Made and not returned.
        drop(run.fail("quota", "You are out."));
        run.emit(words::done()).await?;
        Ok(Outcome::success())
    });
    assert_eq!(tell(&events), "run; error internal_error");
}

#[test]
fn the_cause_of_a_failure_is_for_the_hook_and_not_for_the_wire() {
    let causes = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&causes);
    let options = RunOptions::new().on_end(move |ending| {
        let Ending::Failed(failure) = ending else {
            return;
        };
        let cause = failure.cause().unwrap();
        notes
            .lock()
            .unwrap()
            .push((cause.to_string(), cause.source().unwrap().to_string()));
    });
    let events = drain(stream_with(input(), options, async |_| {
        Err(Outer(quota().with_cause("secret").into()).into())
    }));
    assert_eq!(
        *causes.lock().unwrap(),
        [("outer".to_owned(), quota().to_string())]
    );
    assert!(!events.last().unwrap().to_json().contains("secret"));
}

#[test]
fn tokens_are_counted_once_and_per_model_on_success_and_failure() {
    let success = both(async |run| {
        run.add_usage(used("a", 1));
        run.add_usage(used("b", 10));
        run.add_usage(TokenUsage::new("provider", "unknown"));
        Ok(Outcome::success()
            .with_usage(used("a", 2))
            .with_usage(used("a", 3)))
    });
    let Some(Event::RunFinished(finished)) = success.last() else {
        panic!("{success:?}");
    };
    assert_eq!(finished.usage, [used("a", 6), used("b", 10)]);

    let failure = both(async |run| {
        run.add_usage(used("m", 1));
        Err(Outer(quota().into()).into())
    });
    let Some(Event::RunError(error)) = failure.last() else {
        panic!("{failure:?}");
    };
    assert_eq!(error.usage, [used("m", 8)]);

    let cancelled = both(async |run| {
        run.add_usage(used("m", 1));
        run.stopper().stop();
        Err(quota().into())
    });
    let Some(Event::RunFinished(finished)) = cancelled.last() else {
        panic!("{cancelled:?}");
    };
    assert_eq!(finished.usage, [used("m", 8)]);
}

/// An error whose text and sources panic.
struct Mean;

impl fmt::Debug for Mean {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no debug")
    }
}

impl fmt::Display for Mean {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no text")
    }
}

impl std::error::Error for Mean {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        panic!("no source")
    }
}

impl Drop for Mean {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("no end");
        }
    }
}

#[test]
fn code_of_the_user_that_panics_at_the_end_does_not_take_the_end_along() {
    // The error's own code.
    let events = both(async |_| Err(Mean.into()));
    assert_eq!(tell(&events), "run; error internal_error");
    let events = both(async |_| Err(quota().with_cause(Mean).into()));
    assert_eq!(tell(&events), "run; error quota");

    // The hook.
    let options = RunOptions::new().on_end(|_| panic!("no hook"));
    let events = drain(stream_with(input(), options, async |_| {
        Ok(Outcome::success())
    }));
    assert_eq!(tell(&events), "run; done");

    // The timer.
    let options = RunOptions::new().with_deadline(async { panic!("no timer") });
    let events = drain(stream_with(input(), options, async |_| {
        Ok(Outcome::success())
    }));
    assert_eq!(tell(&events), "run; error internal_error");
}
