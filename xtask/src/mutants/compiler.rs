//! What the compiler says about the copy.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::copy::FOLDER;
use crate::step::cargo;

/// The tests of the library without any driver, with the simulator, which is what tests the engine.
const BUILD: &str =
    "test --no-run --package posthaste --no-default-features --features simulator --lib --message-format=json";

/// For a few mutants, a quick build may be worth more than quick tests: the environment decides.
const OPT_LEVEL: &str = "CARGO_PROFILE_DEV_OPT_LEVEL";

/// A place that the compiler objects to.
#[derive(Debug)]
pub struct Objection {
    pub file: String,
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// What came of a build.
#[derive(Debug)]
pub enum Built {
    Tests(PathBuf),
    /// For each error the places that it is about, the most telling one first.
    Refused(Vec<Vec<Objection>>),
}

/// Builds the copy. The library is optimised, since it is built once and runs thousands of times.
pub fn build() -> Result<Built> {
    let copy = PathBuf::from(FOLDER).canonicalize()?;
    let mut command = cargo(BUILD);
    command.current_dir(copy.join("tree")).env("CARGO_TARGET_DIR", copy.join("build"));
    command.env("RUSTFLAGS", "-Cdebuginfo=0");
    if std::env::var_os(OPT_LEVEL).is_none() {
        command.env(OPT_LEVEL, "1");
    }
    let output = command.stderr(Stdio::piped()).output().context("cannot start cargo")?;
    let lines: Vec<Value> =
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    if output.status.success() {
        let mut made = lines.iter().filter_map(|line| line["executable"].as_str());
        return Ok(Built::Tests(made.next().context("cargo made no program")?.into()));
    }
    let errors = lines.iter().map(|line| &line["message"]).filter(|message| message["level"] == "error");
    let errors: Vec<_> = errors.map(objections).filter(|places| !places.is_empty()).collect();
    if errors.is_empty() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(Built::Refused(errors))
}

fn objections(error: &Value) -> Vec<Objection> {
    let mut spans: Vec<&Value> = error["spans"].as_array().into_iter().flatten().collect();
    spans.sort_by_key(|span| span["is_primary"] != true);
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default();
    let objection = |span: &Value| Objection {
        file: span["file_name"].as_str().unwrap_or_default().to_owned(),
        start: number(&span["byte_start"]),
        end: number(&span["byte_end"]),
        text: error["message"].as_str().unwrap_or_default().to_owned(),
    };
    spans.into_iter().map(objection).collect()
}
