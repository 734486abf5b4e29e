//! Messages that count as delivered only when their receiver says so, and what its answers do.
//!
//! ```text
//!   handed over ──► awaiting ──"sent" ────────────► delivered
//!                      │  │ ───"failed" ──► decide ──► retrying or dead
//!                      └──┴── no answer in time ──► decide ──► retrying or dead
//! ```
//! A hand-over parks the message as [`ParkedState::Awaiting`](crate::journal::ParkedState::Awaiting), due when the time for an answer is
//! over, with a record of its own in [`Park::progress`](crate::journal::Park::progress). An answer is written into that record and makes
//! the delivery due at once; the lane does the rest. The store keeps the record, and only this module knows what is in it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::inspect::{Answer, Refusal, Says, Settled, Status};
use crate::retry::Verdict;

/// Kept of a reason.
const MAX_REASON_BYTES: usize = 20 << 10;

/// A hand-over that waits for its answer, or has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Awaited {
    hand_over: String,
    within_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given: Option<Given>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Given {
    #[serde(flatten)]
    says: Says,
    took_ms: u64,
}

/// How the wait for an answer ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// What is held against the delivery; nothing if it was done.
    pub(crate) failure: Option<(Verdict, String)>,
    /// How long it took.
    pub(crate) took: Duration,
}

impl Awaited {
    /// A hand-over that is to be answered within this time.
    pub(crate) fn new(hand_over: String, within: Duration) -> Self {
        Self { hand_over, within_ms: within.as_millis().try_into().unwrap_or(u64::MAX), given: None }
    }

    /// A record that nobody can read: nobody will answer it.
    pub(crate) fn unreadable() -> Self {
        Self::new(String::new(), Duration::ZERO)
    }

    /// As a store keeps it.
    pub(crate) fn stored(record: Option<&[u8]>) -> Option<Self> {
        serde_json::from_slice(record?).ok()
    }

    /// For a store to keep.
    pub(crate) fn record(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Whether no answer has come.
    #[cfg(feature = "simulator")]
    pub(crate) fn is_open(&self) -> bool {
        self.given.is_none()
    }

    /// Which hand-over waits.
    #[cfg(feature = "simulator")]
    pub(crate) fn hand_over(&self) -> &str {
        &self.hand_over
    }

    /// What the wait came to, now that it is over.
    pub(crate) fn end(self) -> Ended {
        let within = Duration::from_millis(self.within_ms);
        match self.given {
            None => {
                let text = format!("handed over, and no answer came within {}", crate::duration::brief(within));
                Ended { failure: Some((Verdict::Retry, text)), took: within }
            }
            Some(Given { says, took_ms }) => {
                let failure = match says {
                    Says::Sent => None,
                    Says::Failed { retry: true, reason } => Some((Verdict::Retry, reason)),
                    Says::Failed { retry: false, reason } => Some((Verdict::Reject, reason)),
                };
                Ended { failure, took: Duration::from_millis(took_ms) }
            }
        }
    }
}

/// What an answer does to a delivery that waits for one: the record to keep in place of `record`, or why there is none. `left` is the time
/// that was left for an answer, by the store's clock.
pub fn answer(record: Option<&[u8]>, left: Duration, answer: &Answer) -> Result<Vec<u8>, Settled> {
    let Some(mut awaited) = Awaited::stored(record) else { return Err(Settled::Refused(Refusal::NotAwaited)) };
    if answer.hand_over.as_ref().is_some_and(|hand_over| *hand_over != awaited.hand_over) {
        return Err(Settled::Refused(Refusal::OtherHandOver));
    }
    match &awaited.given {
        Some(given) if given.says.agrees_with(&answer.says) => return Err(Settled::Repeated),
        Some(_) => return Err(Settled::Refused(Refusal::Contradicts)),
        None if left.is_zero() => return Err(Settled::Refused(Refusal::Late)),
        None => {}
    }
    let left_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
    awaited.given = Some(Given { says: cut(&answer.says), took_ms: awaited.within_ms.saturating_sub(left_ms) });
    Ok(awaited.record())
}

/// What an answer means for a delivery that waits for none; `None` if there is no such delivery.
pub fn unawaited(status: Option<Status>, says: &Says) -> Settled {
    match (status, says) {
        (None, _) => Settled::Refused(Refusal::Unknown),
        (Some(Status::Delivered), Says::Sent) | (Some(Status::Dead), Says::Failed { .. }) => Settled::Repeated,
        (Some(Status::Delivered), Says::Failed { .. }) => Settled::Refused(Refusal::Contradicts),
        (Some(Status::Dead), Says::Sent) => Settled::Refused(Refusal::Late),
        (Some(Status::Discarding | Status::Discarded), _) => Settled::Refused(Refusal::Discarded),
        (Some(_), _) => Settled::Refused(Refusal::NotAwaited),
    }
}

fn cut(says: &Says) -> Says {
    match says {
        Says::Failed { retry, reason } => {
            // A text column takes no NUL.
            let mut reason = reason.replace('\0', " ");
            reason.truncate(reason.floor_char_boundary(MAX_REASON_BYTES));
            Says::Failed { retry: *retry, reason }
        }
        Says::Sent => Says::Sent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn sent(hand_over: Option<&str>) -> Answer {
        Answer { hand_over: hand_over.map(str::to_owned), says: Says::Sent }
    }

    fn failed(retry: bool) -> Answer {
        Answer { hand_over: None, says: Says::Failed { retry, reason: "no stock".into() } }
    }

    fn awaited() -> Vec<u8> {
        Awaited::new("3-7".into(), MINUTE).record()
    }

    #[test]
    fn an_answer_ends_the_wait_with_what_it_says_and_how_long_it_took() {
        let ended = |given: &Answer| {
            let record = answer(Some(&awaited()), MINUTE / 4, given).expect("it is awaited");
            Awaited::stored(Some(&record)).expect("a record").end()
        };
        assert_eq!(ended(&sent(Some("3-7"))), Ended { failure: None, took: MINUTE * 3 / 4 });
        assert_eq!(ended(&failed(true)).failure, Some((Verdict::Retry, "no stock".into())));
        assert_eq!(ended(&failed(false)).failure, Some((Verdict::Reject, "no stock".into())));
        let unanswered = Awaited::stored(Some(&awaited())).expect("a record").end();
        assert_eq!(unanswered.failure, Some((Verdict::Retry, "handed over, and no answer came within 1m".into())));
    }

    #[test]
    fn an_answer_that_comes_late_or_to_another_hand_over_does_not_count() {
        let refused = |given: &Answer, left| answer(Some(&awaited()), left, given).unwrap_err();
        assert_eq!(refused(&sent(None), Duration::ZERO), Settled::Refused(Refusal::Late));
        assert_eq!(refused(&sent(Some("3-6")), MINUTE), Settled::Refused(Refusal::OtherHandOver));
        assert_eq!(answer(None, MINUTE, &sent(None)), Err(Settled::Refused(Refusal::NotAwaited)));
    }

    #[test]
    fn the_first_answer_counts_and_the_same_again_changes_nothing() {
        let record = answer(Some(&awaited()), MINUTE, &failed(true)).expect("it is awaited");
        // It is due at once, so nothing of its time is left.
        let again = |given: &Answer| answer(Some(&record), Duration::ZERO, given);
        assert_eq!(again(&failed(true)), Err(Settled::Repeated));
        assert_eq!(again(&failed(false)), Err(Settled::Refused(Refusal::Contradicts)));
        assert_eq!(again(&sent(None)), Err(Settled::Refused(Refusal::Contradicts)));
    }

    #[test]
    fn what_is_kept_of_a_reason_is_bounded_and_has_no_nul() {
        let kept = |reason: String| {
            let given = Answer { hand_over: None, says: Says::Failed { retry: true, reason } };
            let record = answer(Some(&awaited()), MINUTE, &given).expect("it is awaited");
            Awaited::stored(Some(&record)).expect("a record").end().failure.expect("it failed").1
        };
        assert_eq!(kept("no\0stock".into()), "no stock");
        assert_eq!(kept("x".repeat(30_000)).len(), 20_480);
        assert_eq!(kept("ü".repeat(20_480)).len(), 20_480);
        assert_eq!(kept("€".repeat(20_480)).len(), 20_478, "no character is cut in two");
    }

    #[test]
    fn a_record_that_nobody_can_read_waits_for_no_time_and_is_tried_again() {
        let ended = Awaited::unreadable().end();
        assert_eq!((ended.failure.map(|(verdict, _)| verdict), ended.took), (Some(Verdict::Retry), Duration::ZERO));
    }

    #[test]
    fn what_waits_for_no_answer_says_why() {
        let of = |status, says: &Answer| unawaited(status, &says.says);
        assert_eq!(of(None, &sent(None)), Settled::Refused(Refusal::Unknown));
        assert_eq!(of(Some(Status::Delivered), &sent(None)), Settled::Repeated);
        assert_eq!(of(Some(Status::Delivered), &failed(true)), Settled::Refused(Refusal::Contradicts));
        assert_eq!(of(Some(Status::Dead), &failed(true)), Settled::Repeated);
        assert_eq!(of(Some(Status::Dead), &sent(None)), Settled::Refused(Refusal::Late));
        assert_eq!(of(Some(Status::Discarded), &sent(None)), Settled::Refused(Refusal::Discarded));
        assert_eq!(of(Some(Status::Discarding), &failed(true)), Settled::Refused(Refusal::Discarded));
        for status in [Status::Pending, Status::Waiting, Status::Retrying, Status::Scheduled] {
            assert_eq!(of(Some(status), &failed(true)), Settled::Refused(Refusal::NotAwaited), "{status:?}");
        }
    }
}
