//! Real peers beside the shipped program: the same PostgreSQL, the same messages, the same minutes.
//!
//! Each subject gets a database of its own, does everything once, and the database goes: round after round, so that a machine that
//! gets slower meanwhile slows all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::json;

use self::stage::Stage;
use super::{charts, database, median, record, sorted};

mod programs;
mod stage;
mod subject;
mod table;

pub use self::programs::{Programs, answer};
pub use self::subject::{Peer, SUBJECTS};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How often everything is measured; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How many messages are written and drained each time
    #[arg(long, default_value_t = 100_000)]
    messages: usize,
    /// Only subjects whose name contains this
    #[arg(long, conflicts_with = "record")]
    only: Option<String>,
    /// Measure this program in place of a release that is built now
    #[arg(long)]
    program: Option<PathBuf>,
    /// Put the result on record in `benches/results`, and draw its charts anew
    #[arg(long)]
    record: bool,
}

/// What was measured, by the name of the figure.
pub type Figures = BTreeMap<&'static str, f64>;
/// By the name of the subject.
type Round = BTreeMap<&'static str, Figures>;

pub fn run(args: &Args) -> Result<()> {
    if args.rounds == 0 || args.messages == 0 {
        bail!("`--rounds` and `--messages` must be at least 1");
    }
    let begun = Instant::now();
    let machine = record::machine();
    let mut stage = Stage::set(Programs::get(args.program.as_deref())?)?;
    let mut rounds = Vec::new();
    for nth in 1..=args.rounds {
        rounds.push(round(&mut stage, args, nth)?);
    }
    let medians = medians(&rounds);
    print!("\n{}", table::render(&medians));
    println!("\n{} rounds of {} messages in {:.0} s", args.rounds, args.messages, begun.elapsed().as_secs_f64());
    if args.record {
        let settings =
            json!({ "messages": args.messages, "postgres": stage.postgres.version()?, "server": database::SETTINGS });
        let result = json!({ "machine": machine, "settings": settings, "medians": medians, "rounds": rounds });
        charts::of_peers(&result)?;
        record::put("peers", result)?;
    }
    Ok(())
}

/// Every subject once.
fn round(stage: &mut Stage, args: &Args, nth: usize) -> Result<Round> {
    let mut round = Round::new();
    let wanted = |name: &str| args.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    for subject in SUBJECTS.iter().filter(|subject| wanted(subject.name)) {
        let begun = Instant::now();
        round.insert(subject.name, stage.measure(subject, args.messages)?);
        println!("round {nth} of {}: {} in {:.0} s", args.rounds, subject.name, begun.elapsed().as_secs_f64());
    }
    if round.is_empty() {
        bail!("no subject has such a name: there are {}", SUBJECTS.map(|subject| subject.name).join(", "));
    }
    Ok(round)
}

fn medians(rounds: &[Round]) -> Round {
    let of_figure = |subject, figure| {
        let values: Vec<f64> = rounds.iter().map(|round| round[subject][figure]).collect();
        (median(&sorted(&values)) * 10.0).round() / 10.0
    };
    let of_subject = |(subject, figures): (&&'static str, &Figures)| {
        (*subject, figures.keys().map(|figure| (*figure, of_figure(*subject, *figure))).collect())
    };
    rounds.first().into_iter().flatten().map(of_subject).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_its_own_median() {
        let round = |drain, wal| Round::from([("claim", Figures::from([("drain_per_s", drain), ("drain_wal", wal)]))]);
        let medians = medians(&[round(10.0, 3.0), round(30.0, 1.0), round(20.04, 2.0)]);
        assert_eq!(medians, round(20.0, 2.0));
    }
}
