//! Whatever somebody takes for a duration, by the million.

use posthaste_hostile::{Outcome, Target};

use super::*;

const WORDS: &[&str] = &["1", "30", "250", "ms", "s", "m", "h", "d", "w", " ", "h30m", "µs", "S", "307445734561825860"];

/// The sum in milliseconds, read from the end to the beginning; `None` for what is none.
fn expected(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total: u128 = if rest.is_empty() { return None } else { 0 };
    while !rest.is_empty() {
        let number = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let unit = match &rest[number.len()..] {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 604_800_000_u128,
            _ => return None,
        };
        let before = number.trim_end().trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = number.trim_end()[before.len()..].parse::<u64>().ok()?;
        total += u128::from(digits) * unit;
        rest = before.trim_end();
    }
    total.try_into().ok()
}

#[test]
fn a_duration_is_what_its_numbers_and_units_add_up_to_or_refused_in_a_line() {
    Target::new("durations", WORDS).run(|input| {
        let text = String::from_utf8_lossy(input);
        let parsed = parse(&text);
        assert_eq!(parsed.as_ref().ok().map(Duration::as_millis), expected(&text).map(u128::from), "{parsed:?}");
        match &parsed {
            Ok(duration) => {
                let again = parse(&brief(*duration)).expect("what is shown can be written");
                assert!(
                    again <= *duration && (*duration - again).as_millis() <= duration.as_millis() / 10,
                    "{again:?}"
                );
            }
            Err(error) => {
                assert!(error.contains("is not a duration") && error.len() < 700, "{} bytes", error.len());
                assert!(!error.chars().any(char::is_control), "{error:?}");
            }
        }
        Outcome::of(&parsed)
    });
}
