//! Patterns and texts that are made to take long, by the million.

use posthaste_hostile::{Outcome, Target, fields};

use super::*;

const WORDS: &[&str] = &["*", "**", "a", "b", "order.", "created", "\x1f", "a*", "*a", "aaaaaaaa", "."];

/// Every place of the text that the pattern can have come to, piece by piece.
fn expected(pattern: &str, text: &str) -> bool {
    let text = text.as_bytes();
    let mut places = vec![false; text.len() + 1];
    places[0] = true;
    for piece in pattern.bytes() {
        if piece == b'*' {
            let first = places.iter().position(|place| *place).unwrap_or(places.len());
            places[first..].fill(true);
        } else {
            for at in (0..text.len()).rev() {
                places[at + 1] = places[at] && text[at] == piece;
            }
            places[0] = false;
        }
    }
    places[text.len()]
}

#[test]
fn a_pattern_matches_what_its_pieces_can_be_laid_over() {
    Target::new("patterns", WORDS).longest(4_096).run(|input| {
        let [pattern, text] = fields::<2>(input).map(|field| String::from_utf8_lossy(field).into_owned());
        let matched = matches(&pattern, &text);
        assert_eq!(matched, expected(&pattern, &text));
        if matched { Outcome::Taken } else { Outcome::Refused }
    });
}
