//! Benchmarks: Posthaste against the same work done by hand, on the same machine, in the same minutes.
//!
//! A benchmark is a program in `crates/posthaste/benches` of the same name. Called with the name of a case it does that work once
//! and prints, as its last line, how much it did per second. This frame calls the cases in turn, round after round, so that a
//! machine that gets slower meanwhile slows all of them, and compares within each round.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::services;
use crate::step::{cargo, execute, shown};

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Name {
    /// SQLite: enqueue and drain, each against bare SQL that does the same
    Sqlite,
    /// Brokers: confirmed messages through a relay, each against a loop with the broker's client alone
    Brokers,
    /// Webhooks: how much of a slow endpoint is used, and what a dead one costs the others
    Webhook,
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
    cases: &'static [&'static str],
    /// Name, numerator, denominator. A dot in a name makes a table of what stands before it.
    ratios: &'static [(&'static str, &'static str, &'static str)],
    /// Figures that stand for themselves, each a case that is measured once.
    figures: &'static [&'static str],
    /// Servers of the tests that it uses.
    services: &'static [&'static str],
}

impl Name {
    fn benchmark(self) -> Benchmark {
        match self {
            Self::Sqlite => Benchmark {
                program: "sqlite",
                cases: &["enqueue", "enqueue-bare", "drain", "drain-bare", "others-free", "others-stuck"],
                ratios: &[
                    ("enqueue_of_bare", "enqueue", "enqueue-bare"),
                    ("drain_of_bare", "drain", "drain-bare"),
                    ("others_with_a_stuck_key", "others-stuck", "others-free"),
                ],
                figures: &["backlog-rss-mb"],
                services: &[],
            },
            Self::Brokers => Benchmark {
                program: "brokers",
                cases: &[
                    "redis",
                    "redis-hot",
                    "redis-bare",
                    "rabbitmq",
                    "rabbitmq-hot",
                    "rabbitmq-bare",
                    "kafka",
                    "kafka-hot",
                    "kafka-bare",
                    "nats",
                    "nats-hot",
                    "nats-bare",
                ],
                ratios: &[
                    ("redis.vs_bare", "redis", "redis-bare"),
                    ("redis.hot_key_vs_bare", "redis-hot", "redis-bare"),
                    ("rabbitmq.vs_bare", "rabbitmq", "rabbitmq-bare"),
                    ("rabbitmq.hot_key_vs_bare", "rabbitmq-hot", "rabbitmq-bare"),
                    ("kafka.vs_bare", "kafka", "kafka-bare"),
                    ("kafka.hot_key_vs_bare", "kafka-hot", "kafka-bare"),
                    ("nats.vs_bare", "nats", "nats-bare"),
                    ("nats.hot_key_vs_bare", "nats-hot", "nats-bare"),
                ],
                figures: &[],
                services: &["rabbitmq", "kafka"],
            },
            Self::Webhook => Benchmark {
                program: "webhook",
                services: &[],
                cases: &["slow", "slow-ideal", "slow-beside-a-dead-one"],
                ratios: &[
                    ("slow_of_ideal", "slow", "slow-ideal"),
                    ("beside_a_dead_one", "slow-beside-a-dead-one", "slow"),
                ],
                figures: &[],
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
    if !benchmark.services.is_empty() {
        services::up_named(benchmark.services)?;
    }
    execute(cargo("bench --package posthaste --all-features --no-run --quiet --bench").arg(benchmark.program))?;
    let mut measured = Measured::new();
    for _ in 0..args.rounds {
        for case in benchmark.cases {
            measured.entry(case).or_default().push(measure(benchmark.program, case)?);
        }
    }
    if !args.json {
        print_table(&benchmark, &measured);
    }
    let mut results = Map::new();
    for (name, of, to) in benchmark.ratios {
        insert(&mut results, name, ratio(&measured[of], &measured[to]));
    }
    for case in benchmark.figures {
        let figure = measure(benchmark.program, case)?.round();
        if !args.json {
            println!("{case:<20} {figure:>18.0}");
        }
        insert(&mut results, &case.replace('-', "_"), figure);
    }
    println!("{}", serde_json::to_string(&results)?);
    Ok(())
}

fn insert(results: &mut Map<String, Value>, name: &str, figure: f64) {
    match name.split_once('.') {
        Some((table, name)) => {
            let table = results.entry(table).or_insert_with(|| Value::Object(Map::new()));
            table.as_object_mut().into_iter().for_each(|table| insert(table, name, figure));
        }
        None => drop(results.insert(name.to_owned(), figure.into())),
    }
}

/// One case, once.
fn measure(program: &str, case: &str) -> Result<f64> {
    let mut command = cargo("bench --package posthaste --all-features --quiet --bench");
    let output = command.args([program, "--", case]).stderr(std::process::Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("{}: {}\n{text}", shown(&command), output.status);
    }
    let last = text.trim_end().lines().last().unwrap_or_default();
    last.trim().parse().with_context(|| format!("{} must end with a number, not {last:?}", shown(&command)))
}

fn print_table(benchmark: &Benchmark, measured: &Measured) {
    println!("{:<20} {:>18} {:>12} {:>12}", "case", "median per second", "least", "most");
    for case in benchmark.cases {
        let rates = sorted(&measured[case]);
        println!("{case:<20} {:>18.0} {:>12.0} {:>12.0}", median(&rates), rates[0], rates[rates.len() - 1]);
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
            insert(&mut results, name, figure);
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
