//! The simulator: it lives in the library, and has a program of its own; this only starts it.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::step::{cargo, execute};
use crate::verify;

pub use self::beside::Beside;

mod beside;

/// The program that runs the simulator.
const PROGRAM: &str = "posthaste-sim";

#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// How many schedules to draw
    #[arg(long, default_value_t = 20_000)]
    schedules: u64,
    /// Draw schedules for so long instead, however many that is
    #[arg(long, conflicts_with = "schedules")]
    hours: Option<f64>,
    /// The first seed; a failure prints the one to give here
    #[arg(long)]
    seed: Option<u64>,
    /// Run every schedule of small worlds instead, up to a depth
    #[arg(long, conflicts_with_all = ["schedules", "hours", "seed"])]
    exhaustive: bool,
    /// At most so many faults and interventions in a schedule; each world has its own depth unless given
    #[arg(long, requires = "exhaustive")]
    depth: Option<usize>,
    /// Only this small world
    #[arg(long, requires = "exhaustive")]
    world: Option<String>,
    /// Of that world, only this schedule; a failure prints what to give here
    #[arg(long, requires = "world")]
    choices: Option<String>,
    /// End with one JSON object: schedules, violations, planted mistakes caught and missed, schedules per second
    #[arg(long)]
    json: bool,
    /// Put the result on record in `verification`
    #[arg(long, conflicts_with = "trace")]
    record: bool,
    /// Run one schedule, that of the seed or of the choices, and tell every step
    #[arg(long)]
    trace: bool,
}

impl Args {
    pub fn schedules(schedules: u64) -> Self {
        Self { schedules, ..Self::default() }
    }

    pub fn exhaustive() -> Self {
        Self { exhaustive: true, ..Self::default() }
    }

    fn options(&self) -> Vec<String> {
        let valued = [
            ("--schedules", (!self.exhaustive).then(|| self.schedules.to_string())),
            ("--hours", self.hours.map(|hours| hours.to_string())),
            ("--seed", self.seed.map(|seed| seed.to_string())),
            ("--depth", self.depth.map(|depth| depth.to_string())),
            ("--world", self.world.clone()),
            ("--choices", self.choices.clone()),
        ];
        let flags = [("--exhaustive", self.exhaustive), ("--json", self.json || self.record)];
        let mut options: Vec<String> =
            valued.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?])).flatten().collect();
        options.extend(flags.into_iter().filter(|(_, given)| *given).map(|(name, _)| name.to_owned()));
        let traced = self.trace || self.choices.is_some();
        options.push(if traced { "--trace" } else { "--planted" }.into());
        options
    }
}

fn build() -> Result<()> {
    execute(&mut of_program("build"))
}

fn of_program(what: &str) -> Command {
    cargo(&format!("{what} --profile sim --quiet --package {PROGRAM}"))
}

/// With all optimisations, because a schedule there takes less than a millisecond. The mistakes that are planted in the engine have to be found, too:
/// a simulator that finds nothing might be one that cannot.
pub fn run(args: &Args) -> Result<()> {
    let mut command = of_program("run");
    command.arg("--").args(args.options());
    if !args.record {
        return execute(&mut command);
    }
    let output = command.stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8(output.stdout)?;
    print!("{said}");
    if !output.status.success() {
        bail!("{}: not recorded", output.status);
    }
    let result = serde_json::from_str(said.lines().last().unwrap_or_default())?;
    verify::record(if args.exhaustive { "exhaustive" } else { "simulator" }, result)
}
