//! Runs simulated schedules: `sim --schedules N [--seed S] [--json] [--trace] [--planted]`. See `cargo xtask sim`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use posthaste::simulator::{self, Planted, Violation};

/// Schedules after which a planted mistake counts as missed.
const HUNT: u64 = 20_000;

struct Options {
    schedules: u64,
    seed: u64,
    json: bool,
    trace: bool,
    planted: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options { schedules: 10_000, seed: 1, json: false, trace: false, planted: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse().ok()).ok_or(format!("{word} needs a number"));
        match word.as_str() {
            "--schedules" => options.schedules = number()?,
            "--seed" => options.seed = number()?,
            "--json" => options.json = true,
            "--trace" => options.trace = true,
            "--planted" => options.planted = true,
            _ => return Err(format!("unknown option {word}")),
        }
    }
    Ok(options)
}

#[derive(Default)]
struct Tally {
    committed: u64,
    arrivals: u64,
    duplicates: BTreeMap<&'static str, u64>,
    violations: BTreeMap<Violation, (u64, u64)>,
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]
fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    if options.trace {
        let outcome = simulator::trace(options.seed, None, Box::new(|line| println!("{line}")));
        println!("{outcome:?}");
        return ExitCode::from(u8::from(!outcome.violations.is_empty()));
    }
    let started = Instant::now();
    let tally = run_all(&options);
    let seconds = started.elapsed().as_secs_f64();
    let (caught, missed) = if options.planted { hunt_all(options.seed) } else { (Vec::new(), Vec::new()) };
    for (violation, (count, seed)) in &tally.violations {
        println!("{violation}: {count} schedules; replay the first with: cargo xtask sim --seed {seed} --trace");
    }
    println!(
        "{} schedules, {} committed, {} arrivals, duplicates {:?}, {:.0} schedules/s",
        options.schedules,
        tally.committed,
        tally.arrivals,
        tally.duplicates,
        options.schedules as f64 / seconds
    );
    if options.planted {
        println!("planted mistakes: {} caught, missed: {missed:?}", caught.len());
    }
    if options.json {
        let violations: BTreeMap<String, u64> =
            tally.violations.iter().map(|(violation, (count, _))| (violation.to_string(), *count)).collect();
        println!(
            "{}",
            serde_json::json!({
                "schedules": options.schedules,
                "violations": violations,
                "planted_caught": caught,
                "planted_missed": missed,
                "schedules_per_second": (options.schedules as f64 / seconds).round(),
            })
        );
    }
    ExitCode::from(u8::from(!tally.violations.is_empty() || !missed.is_empty()))
}

/// Spreads the schedules over all cores.
fn run_all(options: &Options) -> Tally {
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= options.schedules {
                        break;
                    }
                    let seed = options.seed.wrapping_add(n);
                    let outcome = simulator::run(seed, None);
                    let mut tally = tally.lock().expect("no thread panics while it counts");
                    tally.committed += outcome.committed;
                    tally.arrivals += outcome.arrivals;
                    for (cause, count) in outcome.duplicates {
                        *tally.duplicates.entry(cause).or_default() += count;
                    }
                    for violation in outcome.violations {
                        tally.violations.entry(violation).or_insert((0, seed)).0 += 1;
                    }
                }
            });
        }
    });
    tally.into_inner().expect("all threads have ended")
}

/// Plants every mistake in turn and looks whether it is noticed.
fn hunt_all(seed: u64) -> (Vec<String>, Vec<String>) {
    let (mut caught, mut missed) = (Vec::new(), Vec::new());
    for planted in Planted::all() {
        let name = match planted {
            Planted::Engine(mistake) => format!("{mistake:?}"),
            other => format!("{other:?}"),
        };
        match simulator::hunt(planted, seed, HUNT) {
            Some(_) => caught.push(name),
            None => missed.push(name),
        }
    }
    (caught, missed)
}
