//! What an endpoint means by a status. What it means when no answer came is in [`http`](crate::sink::http).

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::StatusCode;

use super::settings::StatusVerdict;
use crate::retry::Verdict;
use crate::sink::Error;
use crate::sink::http::Answer;

/// The statuses of the config, and the defaults for all others.
pub(super) struct Verdicts {
    single: BTreeMap<u16, StatusVerdict>,
    /// By their first digit.
    classes: BTreeMap<u16, StatusVerdict>,
    retry_after_cap: Duration,
}

impl Verdicts {
    pub(super) fn new(written: &BTreeMap<String, StatusVerdict>, retry_after_cap: Duration) -> Result<Self, String> {
        let (mut single, mut classes) = (BTreeMap::new(), BTreeMap::new());
        for (status, verdict) in written {
            let wrong = || format!("contains `{status}`, which is neither a status (404) nor a class of them (4xx)");
            let class =
                status.strip_suffix("xx").and_then(|digit| digit.parse().ok()).filter(|class| (2..=5).contains(class));
            let exact = status.parse().ok().filter(|status| (200..=599).contains(status));
            match (class, exact) {
                (Some(class), _) => classes.insert(class, *verdict),
                (_, Some(exact)) => single.insert(exact, *verdict),
                _ => return Err(wrong()),
            };
        }
        Ok(Self { single, classes, retry_after_cap })
    }

    pub(super) fn judge(&self, answer: &Answer) -> Result<(), Error> {
        let verdict = match self.of(answer.status) {
            StatusVerdict::Delivered => return Ok(()),
            StatusVerdict::Retry => answer.retry(self.retry_after_cap),
            StatusVerdict::Reject => Verdict::Reject,
            StatusVerdict::Unreachable => Verdict::Unreachable,
            StatusVerdict::Pause => Verdict::Gone,
        };
        Err(Error::new(verdict, text(answer)))
    }

    fn of(&self, status: StatusCode) -> StatusVerdict {
        let code = status.as_u16();
        let configured = self.single.get(&code).or_else(|| self.classes.get(&(code / 100)));
        configured.copied().unwrap_or_else(|| default(code))
    }
}

/// A redirect is not followed: it may be mended at the endpoint, so it is tried again.
fn default(status: u16) -> StatusVerdict {
    match status {
        200..=299 => StatusVerdict::Delivered,
        410 => StatusVerdict::Pause,
        408 | 425 | 429 => StatusVerdict::Retry,
        400..=499 => StatusVerdict::Reject,
        _ => StatusVerdict::Retry,
    }
}

/// The status in the first line; what the endpoint says about it, without what could disturb a terminal, below.
fn text(answer: &Answer) -> String {
    let mut text = answer.status_line();
    let said = String::from_utf8_lossy(&answer.body);
    let said: String = said.trim().chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    if !said.is_empty() {
        text.push('\n');
        text.push_str(&said);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &str)], body: &[u8]) -> Answer {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        Answer { status: StatusCode::from_u16(status).unwrap(), headers, body: body.to_vec() }
    }

    fn verdict(verdicts: &Verdicts, status: u16, headers: &[(&'static str, &str)]) -> Option<Verdict> {
        verdicts.judge(&answer(status, headers, b"")).err().map(|error| error.verdict)
    }

    #[test]
    fn every_status_has_its_default() {
        let verdicts = Verdicts::new(&BTreeMap::new(), Duration::from_secs(60)).unwrap();
        for status in 200..600 {
            let expected = match status {
                200..300 => None,
                410 => Some(Verdict::Gone),
                408 | 425 | 429 => Some(Verdict::Retry),
                400..500 => Some(Verdict::Reject),
                _ => Some(Verdict::Retry),
            };
            assert_eq!(verdict(&verdicts, status, &[]), expected, "{status}");
        }
    }

    #[test]
    fn the_config_overrides_single_statuses_and_whole_classes() {
        use StatusVerdict::{Delivered, Pause, Reject, Retry, Unreachable};
        let written = [("404", Retry), ("4xx", Unreachable), ("409", Delivered), ("3xx", Reject), ("500", Pause)];
        let written = written.map(|(status, verdict)| (status.to_owned(), verdict)).into();
        let verdicts = Verdicts::new(&written, Duration::from_secs(60)).unwrap();
        let cases = [
            (404, Some(Verdict::Retry)),
            (400, Some(Verdict::Unreachable)),
            (429, Some(Verdict::Unreachable)),
            (409, None),
            (301, Some(Verdict::Reject)),
            (500, Some(Verdict::Gone)),
            (503, Some(Verdict::Retry)),
            (204, None),
        ];
        for (status, expected) in cases {
            assert_eq!(verdict(&verdicts, status, &[]), expected, "{status}");
        }
        for wrong in ["4x", "1xx", "6xx", "100", "600", "teapot", ""] {
            assert!(Verdicts::new(&[(wrong.to_owned(), Retry)].into(), Duration::ZERO).is_err(), "{wrong}");
        }
    }

    #[test]
    fn retry_after_is_honoured_up_to_its_cap() {
        let verdicts = Verdicts::new(&BTreeMap::new(), Duration::from_secs(60)).unwrap();
        let after = |text: &str| verdict(&verdicts, 503, &[("retry-after", text)]);
        assert_eq!(after("7"), Some(Verdict::RetryAfter(Duration::from_secs(7))));
        assert_eq!(after("86400"), Some(Verdict::RetryAfter(Duration::from_secs(60))));
        assert_eq!(after("Thu, 31 Dec 2099 23:59:59 GMT"), Some(Verdict::RetryAfter(Duration::from_secs(60))));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Verdict::Retry));
        assert_eq!(after("0"), Some(Verdict::Retry));
        assert_eq!(after("soon"), Some(Verdict::Retry));
        assert_eq!(verdict(&verdicts, 404, &[("retry-after", "7")]), Some(Verdict::Reject));
    }

    #[test]
    fn what_the_endpoint_says_stands_below_the_status() {
        let said = text(&answer(400, &[], b" no such\x1b[2J order\r\nreally "));
        assert_eq!(said, "answered 400 Bad Request\nno such [2J order \nreally");
        assert_eq!(text(&answer(418, &[], b"")), "answered 418 I'm a teapot");
    }
}
