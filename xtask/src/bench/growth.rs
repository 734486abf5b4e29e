//! How the shipped program grows: one thing is changed at a time, and drain, waits and memory are measured at each step.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use self::axis::{AXES, Axis};
use self::bed::Bed;
use super::peers::Programs;
use super::{charts, database, record};

mod axis;
mod bed;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this of: backlog, bytes, keys, destinations, workers, parked
    #[arg(long, conflicts_with = "record")]
    only: Option<String>,
    /// The largest backlog, and the most keys and parked messages
    #[arg(long, default_value_t = 1_000_000)]
    up_to: usize,
    /// Measure this program in place of a release that is built now
    #[arg(long)]
    program: Option<PathBuf>,
    /// Put the result on record in `benches/results`, and draw its charts anew
    #[arg(long)]
    record: bool,
}

/// What was measured in one cell.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    drain_per_s: f64,
    p50_ms: f64,
    p99_ms: f64,
    memory_mb: f64,
}

pub fn run(args: &Args) -> Result<()> {
    let axes: Vec<&Axis> = AXES.iter().filter(|axis| args.only.as_ref().is_none_or(|only| only == axis.name)).collect();
    if axes.is_empty() {
        bail!("`--only` is one of {}", AXES.map(|axis| axis.name).join(", "));
    }
    let machine = record::machine();
    let bed = Bed::make(Programs::get(args.program.as_deref())?)?;
    println!("{:<14} {:>10} {:>11} {:>9} {:>9} {:>9}", "", "", "drained/s", "p50 ms", "p99 ms", "MB");
    let curves = axes.iter().map(|axis| curve(&bed, axis, args.up_to)).collect::<Result<Vec<Value>>>()?;
    if args.record {
        let settings = json!({ "postgres": bed.version()?, "server": database::SETTINGS });
        let result = json!({ "machine": machine, "settings": settings, "curves": curves });
        charts::of_growth(&result)?;
        record::put("growth", result)?;
    }
    Ok(())
}

/// All steps of one axis.
fn curve(bed: &Bed, axis: &Axis, up_to: usize) -> Result<Value> {
    let mut points = Vec::new();
    for value in axis.steps(up_to) {
        let begun = Instant::now();
        let figures = bed.measure(&axis.cell(value))?;
        print(axis, value, &figures, begun);
        points.push(point(value, &figures));
    }
    Ok(json!({ "name": axis.name, "title": axis.title, "points": points }))
}

fn print(axis: &Axis, value: usize, figures: &Figures, begun: Instant) {
    let Figures { drain_per_s, p50_ms, p99_ms, memory_mb } = figures;
    let took = begun.elapsed().as_secs_f64();
    println!(
        "{:<14} {value:>10} {drain_per_s:>11.0} {p50_ms:>9.1} {p99_ms:>9.1} {memory_mb:>9.1}   ({took:.0} s)",
        axis.name
    );
}

fn point(value: usize, figures: &Figures) -> Value {
    let rounded = |figure: f64| (figure * 10.0).round() / 10.0;
    json!({
        "at": value,
        "drain_per_s": figures.drain_per_s.round(),
        "p50_ms": rounded(figures.p50_ms),
        "p99_ms": rounded(figures.p99_ms),
        "memory_mb": figures.memory_mb,
    })
}
