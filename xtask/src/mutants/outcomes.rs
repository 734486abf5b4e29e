//! What became of the mutants so far, so that a run that was stopped goes on where it was.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::copy::{FOLDER, digest};
use super::judge::Verdict;
use super::mutant::Mutant;
use crate::tidy::Tree;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    name: String,
    verdict: Verdict,
    /// What noticed it.
    by: String,
    /// The file as it was.
    file: String,
    /// The library as it was.
    library: String,
}

/// The outcomes on this machine: one file for each shard, with one line for each mutant.
#[derive(Debug, Default)]
pub struct Outcomes {
    outcomes: BTreeMap<String, Outcome>,
    files: BTreeMap<String, String>,
    library: String,
}

impl Outcomes {
    pub fn read() -> Result<Self> {
        fs::create_dir_all(FOLDER)?;
        let sources = Tree::read("crates/posthaste/src")?;
        let files: BTreeMap<_, _> =
            sources.files().iter().map(|file| (file.path.clone(), digest(&file.text))).collect();
        let mut outcomes = Self { library: digest(&format!("{files:?}")), files, ..Self::default() };
        for entry in fs::read_dir(FOLDER)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                let text = fs::read_to_string(path)?;
                let known = text.lines().filter_map(|line| serde_json::from_str(line).ok());
                known.for_each(|outcome| outcomes.keep(outcome));
            }
        }
        Ok(outcomes)
    }

    /// What is killed stays so while its file does not change. What was not may be noticed by a test elsewhere.
    fn keep(&mut self, outcome: Outcome) {
        let same = outcome.library == self.library;
        let file = outcome.name.split(':').next().unwrap_or_default();
        let same_file = self.files.get(file) == Some(&outcome.file);
        if same || (same_file && outcome.verdict != Verdict::Survived) {
            self.outcomes.insert(outcome.name.clone(), outcome);
        }
    }

    pub fn of(&self, mutant: &Mutant) -> Option<Verdict> {
        self.outcomes.get(&mutant.name).map(|outcome| outcome.verdict)
    }

    /// What noticed how many of the mutants.
    pub fn noticed_by(&self, mutants: &[Mutant]) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        let noticed = mutants.iter().filter_map(|mutant| self.outcomes.get(&mutant.name));
        noticed
            .filter(|outcome| !outcome.by.is_empty())
            .for_each(|outcome| *counts.entry(outcome.by.as_str()).or_default() += 1);
        counts
    }

    pub fn add(&mut self, file: &mut File, mutant: &Mutant, (verdict, by): (Verdict, &str)) -> Result<()> {
        let digest = self.files.get(&mutant.file).cloned().unwrap_or_default();
        let (name, by, library) = (mutant.name.clone(), by.to_owned(), self.library.clone());
        let outcome = Outcome { name, verdict, by, file: digest, library };
        writeln!(file, "{}", serde_json::to_string(&outcome)?)?;
        self.outcomes.insert(mutant.name.clone(), outcome);
        Ok(())
    }
}

/// The file of a shard, to write on.
pub fn file(shard: &str) -> Result<File> {
    let path = PathBuf::from(FOLDER).join(format!("outcomes-{}.jsonl", shard.replace('/', "-of-")));
    Ok(OpenOptions::new().create(true).append(true).open(path)?)
}
