//! The simulator: it lives in the library; this only starts it.

use anyhow::Result;

use crate::step::{cargo, execute};

/// The example of the library that runs the simulator.
pub const EXAMPLE: &str = "sim";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many schedules to run
    #[arg(long, default_value_t = 20_000)]
    schedules: u64,
    /// The first seed; a failure prints the one to give here
    #[arg(long)]
    seed: Option<u64>,
    /// End with one JSON object: schedules, violations by kind, planted bugs caught and missed, schedules per second
    #[arg(long)]
    json: bool,
    /// Run one schedule, that of the seed, and tell every step
    #[arg(long)]
    trace: bool,
}

impl Args {
    pub fn schedules(schedules: u64) -> Self {
        Self { schedules, seed: None, json: false, trace: false }
    }
}

/// In release, because a schedule there takes microseconds. The mistakes that are planted in the engine have to be found, too:
/// a simulator that finds nothing might be one that cannot.
pub fn run(args: &Args) -> Result<()> {
    let mut command = cargo("run --release --quiet --package posthaste --features simulator --example");
    command.arg(EXAMPLE).arg("--").args(["--schedules", &args.schedules.to_string()]);
    if let Some(seed) = args.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    if args.json {
        command.arg("--json");
    }
    command.arg(if args.trace { "--trace" } else { "--planted" });
    execute(&mut command)
}
