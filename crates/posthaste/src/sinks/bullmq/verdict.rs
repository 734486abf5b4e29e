//! What became of a job, and what it means for its message.

use redis::Value;

use super::encode::Job;
use crate::sink::Error;
pub(super) use crate::sink::redis_client::from_client;

/// What BullMQ says of a job that was killed with its workers too often. It fails as if nobody should try again; that is ours to decide.
const STALLED: &str = "job stalled more than allowable limit";
/// The name of the error by which a worker says that another attempt would be no use.
const UNRECOVERABLE: &str = "UnrecoverableError";

/// What a worker that returns nothing has returned, as BullMQ keeps it.
const NOTHING: &str = "null";

/// A job that is waiting or running.
const UNDER_WAY: &str = "under-way";

/// The end of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    Completed {
        /// What the worker returned, as JSON, unless it returned nothing.
        reply: Option<String>,
    },
    Failed {
        reason: String,
        /// The worker says that another attempt would be no use.
        for_good: bool,
    },
    /// Removed from the queue, or lost with its server's data.
    Gone,
}

/// Reads what a script answered about so many jobs: of each its state, what its worker said, which may be cut anywhere, and its stack
/// traces. Nothing of a job that is waiting or running. What no script can have answered says nothing of any.
pub(super) fn read(answer: Value, jobs: usize) -> Option<Vec<Option<Ended>>> {
    let Value::Array(answers) = answer else { return None };
    if answers.len() != jobs {
        return None;
    }
    answers.into_iter().map(ended).collect()
}

fn ended(answer: Value) -> Option<Option<Ended>> {
    let Value::Array(parts) = answer else { return None };
    let [Value::BulkString(state), Value::BulkString(said), Value::BulkString(traces)] = &parts[..] else {
        return None;
    };
    let said = String::from_utf8_lossy(said);
    match std::str::from_utf8(state).ok()? {
        "completed" => Some(Some(Ended::Completed { reply: reply(&said) })),
        "failed" => {
            let for_good = is_unrecoverable(traces) && !said.starts_with(STALLED);
            Some(Some(Ended::Failed { reason: said.into_owned(), for_good }))
        }
        "gone" => Some(Some(Ended::Gone)),
        UNDER_WAY => Some(None),
        _ => None,
    }
}

fn reply(said: &str) -> Option<String> {
    let reply = said.trim_end_matches(char::REPLACEMENT_CHARACTER);
    (!reply.is_empty() && reply != NOTHING).then(|| reply.to_owned())
}

/// BullMQ keeps the stacks of errors, as a list in JSON; a stack starts with the name of its error.
fn is_unrecoverable(traces: &[u8]) -> bool {
    let traces: Vec<String> = serde_json::from_slice(traces).unwrap_or_default();
    traces.last().is_some_and(|trace| trace.starts_with(UNRECOVERABLE))
}

/// What the end of its job means for a message; delivered, with what the worker replied.
pub(super) fn of_job(job: &Job<'_>, ended: Ended) -> Result<Option<String>, Error> {
    let Job { queue, id, .. } = job;
    match ended {
        Ended::Completed { reply } => Ok(reply),
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

    fn answer(parts: [&[u8]; 3]) -> Value {
        Value::Array(parts.map(|part| Value::BulkString(part.to_vec())).to_vec())
    }

    fn ended(parts: [&[u8]; 3]) -> Option<Ended> {
        super::ended(answer(parts)).expect("it is an answer")
    }

    fn failed(reason: &str, traces: &str) -> Option<Ended> {
        ended([b"failed", reason.as_bytes(), traces.as_bytes()])
    }

    #[test]
    fn an_unrecoverable_error_is_final_unless_it_is_only_bullmq_that_gave_up() {
        let for_good = |failed: Option<Ended>| matches!(failed, Some(Ended::Failed { for_good: true, .. }));
        assert!(for_good(failed("no such account", r#"["UnrecoverableError: no such account\n    at x.js:1"]"#)));
        assert!(!for_good(failed("timeout", r#"["Error: timeout\n    at x.js:1"]"#)));
        assert!(!for_good(failed(STALLED, &format!(r#"["UnrecoverableError: {STALLED}"]"#))));
        assert!(!for_good(failed("no traces", "")));
        assert_eq!(ended([b"under-way", b"", b""]), None);
    }

    #[test]
    fn what_no_script_can_have_answered_says_nothing_of_any_job() {
        let good = answer([b"completed", b"", b"\xff"]);
        assert!(read(Value::Array(vec![good.clone()]), 1).is_some());
        let odd = [
            Value::Nil,
            Value::Array(Vec::new()),
            Value::Array(vec![good.clone(), good.clone()]),
            Value::Array(vec![Value::Nil]),
            Value::Array(vec![answer([b"perhaps", b"", b""])]),
            Value::Array(vec![Value::Array(vec![Value::BulkString(b"completed".to_vec())])]),
            Value::Set(vec![good]),
        ];
        for odd in odd {
            assert_eq!(read(odd.clone(), 1), None, "{odd:?}");
        }
    }

    #[test]
    fn a_reply_is_what_was_returned_unless_that_is_nothing() {
        let completed = |said: &[u8]| ended([b"completed", said, b""]);
        let replied = |reply: &str| Some(Ended::Completed { reply: Some(reply.into()) });
        assert_eq!(completed(br#"{"id":7}"#), replied(r#"{"id":7}"#));
        assert_eq!(completed(b"\"\xc3\xa4\xc3"), replied("\"ä"), "cut within a character");
        assert_eq!([completed(b"null"), completed(b"")], [const { Some(Ended::Completed { reply: None }) }; 2]);
    }
}
