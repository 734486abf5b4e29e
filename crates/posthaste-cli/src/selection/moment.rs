//! A time as people type it.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use posthaste::duration;
use serde::{Serialize, Serializer};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Ago(Duration),
    At(Timestamp),
}

impl Moment {
    pub fn resolve(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(ago) => now.checked_sub(ago).unwrap_or(Timestamp::MIN),
            Self::At(time) => time,
        }
    }
}

/// As it can be typed again.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ago(ago) => f.write_str(&brief(*ago)),
            Self::At(time) => time.fmt(f),
        }
    }
}

/// In the largest unit that divides it.
fn brief(ago: Duration) -> String {
    let millis = ago.as_millis();
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")];
    let (size, unit) = units.into_iter().find(|(size, _)| millis.is_multiple_of(*size)).unwrap_or((1, "ms"));
    format!("{}{unit}", millis / size)
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `2h` is two hours ago; a time without a zone is UTC.
pub fn moment(text: &str) -> Result<Moment, String> {
    if let Ok(ago) = duration::parse(text) {
        return Ok(Moment::Ago(ago));
    }
    timestamp(text).map(Moment::At).map_err(|_| {
        format!("`{text}` is not a time: write how long ago (90s, 2h, 7d) or when (2026-11-02, 2026-11-02T03:04, 2026-11-02T03:04:05Z)")
    })
}

/// A point in time; without a zone, UTC.
pub fn timestamp(text: &str) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    let civil = text.trim_end_matches('Z').parse::<DateTime>().and_then(|civil| civil.to_zoned(TimeZone::UTC));
    civil.map(|zoned| zoned.timestamp()).map_err(|_| {
        format!("`{text}` is not a time: write it as 2026-11-02, 2026-11-02T03:04 or 2026-11-02T03:04:05Z")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_how_long_ago_or_when() {
        let now: Timestamp = "2026-11-02T12:00:00Z".parse().unwrap();
        let cases = [
            ("2h", "2026-11-02T10:00:00Z"),
            ("7d", "2026-10-26T12:00:00Z"),
            ("2026-11-01", "2026-11-01T00:00:00Z"),
            ("2026-11-01T03:04", "2026-11-01T03:04:00Z"),
            ("2026-11-01T03:04Z", "2026-11-01T03:04:00Z"),
            ("2026-11-01T03:04:05+02:00", "2026-11-01T01:04:05Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(moment(text).unwrap().resolve(now).to_string(), expected, "{text}");
        }
        assert!(moment("yesterday").unwrap_err().contains("how long ago"));
    }

    #[test]
    fn what_was_typed_can_be_typed_again() {
        for text in ["2h", "90s", "7d", "36h", "1500ms", "2026-11-01T00:00:00Z"] {
            assert_eq!(moment(text).unwrap().to_string(), text);
        }
        assert_eq!(moment("120m").unwrap().to_string(), "2h");
    }
}
