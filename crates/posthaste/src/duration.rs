//! Durations as people write them: `250ms`, `15s`, `1h30m`, `7d`. Everything that takes a duration as a text takes it in this form.
//!
//! For a field of a config: `#[serde(with = "posthaste::duration")]`.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use crate::error::shown;

/// With its milliseconds; `ms` stands before `m`, which is how it starts.
const UNITS: [(&str, u64); 6] =
    [("w", 7 * 86_400_000), ("d", 86_400_000), ("h", 3_600_000), ("ms", 1), ("m", 60_000), ("s", 1_000)];

/// Parses one or more numbers, each with a unit. The error says what to write.
pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || {
        let text = shown(text);
        format!("`{text}` is not a duration: write a number with ms, s, m, h, d or w, such as 250ms, 15s, 1h30m or 7d")
    };
    let mut rest = text.trim();
    let mut total_ms: u64 = 0;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: u64 = rest[..digits].parse().map_err(|_| wrong())?;
        let after = rest[digits..].trim_start();
        let (name, unit_ms) = UNITS.into_iter().find(|(name, _)| after.starts_with(name)).ok_or_else(wrong)?;
        total_ms = number.checked_mul(unit_ms).and_then(|ms| total_ms.checked_add(ms)).ok_or_else(wrong)?;
        rest = after[name.len()..].trim_start();
    }
    Ok(Duration::from_millis(total_ms))
}

/// For `#[serde(with = "posthaste::duration")]`.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).map_err(serde::de::Error::custom)
}

/// The two largest units that matter: `3d 4h`, `1m 30s`, `250ms`.
pub fn brief(duration: Duration) -> String {
    let (mut rest_ms, mut parts) = (u64::try_from(duration.as_millis()).unwrap_or(u64::MAX), Vec::new());
    if rest_ms >= 10_000 {
        rest_ms -= rest_ms % 1_000;
    }
    for (name, unit_ms) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)] {
        if rest_ms >= unit_ms && parts.len() < 2 {
            parts.push(format!("{}{name}", rest_ms / unit_ms));
            rest_ms %= unit_ms;
        } else if !parts.is_empty() {
            break;
        }
    }
    if parts.is_empty() { "0s".into() } else { parts.join(" ") }
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_numbers_with_units() {
        let cases = [
            ("250ms", 250),
            ("15s", 15_000),
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            ("7d", 604_800_000),
            ("2 w", 1_209_600_000),
            ("0s", 0),
        ];
        for (text, ms) in cases {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_duration_is_refused_with_examples() {
        for text in ["", "15", "s", "-1s", "1.5h", "5 minutes", "99999999999999999w", "1h30"] {
            let error = parse(text).unwrap_err();
            assert!(error.contains("250ms, 15s, 1h30m or 7d"), "{text}: {error}");
        }
    }

    #[test]
    fn a_field_of_a_config_is_written_in_the_same_form() {
        #[derive(Debug, Deserialize)]
        struct Config {
            #[serde(with = "crate::duration")]
            keep: Duration,
        }
        let read = |text: &str| serde_json::from_str::<Config>(&format!(r#"{{ "keep": {text} }}"#));
        assert_eq!(read(r#""7d""#).unwrap().keep, Duration::from_secs(7 * 86_400));
        assert!(read(r#""15""#).unwrap_err().to_string().contains("`15` is not a duration: write a number with ms"));
        assert!(read("15").is_err(), "a number says no unit");
    }

    #[test]
    fn a_brief_duration_keeps_what_matters() {
        let cases = [(0, "0s"), (250, "250ms"), (1_500, "1s 500ms"), (61_000, "1m 1s"), (90_061_000, "1d 1h")];
        for (ms, text) in cases {
            assert_eq!(brief(Duration::from_millis(ms)), text);
        }
        assert_eq!(brief(Duration::from_millis(3_600_250)), "1h");
    }
}
