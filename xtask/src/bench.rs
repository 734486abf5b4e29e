//! Benchmarks: Posthaste against the same work done by hand, on the same machine, in the same minutes.
//!
//! A benchmark is a program in `crates/posthaste/benches` of the same name. Called with the name of a case it does that work once
//! and prints, as its last line, how much it did per second. This frame calls the cases in turn, round after round, so that a
//! machine that gets slower meanwhile slows all of them, and compares within each round.
//!
//! `peers` and `growth` measure the program as it is shipped, from outside; `charts` draws what they have put on record.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::{Map, Value};

use self::catalog::Benchmark;
use crate::services::{self, InUse, Server};
use crate::step::{cargo, execute, shown};

mod catalog;
pub mod charts;
mod database;
mod growth;
mod peers;
mod record;
mod shipped;
mod waits;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Name {
    /// SQLite: enqueue and drain, each against bare SQL that does the same
    Sqlite,
    /// PostgreSQL: enqueue, drain and latency, against bare SQL and against the outbox that most projects write
    Postgres,
    /// MySQL: enqueue, drain and latency, against bare SQL and against the outbox that most projects write
    Mysql,
    /// The same on MariaDB
    Mariadb,
    /// MongoDB: enqueue, drain and latency, against the outbox that claims a batch and marks each event
    Mongodb,
    /// Brokers: confirmed messages through a relay, each against a loop with the broker's client alone
    Brokers,
    /// BullMQ: jobs that workers have completed, against a producer in Node with the same workers
    Bullmq,
    /// Expressions: what a filter and a small transformation cost for each message, in microseconds
    Expressions,
    /// Sources: events of KurrentDB taken into PostgreSQL, beside the same messages written without a source
    Sources,
    /// Webhooks: how much of a slow endpoint is used, and what a dead one costs the others
    Webhook,
}

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    from_outside: Option<FromOutside>,
    #[arg(required = true)]
    name: Option<Name>,
    /// How often each case is measured; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Print the ratios only
    #[arg(long)]
    json: bool,
    /// Leave the servers running that this starts; otherwise they stop at its end
    #[arg(long)]
    keep_services: bool,
}

#[derive(Debug, clap::Subcommand)]
enum FromOutside {
    /// The shipped program beside graphile-worker, pg-boss, River, Debezium and a claim loop, on one PostgreSQL
    Peers(peers::Args),
    /// The shipped program over growing backlogs, messages, keys, destinations, workers and parked messages
    Growth(growth::Args),
    /// Draw the pictures in `docs/pictures` from what is on record
    Charts,
}

/// Per case, what each round measured.
type Measured = BTreeMap<&'static str, Vec<f64>>;

pub fn run(args: &Args) -> Result<()> {
    match (&args.from_outside, args.name) {
        (Some(FromOutside::Peers(args)), _) => peers::run(args),
        (Some(FromOutside::Growth(args)), _) => growth::run(args),
        (Some(FromOutside::Charts), _) => charts::draw(),
        (None, Some(name)) => in_turn(&name.benchmark(), args),
        (None, None) => bail!("name a benchmark"),
    }
}

/// Measures the cases of a benchmark in turn.
fn in_turn(benchmark: &Benchmark, args: &Args) -> Result<()> {
    if args.rounds == 0 {
        bail!("`--rounds` must be at least 1");
    }
    let servers = match benchmark.services {
        [] => None,
        names => Some(InUse::start(&services::named(names)?, args.keep_services)?),
    };
    execute(cargo_bench(benchmark).arg("--no-run"))?;
    let server = benchmark.server.map(|(name, options)| Server::start(name, options)).transpose()?;
    let program = Program { benchmark, server };
    let mut measured = Measured::new();
    for _ in 0..args.rounds {
        for case in benchmark.cases {
            measured.entry(case).or_default().push(program.measure(case)?);
        }
    }
    if !args.json {
        print_table(benchmark, &measured);
    }
    let mut results = Map::new();
    for (name, of, to) in benchmark.ratios {
        insert(&mut results, name, ratio(&measured[of], &measured[to]).into());
    }
    for case in benchmark.figures {
        let figure = program.figure(case)?;
        if !args.json {
            println!("{case:<28} {figure:>18}");
        }
        insert(&mut results, &case.replace('-', "_"), figure);
    }
    drop((program, servers));
    println!("{}", serde_json::to_string(&results)?);
    Ok(())
}

fn insert(results: &mut Map<String, Value>, name: &str, figure: Value) {
    match name.split_once('.') {
        Some((table, name)) => {
            let table = results.entry(table).or_insert_with(|| Value::Object(Map::new()));
            if let Some(table) = table.as_object_mut() {
                insert(table, name, figure);
            }
        }
        None => drop(results.insert(name.to_owned(), figure)),
    }
}

/// Built with the features it needs and no others: a release of everything takes many minutes.
fn cargo_bench(benchmark: &Benchmark) -> Command {
    let mut command = cargo("bench --package posthaste --quiet --features");
    command.args([benchmark.features, "--bench", benchmark.program]);
    command
}

/// The program that measures, and the server that it measures.
struct Program<'a> {
    benchmark: &'a Benchmark,
    server: Option<Server>,
}

impl Program<'_> {
    /// One case, once.
    fn measure(&self, case: &str) -> Result<f64> {
        self.figure(case)?.as_f64().with_context(|| format!("{case} must be a number"))
    }

    /// What the last line of a case says.
    fn figure(&self, case: &str) -> Result<Value> {
        let mut command = cargo_bench(self.benchmark);
        command.args(["--", case]).stderr(std::process::Stdio::inherit());
        if let Some(server) = &self.server {
            command.env("POSTHASTE_BENCH_SERVER", server.address());
        }
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            bail!("{}: {}\n{text}", shown(&command), output.status);
        }
        let last = text.trim_end().lines().last().unwrap_or_default();
        serde_json::from_str(last).with_context(|| format!("{} must end with a figure, not {last:?}", shown(&command)))
    }
}

fn print_table(benchmark: &Benchmark, measured: &Measured) {
    println!("{:<28} {:>18} {:>12} {:>12}", "case", "median per second", "least", "most");
    for case in benchmark.cases {
        let rates = sorted(&measured[case]);
        println!("{case:<28} {:>18.0} {:>12.0} {:>12.0}", median(&rates), rates[0], rates[rates.len() - 1]);
    }
}

/// The median over the rounds of how the two compare within a round, to three digits.
fn ratio(of: &[f64], to: &[f64]) -> f64 {
    let ratios: Vec<f64> = of.iter().zip(to).map(|(of, to)| of / to).collect();
    (median(&sorted(&ratios)) * 1_000.0).round() / 1_000.0
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), 3.0);
    }

    #[test]
    fn a_dot_makes_a_table() {
        let mut results = Map::new();
        for (name, figure) in [("redis.vs_bare", 0.9), ("redis.hot_key_vs_bare", 0.5), ("rss", 80.0)] {
            insert(&mut results, name, figure.into());
        }
        let expected = r#"{"redis":{"hot_key_vs_bare":0.5,"vs_bare":0.9},"rss":80.0}"#;
        assert_eq!(serde_json::to_string(&results).unwrap(), expected);
    }

    #[test]
    fn cases_are_compared_within_their_round() {
        // The machine got ten times slower in the second round; the ratio did not change.
        assert_eq!(ratio(&[80.0, 8.0, 80.0], &[100.0, 10.0, 100.0]), 0.8);
    }
}
