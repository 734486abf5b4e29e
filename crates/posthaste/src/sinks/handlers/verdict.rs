//! What the failures of several handlers mean together.

use std::fmt::Write;

use crate::retry::Verdict;
use crate::sink::Error;

/// The failures of one message in one attempt.
#[derive(Debug, Default)]
pub(super) struct Failures {
    verdict: Option<Verdict>,
    text: String,
}

impl Failures {
    pub(super) fn push(&mut self, handler: &str, error: &Error) {
        let separator = if self.text.is_empty() { "" } else { "; " };
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{separator}{handler}: {error}");
        self.verdict = Some(self.verdict.map_or(error.verdict, |verdict| stronger(verdict, error.verdict)));
    }

    /// One error for all of them, or `None` if there was none.
    ///
    /// An outage is answered as a retry when another handler has just succeeded: an outage leaves no trace on the message,
    /// and that success has to be remembered. The attempt after that has no news, and is the outage.
    pub(super) fn into_error(self, progressed: bool) -> Option<Error> {
        let verdict = match self.verdict? {
            Verdict::Unreachable | Verdict::Gone if progressed => Verdict::Retry,
            verdict => verdict,
        };
        Some(Error::new(verdict, self.text))
    }
}

/// As long as one handler can still succeed the message is not dead, and whoever asks for the most patience gets it.
fn stronger(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict| match verdict {
        Verdict::Reject => (0, None),
        Verdict::Gone => (1, None),
        Verdict::Unreachable => (2, None),
        Verdict::Retry => (3, None),
        Verdict::RetryAfter(wait) => (4, Some(wait)),
    };
    if rank(one) >= rank(other) { one } else { other }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_message_is_rejected_only_if_every_failed_handler_rejects_it() {
        use Verdict::{Gone, Reject, Retry, RetryAfter, Unreachable};
        let (soon, late) = (RetryAfter(Duration::from_secs(1)), RetryAfter(Duration::from_secs(9)));
        let cases = [
            (Reject, Reject, Reject),
            (Reject, Unreachable, Unreachable),
            (Reject, Gone, Gone),
            (Gone, Unreachable, Unreachable),
            (Reject, Retry, Retry),
            (Unreachable, Retry, Retry),
            (Retry, soon, soon),
            (soon, late, late),
        ];
        for (one, other, expected) in cases {
            for pair in [[one, other], [other, one]] {
                let mut failures = Failures::default();
                pair.iter().for_each(|&verdict| failures.push("h", &Error::new(verdict, "no")));
                assert_eq!(failures.into_error(false).unwrap().verdict, expected, "{pair:?}");
            }
        }
    }

    #[test]
    fn an_outage_is_a_retry_when_there_is_progress_to_keep() {
        let mut failures = Failures::default();
        failures.push("mail", &Error::unreachable("down"));
        assert_eq!(failures.into_error(true), Some(Error::retry("mail: down")));
        assert_eq!(Failures::default().into_error(true), None);
    }
}
