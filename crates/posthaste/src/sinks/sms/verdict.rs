//! What a provider means by a status, and Twilio by an error code.
//!
//! What a provider says in words is not kept: it repeats the number.

use std::time::Duration;

use serde::Deserialize;

use crate::retry::Verdict;
use crate::sink::Error;
use crate::sink::http::Answer;

/// What is read of an answer of Twilio's: of an error `code`, of a message `error_code`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    code: Option<u32>,
    error_code: Option<u32>,
}

/// What a code means for the text, and in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Later it may go.
    Later(&'static str),
    /// This text or number will never be taken.
    Never(&'static str),
    /// No text will be taken until somebody mends the account.
    Account(&'static str),
}

/// An answer of Twilio.
pub(super) fn of_twilio(answer: &Answer, cap: Duration) -> Result<(), Error> {
    let said: Said = serde_json::from_slice(&answer.body).unwrap_or_default();
    let Some(code) = said.code.or(said.error_code) else { return of_status(answer, cap) };
    let (verdict, words) = match meaning(code) {
        Some(Meaning::Later(words)) => (answer.retry(cap), words),
        Some(Meaning::Never(words)) => (Verdict::Reject, words),
        Some(Meaning::Account(words)) => (Verdict::Unreachable, words),
        None => match of_status(answer, cap) {
            Err(error) => (error.verdict, "see twilio.com/docs/errors"),
            Ok(()) => (Verdict::Reject, "see twilio.com/docs/errors"),
        },
    };
    Err(Error::new(verdict, format_args!("{}, Twilio's error {code}: {words}", answer.status_line())))
}

fn meaning(code: u32) -> Option<Meaning> {
    use Meaning::{Account, Later, Never};
    Some(match code {
        20003 | 20404 | 20005 => Account("the login is refused"),
        20429 | 14107 => Later("too many requests"),
        21211 | 21201 | 21604 => Never("this is no telephone number"),
        21212 | 21603 | 21606 | 21659 | 21660 => Account("the sender's number cannot send"),
        21408 => Never("this country is not permitted for the account"),
        21610 => Never("the recipient has unsubscribed"),
        21611 => Later("the sender's queue is full"),
        21612 => Never("there is no way from this sender to this number"),
        21614 => Never("this number takes no texts"),
        21602 | 21617 | 21619 => Never("the text is empty or too long"),
        21701 | 21703 | 21704 => Account("the messaging service cannot send"),
        30001 => Later("the queue is full"),
        30002 => Account("the account is suspended"),
        30003 => Later("the telephone is switched off or out of reach"),
        30004 => Never("the text is blocked"),
        30005 => Never("the number is unknown"),
        30006 => Never("the number is a landline or the carrier cannot be reached"),
        30007 => Never("the carrier filtered the text"),
        30008 | 30017 | 30022 | 30023 => Later("the carrier did not take it now"),
        30010 => Never("the price is above the limit"),
        30024 | 30032 | 30034 => Account("the sender's number is not registered"),
        _ => return None,
    })
}

/// An answer of anyone: whoever refuses the login refuses every text.
pub(super) fn of_status(answer: &Answer, cap: Duration) -> Result<(), Error> {
    let verdict = match answer.status.as_u16() {
        200..=299 => return Ok(()),
        401 | 402 | 403 | 407 => Verdict::Unreachable,
        408 | 425 | 429 | 500..=599 | 300..=399 => answer.retry(cap),
        _ => Verdict::Reject,
    };
    Err(Error::new(verdict, answer.status_line()))
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;
    use reqwest::header::HeaderMap;

    use super::*;

    const CAP: Duration = Duration::from_secs(60);

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status: StatusCode::from_u16(status).unwrap(), headers: HeaderMap::new(), body: body.into() }
    }

    #[test]
    fn twilios_codes_decide_and_their_words_are_not_kept() {
        let cases = [
            (400, 21211, Verdict::Reject),
            (400, 21610, Verdict::Reject),
            (400, 21606, Verdict::Unreachable),
            (429, 20429, Verdict::Retry),
            (401, 20003, Verdict::Unreachable),
            (201, 30003, Verdict::Retry),
            (400, 30007, Verdict::Reject),
            (400, 99999, Verdict::Reject),
            (503, 99999, Verdict::Retry),
        ];
        for (status, code, verdict) in cases {
            let body = format!(r#"{{"code": {code}, "message": "The number +15551234567 is not valid"}}"#);
            let error = of_twilio(&answer(status, &body), CAP).unwrap_err();
            assert_eq!(error.verdict, verdict, "{error}");
            assert!(error.text().contains(&code.to_string()) && !error.text().contains("+1555"), "{error}");
        }
        assert_eq!(of_twilio(&answer(201, r#"{"sid": "SM1", "error_code": null}"#), CAP), Ok(()));
        assert!(of_twilio(&answer(201, r#"{"sid": "SM1", "error_code": 30005}"#), CAP).is_err());
    }

    #[test]
    fn a_status_of_anyone_has_its_verdict() {
        let verdict = |status| of_status(&answer(status, "+15551234567"), CAP).err().map(|error| error.verdict);
        assert_eq!(verdict(202), None);
        assert_eq!((verdict(401), verdict(403)), (Some(Verdict::Unreachable), Some(Verdict::Unreachable)));
        assert_eq!((verdict(429), verdict(503)), (Some(Verdict::Retry), Some(Verdict::Retry)));
        assert_eq!((verdict(400), verdict(404)), (Some(Verdict::Reject), Some(Verdict::Reject)));
    }
}
