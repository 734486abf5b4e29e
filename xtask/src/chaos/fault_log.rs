//! What was done to the world, and when. Written as it happens, so that a run that breaks has it too.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde_json::json;

/// Something that was done.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Microseconds since 1970.
    pub from: u64,
    /// When it was over.
    pub to: u64,
    /// What it was, one word.
    pub kind: &'static str,
    /// The store of the scene; none if it was done to all.
    pub scene: Option<&'static str>,
    /// The relay, link, server or destination.
    pub target: String,
}

#[derive(Debug)]
pub struct FaultLog {
    file: File,
    entries: Vec<Entry>,
}

impl FaultLog {
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self { file: File::create(path)?, entries: Vec::new() })
    }

    pub fn begins(&mut self, kind: &'static str, scene: Option<&'static str>, target: String) -> Result<usize> {
        let from = now_micros();
        writeln!(self.file, "{}", json!({ "at": from, "begins": kind, "scene": scene, "target": target }))?;
        self.entries.push(Entry { from, to: u64::MAX, kind, scene, target });
        Ok(self.entries.len() - 1)
    }

    pub fn ends(&mut self, number: usize) -> Result<()> {
        let entry = &mut self.entries[number];
        entry.to = now_micros();
        writeln!(self.file, "{}", json!({ "at": entry.to, "ends": entry.kind, "target": entry.target }))?;
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

#[expect(clippy::disallowed_methods, reason = "consumers in other processes record by the same clock")]
pub fn now_micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64)
}
