//! How a query line can go on at a place in it.

use posthaste::inspect::{DestinationCounts, Overview, Status};
use serde::Serialize;

use super::line::{self, NAMES, Word, quoted};

/// Candidates that are offered at most.
const MOST: usize = 20;

/// What values there are.
#[derive(Debug)]
pub struct Known<'a> {
    pub overview: &'a Overview,
    /// Of some messages, the newest first.
    pub event_types: Vec<String>,
}

/// What can stand in place of the characters `from..to` of the line.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Completion {
    pub from: usize,
    pub to: usize,
    pub candidates: Vec<Candidate>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    pub text: String,
    pub about: String,
}

/// Completes the word that the cursor stands in or behind; `at` counts characters.
pub fn complete(text: &str, at: usize, known: &Known<'_>) -> Completion {
    let length = text.chars().count();
    let at = at.min(length);
    let typed: String = text.chars().take(at).collect();
    let found = line::words(&typed).ok().and_then(|words| words.into_iter().next_back());
    let word = found.filter(|word| word.to == at);
    let from = word.as_ref().map_or(at, |word| word.from);
    let rest = text.chars().skip(at).take_while(|c| !c.is_whitespace()).count();
    let to = if word.is_some() { at + rest } else { at };
    Completion { from, to, candidates: candidates(word.as_ref(), known) }
}

fn candidates(word: Option<&Word>, known: &Known<'_>) -> Vec<Candidate> {
    let all = match word {
        Some(Word { name: Some(name), value, .. }) => values(name, value, known),
        Some(Word { name: None, value, .. }) => names(value),
        None => names(""),
    };
    all.into_iter().take(MOST).collect()
}

fn names(begun: &str) -> Vec<Candidate> {
    let about = |name: &str| match name {
        "status" => "dead, retrying, pending …",
        "destination" => "where it goes",
        "type" => "event type; * stands for any text",
        "key" => "the ordering scope",
        "aggregate" => "TYPE or TYPE/ID",
        "tenant" => "whose it is",
        "error" => "like the last error; * stands for any text",
        "since" => "occurred then or later: 2h, 2026-11-02",
        "before" => "occurred before: 2h, 2026-11-02",
        _ => "one message",
    };
    let fitting = NAMES.into_iter().filter(|name| name.starts_with(begun));
    fitting.map(|name| Candidate { text: format!("{name}:"), about: about(name).into() }).collect()
}

fn values(name: &str, begun: &str, known: &Known<'_>) -> Vec<Candidate> {
    let candidate = |text: &str, about: String| Candidate { text: format!("{name}:{}", quoted(text)), about };
    let (before, last) = begun.rsplit_once(',').map_or(("", begun), |(before, last)| (before, last));
    let pairs: Vec<(String, String)> = match name {
        "status" | "state" => {
            let prefix = if before.is_empty() { String::new() } else { format!("{before},") };
            let fitting = Status::ALL.into_iter().filter(|status| status.as_str().starts_with(last));
            return fitting
                .map(|status| candidate(&format!("{prefix}{}", status.as_str()), deliveries(known, status)))
                .collect();
        }
        "destination" => known.overview.destinations.iter().map(|at| (at.destination.clone(), state(at))).collect(),
        "type" | "event_type" => known.event_types.iter().map(|name| (name.clone(), String::new())).collect(),
        "since" | "before" => ["10m", "1h", "2h", "24h", "7d"].map(|ago| (ago.to_owned(), format!("{ago} ago"))).into(),
        _ => Vec::new(),
    };
    let fitting = pairs.into_iter().filter(|(text, _)| text.starts_with(begun));
    fitting.map(|(text, about)| candidate(&text, about)).collect()
}

fn deliveries(known: &Known<'_>, status: Status) -> String {
    let count: u64 = known.overview.destinations.iter().map(|counts| counts.of(status)).sum();
    if count == 0 { String::new() } else { crate::output::thousands(count) }
}

fn state(counts: &DestinationCounts) -> String {
    match counts {
        DestinationCounts { dead: 0, paused: false, .. } => String::new(),
        DestinationCounts { dead: 0, .. } => "paused".into(),
        DestinationCounts { dead, .. } => format!("{} dead", crate::output::thousands(*dead)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, at: usize) -> (usize, usize, Vec<String>) {
        let billing = DestinationCounts { destination: "billing".into(), dead: 4, ..DestinationCounts::default() };
        let other = DestinationCounts { destination: "big one".into(), ..DestinationCounts::default() };
        let overview = Overview { destinations: vec![billing, other], ..Overview::default() };
        let known = Known { overview: &overview, event_types: vec!["order.paid".into()] };
        let Completion { from, to, candidates } = complete(text, at, &known);
        (from, to, candidates.into_iter().map(|candidate| candidate.text).collect())
    }

    #[test]
    fn a_word_without_a_colon_becomes_a_name() {
        assert_eq!(texts("de", 2), (0, 2, vec!["destination:".into()]));
        assert_eq!(texts("", 0).2.len(), NAMES.len());
        assert_eq!(texts("status:dead ", 12).2.len(), NAMES.len(), "behind a blank begins another one");
    }

    #[test]
    fn values_are_those_that_there_are() {
        assert_eq!(texts("status:dead destination:b", 25).2, ["destination:billing", "destination:\"big one\""]);
        assert_eq!(
            texts("status:d", 8).2,
            ["status:delivered", "status:dead", "status:discarding", "status:discarded"]
        );
        assert_eq!(texts("status:dead,re", 14).2, ["status:dead,retrying", "status:dead,replay"]);
        assert_eq!(texts("type:o", 6).2, ["type:order.paid"]);
        assert_eq!(texts("key:x", 5).2, [""; 0]);
    }

    #[test]
    fn the_whole_word_around_the_cursor_is_replaced() {
        assert_eq!(
            texts("destination:bil since:2h", 13),
            (0, 15, vec!["destination:billing".into(), "destination:\"big one\"".into()])
        );
    }
}
