//! What a change must pass. `.ci/run` calls this and nothing else.
//!
//! The steps share what they build: one run of the lints, one build for tests and examples. The demo is built as README says. The simulator
//! runs beside the tests, which leave half of the processors idle.

use std::process::Command;

use anyhow::Result;

use crate::step::{Steps, cargo, execute};
use crate::{browser, chaos, root, sim, test, tidy};

/// Enough schedules to meet every planted bug many times over.
const SCHEDULES: u64 = 500_000;

pub fn run() -> Result<()> {
    let mut steps = Steps::default();
    steps.step("format", || execute(&mut cargo("fmt --all --check")))?;
    steps.step("tidy", tidy::run)?;
    steps.step("lints", || execute(&mut cargo("clippy --workspace --all-targets --all-features -- -D warnings")))?;
    steps.step("features", each_feature_alone)?;
    let drawn = sim::Args::schedules(SCHEDULES);
    let simulator = steps.step("simulator, beside the tests", || sim::Beside::start(&drawn))?;
    let tally = steps.step("tests", || test::run(&test::Args::default()))?;
    steps.step("simulator", || simulator.finish())?;
    steps.step("types of the dashboard", browser::check_types)?;
    steps.step("chaos", || chaos::run(&chaos::Args::short()))?;
    steps.step("small worlds", || sim::run(&sim::Args::exhaustive()))?;
    steps.step("examples", examples)?;
    steps.step("demo", || execute(&mut cargo("run --release --quiet -- demo --json")))?;
    steps.step("documentation", documentation)?;
    steps.summary();
    println!("\n{tally}");
    Ok(())
}

/// The library compiles with its default features, with none, and with each one alone; the program as people build it first.
/// Checked and not linted: the lints have seen all of it, with all features.
fn each_feature_alone() -> Result<()> {
    execute(&mut cargo("check --package posthaste-cli"))?;
    execute(&mut cargo("check --package posthaste"))?;
    execute(&mut cargo("check --package posthaste --no-default-features"))?;
    for feature in root::features()? {
        execute(cargo("check --package posthaste --no-default-features --features").arg(feature))?;
    }
    Ok(())
}

/// The first example runs to a good end; the tests run those that are services. Built as the tests are, so that nothing is built twice.
fn examples() -> Result<()> {
    execute(&mut cargo("build --quiet --workspace --all-features --examples"))?;
    execute(&mut Command::new("target/debug/examples/orders"))
}

fn documentation() -> Result<()> {
    execute(cargo("doc --workspace --lib --all-features --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}
