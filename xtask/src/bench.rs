//! Benchmarks: Posthaste against the same work done by hand, on the same machine, in the same minutes.
//!
//! A benchmark is a program in `crates/posthaste/benches` of the same name. Called with the name of a case it does that work once
//! and prints, as its last line, how much it did per second. This frame calls the cases in turn, round after round, so that a
//! machine that gets slower meanwhile slows all of them, and compares within each round.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::services::Server;
use crate::step::{cargo, execute, shown};

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Name {
    /// SQLite: enqueue and drain, each against bare SQL that does the same
    Sqlite,
    /// PostgreSQL: enqueue, drain and latency, against bare SQL and against the outbox that most projects write
    Postgres,
    /// MongoDB: enqueue, drain and latency, against the outbox that claims a batch and marks each event
    Mongodb,
    /// Brokers: confirmed messages through a relay, each against a loop with the broker's client alone
    Brokers,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    name: Name,
    /// How often each case is measured; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Print the ratios only
    #[arg(long)]
    json: bool,
}

/// What a benchmark consists of.
struct Benchmark {
    /// The program in `crates/posthaste/benches`.
    program: &'static str,
    /// What it is built with.
    features: &'static str,
    /// A service that it needs, with options: it gets one of its own, as users run it.
    server: Option<(&'static str, &'static [&'static str])>,
    cases: &'static [&'static str],
    /// Name, numerator, denominator. A dot in a name makes a table of what stands before it.
    ratios: &'static [(&'static str, &'static str, &'static str)],
    /// Figures that stand for themselves, each a case that is measured once: a number, or an object of numbers.
    figures: &'static [&'static str],
}

impl Name {
    fn benchmark(self) -> Benchmark {
        match self {
            Self::Sqlite => Benchmark {
                program: "sqlite",
                features: "sqlite",
                server: None,
                cases: &["enqueue", "enqueue-bare", "drain", "drain-bare", "others-free", "others-stuck"],
                ratios: &[
                    ("enqueue_of_bare", "enqueue", "enqueue-bare"),
                    ("drain_of_bare", "drain", "drain-bare"),
                    ("others_with_a_stuck_key", "others-stuck", "others-free"),
                ],
                figures: &["backlog-rss-mb"],
            },
            Self::Brokers => Benchmark {
                program: "brokers",
                features: "sqlite,redis,nats",
                server: None,
                cases: &["redis", "redis-hot", "redis-bare", "nats", "nats-hot", "nats-bare"],
                ratios: &[
                    ("redis.vs_bare", "redis", "redis-bare"),
                    ("redis.hot_key_vs_bare", "redis-hot", "redis-bare"),
                    ("nats.vs_bare", "nats", "nats-bare"),
                    ("nats.hot_key_vs_bare", "nats-hot", "nats-bare"),
                ],
                figures: &[],
            },
            Self::Mongodb => Benchmark {
                program: "mongodb",
                features: "mongodb",
                server: Some(("mongodb", &[])),
                cases: &["enqueue-1", "enqueue-500", "drain", "drain-unstamped", "drain-claim"],
                ratios: &[("drain_vs_claim", "drain", "drain-claim")],
                figures: &["latency-ms"],
            },
            Self::Postgres => Benchmark {
                program: "postgres",
                features: "postgres",
                server: Some(("postgres", &["-c", "fsync=on", "-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB"])),
                cases: &[
                    "enqueue-1",
                    "enqueue-1-bare",
                    "enqueue-500",
                    "enqueue-500-bare",
                    "drain",
                    "drain-claim",
                    "drain-bare",
                    "drain-under-a-snapshot",
                ],
                ratios: &[
                    ("drain_vs_claim", "drain", "drain-claim"),
                    ("drain_vs_bare", "drain", "drain-bare"),
                    // Of the times, so the other way round.
                    ("enqueue_vs_insert", "enqueue-1-bare", "enqueue-1"),
                    ("enqueue_500_vs_insert", "enqueue-500-bare", "enqueue-500"),
                    ("drain_under_a_snapshot", "drain-under-a-snapshot", "drain"),
                ],
                figures: &[
                    "wal-bytes-per-message",
                    "wal-bytes-per-message-claim",
                    "latency-ms",
                    "latency-ms-claim",
                    "rss-mb-at-1m",
                ],
            },
        }
    }
}

/// Per case, what each round measured.
type Measured = BTreeMap<&'static str, Vec<f64>>;

pub fn run(args: &Args) -> Result<()> {
    let benchmark = args.name.benchmark();
    if args.rounds == 0 {
        bail!("`--rounds` must be at least 1");
    }
    execute(cargo("bench --package posthaste --no-run --quiet --features").args([
        benchmark.features,
        "--bench",
        benchmark.program,
    ]))?;
    let server = benchmark.server.map(|(name, options)| Server::start(name, options)).transpose()?;
    let program = Program { name: benchmark.program, features: benchmark.features, server };
    let mut measured = Measured::new();
    for _ in 0..args.rounds {
        for case in benchmark.cases {
            measured.entry(case).or_default().push(program.measure(case)?);
        }
    }
    if !args.json {
        print_table(&benchmark, &measured);
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

/// The program that measures, and the server that it measures.
struct Program {
    name: &'static str,
    features: &'static str,
    server: Option<Server>,
}

impl Program {
    /// One case, once.
    fn measure(&self, case: &str) -> Result<f64> {
        self.figure(case)?.as_f64().with_context(|| format!("{case} must be a number"))
    }

    /// What the last line of a case says.
    fn figure(&self, case: &str) -> Result<Value> {
        let mut command = cargo("bench --package posthaste --quiet --features");
        command.args([self.features, "--bench", self.name, "--", case]).stderr(std::process::Stdio::inherit());
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
