//! The tests, round after round, on a machine that is busy with something else.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::Tests;
use super::report::Report;
use crate::step::execute;

/// Where the output of each round goes.
const FOLDER: &str = "target/stress";

/// Runs the tests so many times beside busy loops. The first failure ends it, and says where the output of that round is.
pub fn run(tests: &Tests, rounds: u32) -> Result<Report> {
    if rounds == 0 {
        bail!("`--stress` must be at least 1");
    }
    fs::create_dir_all(FOLDER).with_context(|| format!("cannot create {FOLDER}"))?;
    execute(&mut tests.command(&["--no-run"]))?;
    let _busy = Busy::start();
    let mut sum = Report::default();
    for number in 1..=rounds {
        let (begun, path) = (Instant::now(), Path::new(FOLDER).join(format!("round-{number}.log")));
        let report = round(tests, &path)?;
        println!("round {number} of {rounds}: {} in {:.0} s", report.tally(), begun.elapsed().as_secs_f64());
        let (success, failures) = (report.success, report.failures());
        sum.merge(report);
        if !success {
            println!("\nfailed beside busy loops:\n  {}", failures.join("\n  "));
            println!("the output of that round: {}", path.display());
            println!("rounds passed: {} of {rounds}", number - 1);
            return Ok(sum);
        }
        fs::remove_file(path)?;
    }
    println!("rounds passed: {rounds} of {rounds}");
    Ok(sum)
}

/// One round, with all that it prints in a file. The first test program in which a test fails is the last one to run.
fn round(tests: &Tests, path: &Path) -> Result<Report> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let (mut command, mut output) = (tests.command(&[]), file.try_clone()?);
    command.stderr(file);
    tests.watch(&mut command, |line| Ok(writeln!(output, "{line}")?))
}

/// A thread for each core that does nothing, as fast as it can, for as long as this lives.
struct Busy {
    enough: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Busy {
    fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let enough = Arc::new(AtomicBool::new(false));
        let spin = |enough: Arc<AtomicBool>| {
            move || {
                while !enough.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            }
        };
        let threads = (0..cores).map(|_| std::thread::spawn(spin(Arc::clone(&enough)))).collect();
        Self { enough, threads }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.enough.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A loop that spins cannot panic.
            let _ = thread.join();
        }
    }
}
