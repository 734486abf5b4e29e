//! `Retry-After`: seconds, or a date.

use std::time::Duration;

use jiff::Timestamp;

/// How long from `now`; nothing for what is neither. A time that has passed is no wait.
pub(super) fn parse(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number holds is longer than anyone waits.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_understood() {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
        let seconds = |text: &str| parse(text, now).map(|wait| wait.as_secs());
        let cases = [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(37)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", Some(0)),
            ("-5", None),
            ("1.5", None),
            ("", None),
            ("tomorrow", None),
        ];
        for (text, expected) in cases {
            assert_eq!(seconds(text), expected, "{text:?}");
        }
    }
}
