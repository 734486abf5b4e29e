//! All set-up and all tests, in one command.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::step::{cargo, shown};
use crate::{clients, services};

/// More than there may be cores, because most tests wait for a server most of the time.
const THREADS: &str = "4";

#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// Only tests whose path contains this, such as `sinks::stdout`
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    services::up_for_tests()?;
    clients::install()?;
    let mut command = cargo("test --workspace --all-features --no-fail-fast");
    if std::env::var_os("RUST_TEST_THREADS").is_none() {
        command.env("RUST_TEST_THREADS", THREADS);
    }
    if let Some(only) = &args.only {
        command.args(["--", only]);
    }
    let tally = tallied(&mut command)?;
    println!("\n{} passed, {} failed", tally.passed, tally.failed);
    if !tally.success {
        bail!("{} says that not all is well", shown(&command));
    }
    if tally.passed == 0 {
        bail!("no test has run: is `--only` right?");
    }
    Ok(())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
    success: bool,
}

impl Tally {
    /// Adds `test result: ok. 3 passed; 0 failed; …`, one such line per test program.
    fn add(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". ")) else {
            return;
        };
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse::<u64>().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse::<u64>().unwrap_or(0),
                _ => {}
            }
        }
    }
}

/// Runs the tests, shows what they print, and counts.
fn tallied(command: &mut Command) -> Result<Tally> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let mut tally = Tally::default();
    let output = child.stdout.take().context("the output of cargo is a pipe")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        tally.add(&line);
    }
    tally.success = child.wait()?.success();
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_programs_are_added_up() {
        let mut tally = Tally::default();
        for line in [
            "running 3 tests",
            "test result: ok. 42 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.58s",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ] {
            tally.add(line);
        }
        assert_eq!(tally, Tally { passed: 43, failed: 2, success: false });
    }
}
