//! Hostile input by the million. The targets are tests of the crates whose readers they try; this only asks for more cases.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::step::{cargo, execute};
use crate::verify;

/// Where each target leaves its result.
const RESULTS: &str = "target/hostile-results";
/// What is optimised beyond the profile of tests. Their dependencies are so already, and those of the whole workspace are not built
/// twice. Checks of overflows and assertions stay, as in all tests.
const OPTIMISED: [&str; 3] = ["posthaste", "posthaste-cli", "posthaste-hostile"];

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many cases each target gets
    #[arg(long, default_value_t = 1_000_000)]
    cases: u64,
    /// Only this target, such as `addresses`: the name of its folder in the corpus
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Cases are drawn from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The first case; a failure prints its number
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Put the result on record in `verification`
    #[arg(long, conflicts_with = "only")]
    record: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let folder = std::env::current_dir()?.join(RESULTS);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    execute(&mut command(args, &folder))?;
    let results = results(&folder)?;
    if results.is_empty() {
        bail!("no target has run: is `--only` right?");
    }
    print!("{}", table(&results));
    if args.record {
        let seconds: f64 = results.iter().filter_map(|result| result["seconds"].as_f64()).sum();
        verify::record(
            "hostile",
            json!({ "seed": args.seed, "seconds": seconds.round(), "targets": results, "found": 0 }),
        )?;
    }
    Ok(())
}

fn command(args: &Args, results: &Path) -> std::process::Command {
    let mut command = cargo("test --workspace --all-features --lib --bins");
    for package in OPTIMISED {
        command.arg("--config").arg(format!("profile.dev.package.{package}.opt-level=3"));
    }
    command.args(["--", "hostile::"]);
    command.env("POSTHASTE_HOSTILE_CASES", args.cases.to_string());
    command.env("POSTHASTE_HOSTILE_SEED", args.seed.to_string());
    command.env("POSTHASTE_HOSTILE_FROM", args.from.to_string());
    command.env("POSTHASTE_HOSTILE_RESULTS", results);
    command.envs(args.only.iter().map(|only| ("POSTHASTE_HOSTILE_ONLY", only)));
    command
}

fn results(folder: &Path) -> Result<Vec<Value>> {
    let mut results = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        results.push(serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?);
    }
    results.sort_by_key(|result: &Value| result["target"].to_string());
    Ok(results)
}

fn table(results: &[Value]) -> String {
    let mut table = format!("{:<22} {:>9} {:>7} {:>8} {:>9}\n", "target", "cases", "taken", "seconds", "slowest");
    for result in results {
        let number = |name: &str| result[name].as_f64().unwrap_or_default();
        let taken = 100.0 * number("taken") / number("cases").max(1.0);
        table.push_str(&format!(
            "{:<22} {:>9} {taken:>6.1}% {:>8.1} {:>6.1} ms\n",
            result["target"].as_str().unwrap_or_default(),
            number("cases"),
            number("seconds"),
            number("slowest_us") / 1_000.0
        ));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_shown_with_its_cases_and_how_many_of_them_were_taken() {
        let result = json!({ "target": "names", "cases": 1_000, "taken": 125, "seconds": 2.5, "slowest_us": 1_500 });
        assert!(table(&[result]).ends_with("names                       1000   12.5%      2.5    1.5 ms\n"));
    }
}
