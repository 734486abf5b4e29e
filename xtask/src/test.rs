//! All set-up and all tests, in one command.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use self::report::Report;
use crate::services::InUse;
use crate::step::{cargo, shown};
use crate::{browser, clients, services, tools};

mod report;
mod slowest;
mod stress;

/// More than there may be cores, because most tests wait for a server most of the time.
const THREADS: usize = 4;

#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// Only tests whose path contains this, such as `sinks::stdout`
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Run them this many times beside busy loops on all cores, up to the first failure
    #[arg(long, value_name = "ROUNDS")]
    stress: Option<u32>,
    /// Also the tests that need this server, which others leave out: tidb
    #[arg(long, value_name = "SERVER", conflicts_with = "stress")]
    with: Vec<String>,
    /// Leave the servers running that this starts; otherwise they stop at its end
    #[arg(long)]
    keep_services: bool,
}

/// How many tests passed and failed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Runs the tests. What they print ends with what was slowest and the tally.
pub fn run(args: &Args) -> Result<Tally> {
    let mut needed = services::for_tests();
    needed.extend(services::on_request(&args.with)?);
    let servers = InUse::start(&needed, args.keep_services)?;
    clients::install()?;
    browser::install()?;
    tools::install()?;
    let report = match args.stress {
        Some(rounds) => stress::run(&Tests::new(args), rounds),
        None => Tests::new(args).run_with(&args.with),
    };
    drop(servers);
    let report = report?;
    print!("{}", report.slowest());
    println!("\n{}", report.tally());
    if !report.success {
        bail!("not all is well: {}", report.failures().join(", "));
    }
    if report.tally().passed == 0 {
        bail!("no test has run: is `--only` right?");
    }
    Ok(report.tally())
}

/// What to run.
struct Tests {
    only: Option<String>,
    threads: usize,
}

impl Tests {
    fn new(args: &Args) -> Self {
        let threads = std::env::var("RUST_TEST_THREADS").ok().and_then(|threads| threads.parse().ok());
        Self { only: args.only.clone(), threads: threads.unwrap_or(THREADS) }
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = cargo("test --workspace --all-features");
        command.args(options).env("RUST_TEST_THREADS", self.threads.to_string());
        command.args(self.only.iter().flat_map(|only| ["--", only]));
        command
    }

    /// Those that need a server which tests do without otherwise. Documentation has examples that are never run.
    fn command_on(&self, server: &str) -> Command {
        let mut command = cargo("test --workspace --all-features --lib --bins --tests --no-fail-fast");
        command.env("RUST_TEST_THREADS", self.threads.to_string());
        command.args(["--", "--ignored", self.only.as_deref().unwrap_or(&format!("on_{server}"))]);
        command
    }

    /// Runs them once, then those that need these servers, and shows what they print. All run, also after one that failed.
    fn run_with(&self, servers: &[String]) -> Result<Report> {
        let mut report = self.show(&mut self.command(&["--no-fail-fast"]))?;
        for server in servers {
            let (before, on_server) = (report.success, self.show(&mut self.command_on(server))?);
            report.merge(on_server);
            report.success &= before;
        }
        Ok(report)
    }

    fn show(&self, command: &mut Command) -> Result<Report> {
        self.watch(command, |line| {
            println!("{line}");
            Ok(())
        })
    }

    /// Runs a command and takes note of each line that it prints.
    fn watch(&self, command: &mut Command, mut line: impl FnMut(&str) -> Result<()>) -> Result<Report> {
        let shown = shown(command);
        let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start: {shown}"))?;
        let output = child.stdout.take().context("the output of cargo is a pipe")?;
        let mut report = Report::new(self.threads);
        report.read(output, &mut line)?;
        report.success = child.wait()?.success();
        Ok(report)
    }
}
