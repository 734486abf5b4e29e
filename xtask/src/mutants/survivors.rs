//! Survivors that do what the original does, with the reason why: `verification/mutants-equivalent.toml`, written by hand.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::mutant::Mutant;

pub const FILE: &str = "verification/mutants-equivalent.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalents {
    #[serde(default)]
    equivalent: Vec<Equivalent>,
}

/// All survivors of one file with one change, in one function.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Equivalent {
    /// Below `crates/posthaste/src`.
    file: String,
    change: String,
    /// How many of them there are.
    #[serde(default = "one")]
    times: usize,
    reason: String,
}

fn one() -> usize {
    1
}

impl Equivalents {
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(FILE).with_context(|| format!("cannot read {FILE}"))?;
        toml::from_str(&text).with_context(|| format!("{FILE} is wrong"))
    }

    /// Each survivor with the reason why it is none, if there is one; and what the file says although it is not so.
    pub fn judge<'a>(&self, survivors: &[&'a Mutant]) -> (Vec<(&'a Mutant, Option<String>)>, Vec<String>) {
        let mut found = BTreeMap::new();
        let judged = survivors.iter().map(|mutant| {
            let entry = self.equivalent.iter().position(|entry| entry.is_about(mutant));
            entry.into_iter().for_each(|entry| *found.entry(entry).or_insert(0) += 1);
            (*mutant, entry.map(|entry| self.equivalent[entry].reason.clone()))
        });
        let judged = judged.collect();
        let wrong = self.equivalent.iter().enumerate().filter_map(|(index, entry)| {
            let times = found.get(&index).copied().unwrap_or(0);
            let told = format!("{}: {}: {times} survive, {} are listed", entry.file, entry.change, entry.times);
            (times != entry.times).then_some(told)
        });
        (judged, wrong.collect())
    }
}

impl Equivalent {
    fn is_about(&self, mutant: &Mutant) -> bool {
        // A name is the file, line, column and the change, with a colon after each.
        let change = mutant.name.splitn(4, ':').last().unwrap_or_default().trim();
        mutant.file.ends_with(&format!("/src/{}", self.file)) && change == self.change
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_survivor_is_excused_by_its_file_and_change_and_an_excuse_without_survivor_is_told() {
        let place = json!({ "line": 1, "column": 2 });
        let mutant: Mutant = serde_json::from_value(json!({
            "name": "c/src/a.rs:1:2: replace < with <= in f", "file": "c/src/a.rs", "span": { "start": place },
            "replacement": "<=", "genre": "BinaryOperator",
        }))
        .unwrap();
        let text = "[[equivalent]]\nfile = 'a.rs'\nchange = 'replace < with <= in f'\nreason = 'never equal'\n";
        let equivalents: Equivalents = toml::from_str(text).unwrap();
        let (judged, wrong) = equivalents.judge(&[&mutant]);
        assert_eq!((judged[0].1.as_deref(), wrong.len()), (Some("never equal"), 0));
        assert_eq!(equivalents.judge(&[]).1, ["a.rs: replace < with <= in f: 0 survive, 1 are listed"]);
    }
}
