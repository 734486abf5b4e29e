//! Results that are on record: one JSON file for each tool, with the day and the commit.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

const FOLDER: &str = "verification";

/// The results by the name of their tool.
#[derive(Debug, Default)]
pub struct Results(BTreeMap<String, Value>);

impl Results {
    pub fn read() -> Result<Self> {
        let mut results = BTreeMap::new();
        for entry in fs::read_dir(FOLDER).with_context(|| format!("cannot list {FOLDER}"))? {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".json")) else { continue };
            let text = fs::read_to_string(&path)?;
            let value = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
            results.insert(name.to_owned(), value);
        }
        Ok(Self(results))
    }

    #[cfg(test)]
    pub fn of(name: &str, value: Value) -> Self {
        Self([(name.to_owned(), value)].into())
    }

    pub fn get(&self, tool: &str) -> Option<&Value> {
        self.0.get(tool)
    }
}

/// Puts a result on record.
pub fn record(tool: &str, result: Value) -> Result<()> {
    record_in(FOLDER, tool, result)?;
    println!("cargo xtask verify --report writes the page anew");
    Ok(())
}

/// Puts a result on record in a folder, with the day and the commit.
pub fn record_in(folder: &str, name: &str, mut result: Value) -> Result<()> {
    let fields = result.as_object_mut().context("a result is an object")?;
    fields.insert("date".into(), said("date", &["-u", "+%F"])?.into());
    fields.insert("commit".into(), said("git", &["rev-parse", "--short=10", "HEAD"])?.into());
    fs::create_dir_all(folder)?;
    let path = Path::new(folder).join(format!("{name}.json"));
    fs::write(&path, serde_json::to_string_pretty(&result)? + "\n")?;
    println!("recorded in {}", path.display());
    Ok(())
}

fn said(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("{program}: {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
