//! What a change must pass. `.ci/run` calls this and nothing else.

use std::fs;

use anyhow::Result;

use crate::step::{Steps, cargo, execute};
use crate::{root, sim, test, tidy};

/// Enough schedules to meet every planted bug many times over.
const SCHEDULES: u64 = 200_000;

pub fn run() -> Result<()> {
    let mut steps = Steps::default();
    steps.step("format", || execute(&mut cargo("fmt --all --check")))?;
    steps.step("tidy", tidy::run)?;
    steps.step("lints", || execute(&mut cargo("clippy --workspace --all-targets --all-features -- -D warnings")))?;
    steps.step("features", each_feature_alone)?;
    steps.step("tests", || test::run(&test::Args::default()))?;
    steps.step("simulator", || sim::run(&sim::Args::schedules(SCHEDULES)))?;
    steps.step("examples", examples)?;
    steps.step("demo", || execute(&mut cargo("run --release --quiet -- demo --json")))?;
    steps.step("documentation", documentation)?;
    steps.summary();
    Ok(())
}

/// The library compiles with its default features, with none, and with each one alone.
fn each_feature_alone() -> Result<()> {
    execute(&mut cargo("check --package posthaste"))?;
    execute(&mut cargo("check --package posthaste --no-default-features"))?;
    for feature in root::features()? {
        execute(cargo("check --package posthaste --no-default-features --features").arg(feature))?;
    }
    Ok(())
}

/// Runs until it is told to stop, and needs a server: the tests run it.
const SERVICE: &str = "shop";

/// Every example runs to a good end. The simulator has its own step.
fn examples() -> Result<()> {
    for entry in fs::read_dir("crates/posthaste/examples")? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default();
        if name != sim::EXAMPLE && name != SERVICE {
            execute(cargo("run --quiet --package posthaste --all-features --example").arg(name))?;
        }
    }
    Ok(())
}

fn documentation() -> Result<()> {
    execute(cargo("doc --package posthaste --all-features --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}
