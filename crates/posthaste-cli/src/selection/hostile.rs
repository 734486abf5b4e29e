//! Selections that nobody would type, by the million: what is read is the same when it is written and read again.

use posthaste_hostile::{Outcome, Target};

use super::*;

const LINE_WORDS: &[&str] = &[
    "status:",
    "dead",
    "retrying",
    ",",
    "destination:",
    "type:",
    "invoice.*",
    "key:",
    "order/42",
    "aggregate:",
    "tenant:",
    "error:",
    "since:",
    "before:",
    "id:",
    "01890a5d-ac96-774b-bcce-b302099a8057",
    " ",
    "\"",
    "\\",
    "\\\"",
    "\u{a0}",
    "\u{2003}",
    ":",
    "2h",
    "1500ms",
    "0s",
    "7d",
    "2026-11-02",
    "2026-11-02T03:04:05.123456789Z",
    "-009999-01-02T01:59:59Z",
    "9999-12-30",
    "state:",
    "event_type:",
    "*",
    "''",
];
const DOCUMENT_WORDS: &[&str] = &[
    "{",
    "}",
    "\"query\":",
    "\"status\":",
    "\"id\":",
    "\"destination\":",
    "\"key\":",
    "\"aggregate\":",
    "\"since\":",
    "\"before\":",
    "\"error\":",
    "\"type\":",
    "\"event_type\":",
    "\"tenant\":",
    "\"state\":",
    "[",
    "]",
    ",",
    "\"dead\"",
    "\"dead,pending\"",
    "\"status:dead\"",
    "\"2h\"",
    "\"\"",
    "null",
    "\"01890a5d-ac96-774b-bcce-b302099a8057\"",
    "\"a\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
];
const TOKEN_WORDS: &[&str] = &[
    "0",
    ".",
    "12",
    "4711",
    "18446744073709551615",
    "+",
    "-",
    "/",
    "order",
    "01890a5d-ac96-774b-bcce-b302099a8057",
    "{",
    "}",
    "urn:uuid:",
];

fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

/// What was refused is told in words that are not much longer than what was given.
fn told(why: &str, given: &str) {
    assert!(!why.is_empty() && why.len() <= 3 * given.len() + 1_000, "{} bytes of {}", why.len(), given.len());
}

/// The line of a selection is read as the same selection, in one word order.
fn comes_back(selection: &Selection) {
    let written = line::write(selection);
    let again = line::parse(&written).unwrap_or_else(|why| panic!("{written:?}: {why}"));
    assert_eq!(again.filter(now()), selection.filter(now()), "{written:?}");
    assert_eq!(line::write(&again), written);
}

#[test]
fn a_line_that_is_read_is_the_same_when_it_is_written() {
    Target::new("query_lines", LINE_WORDS).longest(4_096).run(|input| {
        let text = String::from_utf8_lossy(input);
        let parsed = line::parse(&text);
        match &parsed {
            Ok(selection) => comes_back(selection),
            Err(why) => told(why, &text),
        }
        if let Ok(words) = line::words(&text) {
            let characters = text.chars().count();
            assert!(words.iter().all(|word| word.from < word.to && word.to <= characters));
            assert!(words.windows(2).all(|two| two[0].to <= two[1].from));
        }
        Outcome::of(&parsed)
    });
}

#[test]
fn a_document_selects_what_it_says_or_is_refused() {
    Target::new("selection_documents", DOCUMENT_WORDS).longest(4_096).run(|input| {
        let parsed = serde_json::from_slice::<Selection>(input);
        match &parsed {
            Ok(selection) => {
                let json = serde_json::to_value(selection).expect("it can be written");
                let again: Selection =
                    serde_json::from_value(json.clone()).unwrap_or_else(|why| panic!("{json}: {why}"));
                assert_eq!(again.filter(now()), selection.filter(now()), "{json}");
            }
            Err(why) => told(&why.to_string(), &String::from_utf8_lossy(input)),
        }
        Outcome::of(&parsed)
    });
}

#[test]
fn what_names_a_place_is_read_as_it_is_written() {
    Target::new("page_tokens", TOKEN_WORDS).run(|input| {
        let text = String::from_utf8_lossy(input);
        let (place, id, named) = (position(&text), message_id(&text), aggregate(&text));
        if let Ok(place) = place {
            assert_eq!(position(&place.to_string()), Ok(place));
        }
        if let Ok(id) = id {
            assert_eq!(message_id(&id.to_string()), Ok(id));
        }
        if let Ok((kind, id)) = &named {
            assert_eq!(format!("{kind}/{id}"), text);
        }
        for why in [place.as_ref().err(), id.as_ref().err(), named.as_ref().err()].into_iter().flatten() {
            told(why, &text);
        }
        if place.is_ok() || id.is_ok() || named.is_ok() { Outcome::Taken } else { Outcome::Refused }
    });
}
