//! What is promised, by hand.

use std::fs;

use anyhow::{Context, Result};
use toml::{Table, Value};

pub const FILE: &str = "verification/promises.toml";

#[derive(Debug, Default)]
pub struct Promises {
    pub promises: Vec<Promise>,
    pub not_promised: Vec<String>,
    pub limits: Vec<String>,
    pub found: Vec<Found>,
}

/// One promise, and what tries to break it.
#[derive(Debug, Default)]
pub struct Promise {
    pub text: String,
    /// What could break it.
    pub breaks: String,
    pub tests: Vec<String>,
    /// Mistakes that are planted, and must be noticed.
    pub planted: Vec<String>,
    /// Small worlds of which every schedule is tried.
    pub worlds: Vec<String>,
    /// Faults of a chaos run.
    pub chaos: Vec<String>,
}

/// Something that was wrong, and is not any more.
#[derive(Debug, Default)]
pub struct Found {
    pub what: String,
    /// What found it.
    pub by: String,
    /// The test that failed before.
    pub test: String,
}

impl Promises {
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(FILE).with_context(|| format!("cannot read {FILE}"))?;
        Self::parse(&text).with_context(|| format!("{FILE} is not as it should be"))
    }

    pub fn parse(text: &str) -> Result<Self> {
        let table: Table = text.parse()?;
        let promise = |row: &Table| Promise {
            text: string(row, "text"),
            breaks: string(row, "breaks"),
            tests: strings(row, "tests"),
            planted: strings(row, "planted"),
            worlds: strings(row, "worlds"),
            chaos: strings(row, "chaos"),
        };
        let found = |row: &Table| Found { what: string(row, "what"), by: string(row, "by"), test: string(row, "test") };
        Ok(Self {
            promises: rows(&table, "promise").map(promise).collect(),
            not_promised: strings(&table, "not_promised"),
            limits: strings(&table, "limits"),
            found: rows(&table, "found").map(found).collect(),
        })
    }
}

fn rows<'a>(table: &'a Table, name: &str) -> impl Iterator<Item = &'a Table> {
    table.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}

fn string(table: &Table, name: &str) -> String {
    table.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn strings(table: &Table, name: &str) -> Vec<String> {
    let values = table.get(name).and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).map(str::to_owned).collect()
}
