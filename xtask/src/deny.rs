//! What the repository depends on, and may: `cargo deny` with `deny.toml`.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::step::cargo;
use crate::verify;

/// What needs nothing but the sources that are here.
const CHECKS: [&str; 3] = ["licenses", "bans", "sources"];

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Put the result on record in `verification`
    #[arg(long)]
    record: bool,
}

/// Known weaknesses are looked for where their database can be fetched. Where it cannot, that is said and recorded; the rest is checked.
pub fn run(args: &Args) -> Result<()> {
    let version = version()?;
    let checked = summary(&CHECKS)?.context("cargo deny gave no summary")?;
    let advisories = summary(&["advisories"])?;
    let found: Vec<String> = CHECKS.iter().map(|check| counted(check, &checked)).collect();
    let known = advisories.as_ref().map_or_else(
        || "advisories: not checked, because their database cannot be fetched from here".to_owned(),
        |summary| counted("advisories", summary),
    );
    println!("{version}\n{}\n{known}", found.join("\n"));
    let errors = |summary: &Value, check: &str| summary[check]["errors"].as_u64().unwrap_or(1);
    let wrong = CHECKS.iter().any(|check| errors(&checked, check) > 0)
        || advisories.as_ref().is_some_and(|summary| errors(summary, "advisories") > 0);
    if wrong {
        bail!("cargo deny check says what is wrong");
    }
    if args.record {
        let packages = packages()?;
        let mut result = json!({ "version": version, "packages": packages, "advisories": known });
        result["checks"] = checked;
        verify::record("deny", result)?;
    }
    Ok(())
}

fn version() -> Result<String> {
    let output = cargo("deny --version").stderr(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("there is no cargo deny: cargo install --locked cargo-deny");
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// What the checks came to; nothing if they could not be made.
fn summary(checks: &[&str]) -> Result<Option<Value>> {
    let mut command: Command = cargo("deny --format json --all-features check");
    let output = command.args(checks).stdin(Stdio::null()).output().context("cannot start cargo deny")?;
    // It writes one document for each finding, and a summary at the end.
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut documents = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(documents.rfind(|document| document["type"] == "summary").map(|document| document["fields"].clone()))
}

fn counted(check: &str, summary: &Value) -> String {
    let number = |name: &str| summary[check][name].as_u64().unwrap_or_default();
    format!("{check}: {} errors, {} warnings", number("errors"), number("warnings"))
}

/// How many packages of others the lock names.
fn packages() -> Result<usize> {
    let lock: toml::Table = std::fs::read_to_string("Cargo.lock")?.parse().context("cannot parse Cargo.lock")?;
    let all = lock.get("package").and_then(toml::Value::as_array).context("Cargo.lock has no packages")?;
    Ok(all.iter().filter(|package| package.get("source").is_some()).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_shown_with_its_errors_and_warnings() {
        let summary = json!({ "bans": { "errors": 0, "warnings": 31, "notes": 0, "helps": 0 } });
        assert_eq!(counted("bans", &summary), "bans: 0 errors, 31 warnings");
    }
}
