//! What a mail server means by a reply, and what it means when none came.
//!
//! The reply stands below the first line of an error, with every address in it taken out: the log shows first lines only, and
//! recipients are nobody's business there.

use std::error::Error as StdError;
use std::time::Duration;

use lettre::transport::smtp::Error as SmtpError;

use crate::retry::Verdict;
use crate::sink::{Error, MAX_ANSWER_BYTES};

/// What became of one recipient, or of a whole mail, that the server did not take.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    code: u16,
    said: String,
}

impl Refusal {
    /// Nothing, if the server did not reply at all.
    pub(super) fn of(error: &SmtpError) -> Option<Self> {
        let code: u16 = error.status()?.into();
        Some(Self { code, said: said(error) })
    }

    /// The server is going away, or wants no more on this connection.
    pub(super) fn is_goodbye(&self) -> bool {
        self.code == 421
    }

    /// More recipients than a transaction may have.
    pub(super) fn is_too_many(&self) -> bool {
        self.code == 452 || self.said.starts_with("4.5.3") || self.said.starts_with("5.5.3")
    }

    pub(super) fn is_final(&self) -> bool {
        self.code >= 500 && !self.is_about_us()
    }

    /// It would be said of any mail: we are not logged in, or not welcome.
    fn is_about_us(&self) -> bool {
        matches!(self.code, 421 | 454 | 530 | 534 | 535 | 538)
    }

    /// `what` is what was refused: "the mail", "recipient 2 of 3".
    pub(super) fn error(&self, what: &str, greylist_wait: Duration) -> Error {
        let verdict = match self.code {
            _ if self.is_about_us() => Verdict::Unreachable,
            // Come again, as greylisting says it.
            450 | 451 if !greylist_wait.is_zero() => Verdict::RetryAfter(greylist_wait),
            400..=499 => Verdict::Retry,
            _ => Verdict::Reject,
        };
        Error::new(verdict, format_args!("the server refused {what} with {}\n{}", self.code, self.said))
    }
}

/// An error that is no reply: the connection is gone, or was never there.
pub(super) fn of_connection(place: &str, error: &SmtpError) -> Error {
    match Refusal::of(error) {
        Some(refusal) => Error::unreachable(format_args!("{place} refused us with {}\n{}", refusal.code, refusal.said)),
        None => Error::unreachable(format_args!("{place} cannot be reached: {}", innermost(error))),
    }
}

fn innermost(error: &SmtpError) -> String {
    let mut cause: &dyn StdError = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// What the server said, without addresses and without what could disturb a terminal.
fn said(error: &SmtpError) -> String {
    let said = error.source().map(ToString::to_string).unwrap_or_default();
    without_addresses(&said[..said.floor_char_boundary(MAX_ANSWER_BYTES)])
}

fn without_addresses(said: &str) -> String {
    let word = |word: &str| if word.contains('@') { "(address)".to_owned() } else { word.to_owned() };
    let plain: String = said.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(code: u16) -> Verdict {
        Refusal { code, said: String::new() }.error("the mail", Duration::from_secs(300)).verdict
    }

    #[test]
    fn every_reply_has_its_verdict() {
        for code in [450, 451] {
            assert_eq!(verdict(code), Verdict::RetryAfter(Duration::from_secs(300)));
        }
        for code in [432, 452, 455] {
            assert_eq!(verdict(code), Verdict::Retry, "{code}");
        }
        for code in [500, 550, 552, 553, 554, 571] {
            assert_eq!(verdict(code), Verdict::Reject, "{code}");
        }
        for code in [421, 454, 530, 534, 535] {
            assert_eq!(verdict(code), Verdict::Unreachable, "{code}: it is about us");
        }
    }

    #[test]
    fn what_the_server_says_shows_no_address() {
        let said = without_addresses("5.1.1 <ann@x.org>: Recipient\r\nrejected (bob@y.org)\x1b[2J");
        assert_eq!(said, "5.1.1 (address) Recipient rejected (address) [2J");
        let error = Refusal { code: 550, said }.error("recipient 1 of 2", Duration::ZERO);
        assert_eq!(error.text().lines().next(), Some("the server refused recipient 1 of 2 with 550"));
    }
}
