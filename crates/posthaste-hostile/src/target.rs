//! A reader of bytes from outside, and the check of what must hold whatever it reads.

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::corpus;
use crate::dice::Dice;
use crate::generate::Material;
use crate::settings::Settings;

/// A case that takes longer does not end at all. Far more than any needs, beside whatever else the machine does.
const ENDLESS: Duration = Duration::from_secs(120);
/// The number of no case.
const DONE: u64 = u64::MAX;

/// What became of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was read; what came of it holds.
    Taken,
    /// It was refused as it should be.
    Refused,
}

impl Outcome {
    /// Of a result.
    pub fn of<T, E>(result: &Result<T, E>) -> Self {
        if result.is_ok() { Self::Taken } else { Self::Refused }
    }
}

/// One reader of bytes from outside.
#[derive(Debug)]
pub struct Target<'a> {
    name: &'static str,
    words: &'a [&'a str],
    longest: usize,
    cost: u64,
    at_most: u64,
}

/// What a run came to.
#[derive(Debug, Default)]
struct Tally {
    cases: u64,
    taken: u64,
    slowest: Duration,
}

impl<'a> Target<'a> {
    /// The reader's name, which is also the folder of its corpus, and words that it knows.
    pub fn new(name: &'static str, words: &'a [&'a str]) -> Self {
        Self { name, words, longest: 16 << 10, cost: 1, at_most: u64::MAX }
    }

    /// The longest input; 16 kB unless given.
    #[must_use]
    pub fn longest(self, longest: usize) -> Self {
        Self { longest, ..self }
    }

    /// A case costs so many times the usual: `cargo test` runs fewer of them.
    #[must_use]
    pub fn cost(self, cost: u64) -> Self {
        Self { cost, ..self }
    }

    /// Never more cases than so many, for a reader whose cases wait for something.
    #[must_use]
    pub fn at_most(self, cases: u64) -> Self {
        Self { at_most: cases, ..self }
    }

    /// Runs the check over the corpus, then over cases that are drawn.
    ///
    /// # Panics
    ///
    /// If the check does. The message says how to have the same input again.
    pub fn run(self, mut check: impl FnMut(&[u8]) -> Outcome) {
        let settings = Settings::read();
        if settings.only.as_deref().is_some_and(|only| only != self.name) {
            return;
        }
        let kept = corpus::read(self.name);
        let material = Material { words: self.words, corpus: &kept, longest: self.longest };
        let (begun, mut tally) = (Instant::now(), Tally::default());
        let watched = Watch::start(self.name, settings.seed);
        for (n, input) in kept.iter().enumerate() {
            self.one(&format!("corpus-{n}"), input, &mut check, &mut tally);
        }
        for case in settings.from..settings.from + settings.cases(self.cost).min(self.at_most) {
            watched.at(case);
            let input = material.input(&mut Dice::new(settings.seed, self.name, case));
            self.one(&format!("seed-{}-case-{case}", settings.seed), &input, &mut check, &mut tally);
        }
        watched.at(DONE);
        self.report(&settings, &tally, begun.elapsed());
    }

    fn one(&self, case: &str, input: &[u8], check: &mut impl FnMut(&[u8]) -> Outcome, tally: &mut Tally) {
        let begun = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| check(input))) {
            Ok(outcome) => tally.taken += u64::from(outcome == Outcome::Taken),
            Err(panic) => self.failed(case, input, panic.as_ref()),
        }
        tally.cases += 1;
        tally.slowest = tally.slowest.max(begun.elapsed());
    }

    fn failed(&self, case: &str, input: &[u8], panic: &(dyn Any + Send)) -> ! {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let kept = corpus::found(self.name, case, input);
        panic!(
            "{}, {case}: {}\nthe input is {}; once it is mended, it belongs into {}",
            self.name,
            said.unwrap_or("it panicked"),
            kept.display(),
            corpus::folder(self.name).display()
        );
    }

    fn report(&self, settings: &Settings, tally: &Tally, took: Duration) {
        let Some(folder) = &settings.results else { return };
        let (name, seed, slowest) = (self.name, settings.seed, tally.slowest.as_micros());
        let (cases, taken, seconds) = (tally.cases, tally.taken, took.as_secs_f64());
        let line = format!(
            r#"{{"target":"{name}","cases":{cases},"taken":{taken},"seconds":{seconds:.1},"slowest_us":{slowest},"seed":{seed}}}"#
        );
        fs::write(folder.join(format!("{name}.json")), line + "\n").expect("the result can be written");
    }
}

/// Ends the process when a case does not end, and says which one it is.
struct Watch(Arc<AtomicU64>);

impl Watch {
    fn start(name: &'static str, seed: u64) -> Self {
        let at = Arc::new(AtomicU64::new(0));
        let seen = Arc::downgrade(&at);
        std::thread::spawn(move || {
            let (mut last, mut since) = (0, Instant::now());
            while let Some(at) = seen.upgrade().map(|at| at.load(Ordering::Relaxed)).filter(|at| *at != DONE) {
                if at != last {
                    (last, since) = (at, Instant::now());
                } else if since.elapsed() > ENDLESS {
                    #[expect(clippy::print_stderr, reason = "the last words of this process")]
                    {
                        eprintln!("{name}, seed {seed}: case {at} does not end");
                    }
                    std::process::abort();
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        Self(at)
    }

    fn at(&self, case: u64) {
        self.0.store(case, Ordering::Relaxed);
    }
}
