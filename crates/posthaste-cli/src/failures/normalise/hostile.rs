//! Errors that somebody else wrote, by the million: the pattern of an error finds it again.

use posthaste::inspect::Filter;
use posthaste::rules::route::matches;
use posthaste_hostile::{Outcome, Target};

use super::*;
use crate::selection::{Selection, line};

const WORDS: &[&str] = &[
    "can't",
    " ",
    "\t",
    "id=42",
    "'",
    "\"",
    "`",
    "no queue ",
    "'orders-7'",
    "answered 503: ",
    "HTTP ",
    "404",
    "http://a.example/x?y=1",
    "@",
    "*",
    "* *",
    "(",
    ")",
    ",",
    "word",
    "10.0.0.1:5672",
    "\n",
    "\r\n",
    "\u{2028}",
    "ä",
    "://",
    ":",
    "=",
    ".",
    "!",
    "unclosed ",
    "01890a5d-ac96-774b",
];

#[test]
fn the_pattern_of_an_error_finds_it_and_stays_short() {
    Target::new("errors", WORDS).longest(8_192).run(|input| {
        let error = String::from_utf8_lossy(input);
        let pattern = normalise(&error);
        assert!(pattern.is_empty() == error.is_empty(), "{pattern:?} of {error:?}");
        assert!(pattern.is_empty() || matches(&pattern, &error), "{pattern:?} of {error:?}");
        assert!(pattern.chars().count() <= MOST + LONGEST_WORD + 3, "{} characters", pattern.chars().count());
        let filter = Filter { error: Some(pattern.clone()).filter(|error| !error.is_empty()), ..Filter::default() };
        let written = line::write(&Selection::from(&filter));
        let again = line::parse(&written).unwrap_or_else(|why| panic!("{written:?}: {why}"));
        assert_eq!(again.filter(jiff::Timestamp::UNIX_EPOCH).error, filter.error, "{written:?}");
        if pattern.contains('*') { Outcome::Taken } else { Outcome::Refused }
    });
}
