//! Runs simulated schedules, drawn from seeds or all of small worlds. See `cargo xtask sim --help`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use posthaste::simulator::{self, Planted, Violation};

use self::options::Options;

mod exhaustive;
mod options;

/// A schedule allocates as it goes, and takes a tenth longer with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Schedules after which a planted mistake counts as missed.
const HUNT: u64 = 20_000;

#[derive(Default)]
struct Tally {
    schedules: u64,
    committed: u64,
    arrivals: u64,
    duplicates: BTreeMap<&'static str, u64>,
    violations: BTreeMap<Violation, (u64, u64)>,
}

#[expect(clippy::print_stderr, reason = "a program")]
fn main() -> ExitCode {
    let sound = Options::read().and_then(|options| match (options.exhaustive, options.trace) {
        (true, true) => exhaustive::trace(&options),
        (true, false) => Ok(exhaustive::run(&options)),
        (false, true) => Ok(trace(options.seed)),
        (false, false) => Ok(random(&options)),
    });
    match sound {
        Ok(sound) => ExitCode::from(u8::from(!sound)),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs one drawn schedule and tells every step. True if nothing is wrong.
#[expect(clippy::print_stdout, reason = "a program")]
fn trace(seed: u64) -> bool {
    let outcome = simulator::trace(seed, None, Box::new(|line| println!("{line}")));
    println!("{outcome:?}");
    outcome.violations.is_empty()
}

/// Runs drawn schedules and says what came of them. True if nothing is wrong.
#[expect(clippy::print_stdout, reason = "a program")]
fn random(options: &Options) -> bool {
    let started = Instant::now();
    let tally = run_all(options);
    let seconds = started.elapsed().as_secs_f64();
    let per_second = (tally.schedules as f64 / seconds).round();
    let (caught, missed) = if options.planted { hunt_all(options.seed) } else { (Vec::new(), Vec::new()) };
    for (violation, (count, seed)) in &tally.violations {
        println!("{violation}: {count} schedules; replay the first with: cargo xtask sim --seed {seed} --trace");
    }
    println!(
        "{} schedules, {} committed, {} arrivals, duplicates {:?}, {per_second} schedules/s",
        tally.schedules, tally.committed, tally.arrivals, tally.duplicates
    );
    if options.planted {
        println!("planted mistakes: {} caught, missed: {missed:?}", caught.len());
    }
    if options.json {
        println!("{}", tally.json(options, &caught, &missed, per_second));
    }
    tally.violations.is_empty() && missed.is_empty()
}

impl Tally {
    fn json(&self, options: &Options, caught: &[String], missed: &[String], per_second: f64) -> serde_json::Value {
        let violations: BTreeMap<String, u64> =
            self.violations.iter().map(|(violation, (count, _))| (violation.to_string(), *count)).collect();
        serde_json::json!({
            "schedules": self.schedules,
            "first_seed": options.seed,
            "committed": self.committed,
            "arrivals": self.arrivals,
            "violations": violations,
            "planted_caught": caught,
            "planted_missed": missed,
            "schedules_per_second": per_second,
        })
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

fn name(planted: Planted) -> String {
    match planted {
        Planted::Engine(mistake) => format!("{mistake:?}"),
        other => format!("{other:?}"),
    }
}

/// Spreads the schedules over all cores.
fn run_all(options: &Options) -> Tally {
    let next = AtomicU64::new(0);
    let end = options.hours.map(|hours| Instant::now() + Duration::from_secs_f64(hours * 3600.0));
    let is_over = |n: u64| end.map_or(n >= options.schedules, |end| Instant::now() >= end);
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if is_over(n) {
                        break;
                    }
                    let seed = options.seed.wrapping_add(n);
                    let outcome = simulator::run(seed, None);
                    let mut tally = tally.lock().expect("no thread panics while it counts");
                    tally.schedules += 1;
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
        match simulator::hunt(planted, seed, HUNT) {
            Some(_) => caught.push(name(planted)),
            None => missed.push(name(planted)),
        }
    }
    (caught, missed)
}
