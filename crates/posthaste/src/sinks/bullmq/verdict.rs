//! What became of a job, and what it means for its message.

use super::encode::Job;
use crate::sink::Error;
pub(super) use crate::sink::redis_client::from_client;

/// What BullMQ says of a job that was killed with its workers too often. It fails as if nobody should try again; that is ours to decide.
const STALLED: &str = "job stalled more than allowable limit";
/// The name of the error by which a worker says that another attempt would be no use.
const UNRECOVERABLE: &str = "UnrecoverableError";

/// What a script answered about a job: its state, why it failed, and its stack traces.
pub(super) type Answer = (String, String, String);

/// The end of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    Completed,
    Failed {
        reason: String,
        /// The worker says that another attempt would be no use.
        for_good: bool,
    },
    /// Removed from the queue, or lost with its server's data.
    Gone,
}

/// Nothing for a job that is waiting or running.
pub(super) fn ended((state, reason, traces): Answer) -> Option<Ended> {
    match state.as_str() {
        "completed" => Some(Ended::Completed),
        "failed" => {
            let for_good = is_unrecoverable(&traces) && !reason.starts_with(STALLED);
            Some(Ended::Failed { reason, for_good })
        }
        "gone" => Some(Ended::Gone),
        _ => None,
    }
}

/// BullMQ keeps the stacks of errors, as a list in JSON; a stack starts with the name of its error.
fn is_unrecoverable(traces: &str) -> bool {
    let traces: Vec<String> = serde_json::from_str(traces).unwrap_or_default();
    traces.last().is_some_and(|trace| trace.starts_with(UNRECOVERABLE))
}

/// What the end of its job means for a message.
pub(super) fn of_job(job: &Job<'_>, ended: Ended) -> Result<(), Error> {
    let Job { queue, id, .. } = job;
    match ended {
        Ended::Completed => Ok(()),
        Ended::Failed { reason, for_good: true } => {
            Err(Error::reject(format_args!("the worker of {queue} refused: {reason}")))
        }
        Ended::Failed { reason, .. } => Err(Error::retry(format_args!("the worker of {queue} failed: {reason}"))),
        Ended::Gone => {
            let text = "someone removed it, or the server lost it";
            Err(Error::retry(format_args!("job {id} is gone from {queue}: {text}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(reason: &str, traces: &str) -> Option<Ended> {
        ended(("failed".into(), reason.into(), traces.into()))
    }

    #[test]
    fn an_unrecoverable_error_is_final_unless_it_is_only_bullmq_that_gave_up() {
        let for_good = |failed: Option<Ended>| matches!(failed, Some(Ended::Failed { for_good: true, .. }));
        assert!(for_good(failed("no such account", r#"["UnrecoverableError: no such account\n    at x.js:1"]"#)));
        assert!(!for_good(failed("timeout", r#"["Error: timeout\n    at x.js:1"]"#)));
        assert!(!for_good(failed(STALLED, &format!(r#"["UnrecoverableError: {STALLED}"]"#))));
        assert!(!for_good(failed("no traces", "")));
        assert_eq!(ended(("under-way".into(), String::new(), String::new())), None);
    }
}
