//! The chores of this repository, in Rust so that they need nothing but a toolchain: `cargo xtask --help`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is how a command-line program speaks")]
#![expect(unreachable_pub, reason = "in a program, `pub` says that a module is meant to be used by the others")]

use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};

mod bench;
mod browser;
mod chaos;
mod ci;
mod clients;
mod deny;
mod hostile;
mod mutants;
mod root;
mod sbom;
mod services;
mod sim;
mod step;
mod test;
mod tidy;
mod tools;
mod verify;

/// The chores of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Everything a change must pass: format, lints, features, tidy, tests, simulator, examples, documentation
    Ci,
    /// Set up what the tests need, then run them all
    Test(test::Args),
    /// Start, stop or show the servers that tests need
    Services(services::Args),
    /// Install what the programs of other languages in `clients` need
    Clients,
    /// Install the browser that tests of the dashboard need, and check the types of its scripts
    Dashboard,
    /// Run the protocol through seeded fault schedules
    Sim(sim::Args),
    /// Real programs, stores and brokers under real faults; the consumers' records say whether every promise was kept
    Chaos(chaos::Args),
    /// Change the engine, the rules and messages in every small way, and see whether a test or the simulator notices
    Mutants(mutants::Args),
    /// Hostile input by the million, for everything that reads bytes from outside
    Hostile(hostile::Args),
    /// Measure; the last line is one JSON object of ratios
    Bench(bench::Args),
    /// Write the software bill of materials of the program, in CycloneDX
    Sbom(sbom::Args),
    /// Check what the repository depends on: licences, sources, crates that are not taken, known weaknesses
    Deny(deny::Args),
    /// Check what compilers do not: lengths, leftovers, links, that every adapter is complete
    Tidy,
    /// Check VERIFICATION.md, or write it anew: promises, what tries to break them, and the figures on record
    Verify(verify::Args),
}

fn main() -> ExitCode {
    match run(Cli::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nfailed: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<()> {
    root::enter()?;
    match chore {
        Chore::Ci => ci::run(),
        Chore::Test(args) => test::run(&args).map(drop),
        Chore::Services(args) => services::run(args),
        Chore::Clients => clients::install(),
        Chore::Dashboard => browser::check_types(),
        Chore::Sim(args) => sim::run(&args),
        Chore::Chaos(args) => chaos::run(&args),
        Chore::Mutants(args) => mutants::run(&args),
        Chore::Hostile(args) => hostile::run(&args),
        Chore::Bench(args) => bench::run(&args),
        Chore::Sbom(args) => sbom::run(&args),
        Chore::Deny(args) => deny::run(&args),
        Chore::Tidy => tidy::run(),
        Chore::Verify(args) => verify::run(&args),
    }
}

/// The names of all chores, for the check that the documents name no other.
fn chores() -> Vec<String> {
    Cli::command().get_subcommands().map(|chore| chore.get_name().to_owned()).collect()
}
