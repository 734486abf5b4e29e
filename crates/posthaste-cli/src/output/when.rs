//! Times as people read them.

use std::time::Duration;

use jiff::Timestamp;
use posthaste::duration;

/// `2026-11-02 03:04:05Z`
pub fn at(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

/// `2m 10s ago`, `in 4s`, `now`
pub fn relative(time: Timestamp, now: Timestamp) -> String {
    let away = Duration::from_millis(time.as_millisecond().abs_diff(now.as_millisecond()));
    if away < Duration::from_secs(1) {
        "now".into()
    } else if time < now {
        format!("{} ago", brief(away))
    } else {
        format!("in {}", brief(away))
    }
}

/// `2026-11-02 03:04:05Z (in 4s)`
pub fn both(time: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", at(time), relative(time, now))
}

/// `42m`, `5s`: whole minutes once there is one, for a text that is read again and again.
#[cfg(feature = "http")]
pub fn span(from: Timestamp, to: Timestamp) -> String {
    let away = Duration::from_millis(to.as_millisecond().abs_diff(from.as_millisecond()));
    let unit = if away < Duration::from_secs(60) { 1 } else { 60 };
    duration::brief(Duration::from_secs(away.as_secs() / unit * unit))
}

/// To the second: nobody waits for "in 4s 217ms".
fn brief(away: Duration) -> String {
    duration::brief(Duration::from_secs(away.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_in_full_and_relative_to_now() {
        let now: Timestamp = "2026-11-02T03:04:05Z".parse().unwrap();
        let past: Timestamp = "2026-11-02T03:01:55.5Z".parse().unwrap();
        let soon: Timestamp = "2026-11-02T03:04:09.9Z".parse().unwrap();
        assert_eq!(both(past, now), "2026-11-02 03:01:55Z (2m 9s ago)");
        assert_eq!(relative(soon, now), "in 4s");
        assert_eq!(relative(now, now), "now");
    }
}
