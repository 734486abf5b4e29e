//! What is put on record: for each folder how many mutants there are and what became of them, and every survivor by name.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::judge::{SCHEDULES, Verdict};
use super::mutant::Mutant;
use super::outcomes::Outcomes;
use super::survivors::{Equivalents, FILE};
use super::tool;
use crate::verify;

pub fn record(mutants: &[Mutant], outcomes: &Outcomes) -> Result<()> {
    let survivors: Vec<&Mutant> =
        mutants.iter().filter(|mutant| outcomes.of(mutant) == Some(Verdict::Survived)).collect();
    let (judged, wrong) = Equivalents::read()?.judge(&survivors);
    if !wrong.is_empty() {
        bail!("{FILE} says what is not so:\n{}", wrong.join("\n"));
    }
    let survivors: Vec<Value> =
        judged.iter().map(|(mutant, reason)| json!({ "mutant": mutant.name, "equivalent_because": reason })).collect();
    let result = json!({
        "tool": format!("cargo-mutants {}", tool::VERSION),
        "schedules_for_each_survivor": SCHEDULES,
        "noticed_by": outcomes.noticed_by(mutants),
        "folders": folders(mutants, outcomes, &judged),
        "survivors": survivors,
    });
    verify::record("mutants", result)
}

fn folders(mutants: &[Mutant], outcomes: &Outcomes, judged: &[(&Mutant, Option<String>)]) -> Value {
    let mut folders: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for mutant in mutants {
        let counts = folders.entry(mutant.folder()).or_default();
        *counts.entry("mutants").or_default() += 1;
        *counts.entry(name(outcomes.of(mutant))).or_default() += 1;
    }
    for (mutant, _) in judged.iter().filter(|(_, reason)| reason.is_some()) {
        *folders.entry(mutant.folder()).or_default().entry("equivalent").or_default() += 1;
    }
    json!(folders)
}

pub fn name(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Killed) => "killed",
        Some(Verdict::TimedOut) => "timed_out",
        Some(Verdict::Survived) => "survived",
        Some(Verdict::Unviable) => "unviable",
        None => "untried",
    }
}
