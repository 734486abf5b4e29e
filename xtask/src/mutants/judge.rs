//! Whether a mutant is noticed.

use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::build::Build;

/// Drawn for every mutant that the tests of the engine's parts do not notice: few, because most mutants need no more.
const FIRST_SCHEDULES: u64 = 200;

/// Drawn for every mutant that nothing else notices.
pub const SCHEDULES: u64 = 3_000;

/// What is run, with how many schedules, and which tests that is. Those of the simulator that look whether planted mistakes are found say
/// nothing about the engine.
const STAGES: [(&str, u64, &str); 5] = [
    ("tests", 0, "--skip simulator::"),
    ("first schedules", FIRST_SCHEDULES, "guarantees_in_every_schedule"),
    ("worlds", 0, "simulator:: --skip planted --skip schedule --skip seed"),
    ("schedules", SCHEDULES, "guarantees_in_every_schedule"),
    ("small worlds", 0, "small_worlds_with_a_single_fault"),
];

/// How often one looks whether a program has ended.
const LOOK: Duration = Duration::from_millis(5);

/// A mutant may take memory without end; this is in KB.
const MOST_MEMORY: &str = "ulimit -v 4000000; exec env \"$0\" \"$@\"";

/// What became of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Killed,
    TimedOut,
    Survived,
    Unviable,
}

/// Some tests, with the time that they may take, once that is known.
struct Stage {
    name: &'static str,
    command: Vec<String>,
    most: Mutex<Option<Duration>>,
}

/// The tests, the quickest first.
pub struct Judge {
    stages: Vec<Stage>,
}

impl Judge {
    pub fn new(build: &Build) -> Self {
        let tests = build.tests.to_string_lossy();
        let stage = |(name, schedules, filter): (&'static str, u64, &str)| {
            let program = [format!("POSTHASTE_SCHEDULES={schedules}"), tests.clone().into_owned()];
            let command = program.into_iter().chain(filter.split_whitespace().map(str::to_owned)).collect();
            Stage { name, command, most: Mutex::new(None) }
        };
        Self { stages: STAGES.into_iter().map(stage).collect() }
    }

    /// One stage after the other, up to the first that notices, which is told.
    pub fn judge(&self, number: usize) -> Result<(Verdict, &'static str)> {
        for stage in &self.stages {
            let verdict = stage.run(number)?;
            if verdict != Verdict::Survived {
                return Ok((verdict, stage.name));
            }
        }
        Ok((Verdict::Survived, ""))
    }
}

impl Stage {
    fn run(&self, number: usize) -> Result<Verdict> {
        let most = self.most()?;
        let mut child = start(&self.command, number)?;
        let end = Instant::now() + most;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(if status.success() { Verdict::Survived } else { Verdict::Killed });
            }
            if Instant::now() > end {
                child.kill()?;
                child.wait()?;
                return Ok(Verdict::TimedOut);
            }
            sleep(LOOK);
        }
    }

    /// Found out without a mutant, when the first one gets so far; that has to end well. A mutant gets ten times as long, for the machine
    /// may be busy then.
    fn most(&self) -> Result<Duration> {
        let mut most = self.most.lock().expect("no thread panics while it measures");
        if let Some(most) = *most {
            return Ok(most);
        }
        let begun = Instant::now();
        if !start(&self.command, 0)?.wait()?.success() {
            bail!("without any mutant: {} does not end well", self.command.join(" "));
        }
        println!("without a mutant {:.1} s: {}", begun.elapsed().as_secs_f64(), self.name);
        Ok(*most.insert(begun.elapsed() * 10 + Duration::from_secs(10)))
    }
}

fn start(program: &[String], number: usize) -> Result<Child> {
    let mut command = Command::new("sh");
    command.args(["-c", MOST_MEMORY]).args(program).env("POSTHASTE_MUTANT", number.to_string());
    command.current_dir("crates/posthaste").env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("cannot start a test")
}
