//! What a run of the tests has shown, from the lines that it prints.

use std::io::{BufRead, BufReader, Read};
use std::time::Instant;

use anyhow::Result;

use super::Tally;
use super::slowest::{Stopwatch, table};

#[derive(Debug, Default)]
pub struct Report {
    /// Whether cargo says that all is well.
    pub success: bool,
    tally: Tally,
    failures: Vec<String>,
    stopwatch: Stopwatch,
}

impl Report {
    /// Nothing yet, of tests that run so many at a time.
    pub fn new(threads: usize) -> Self {
        Self { stopwatch: Stopwatch::new(threads), ..Self::default() }
    }

    /// Reads what the tests print up to its end, and gives each line to `line`.
    pub fn read(&mut self, output: impl Read, line: &mut impl FnMut(&str) -> Result<()>) -> Result<()> {
        let begun = Instant::now();
        for read in BufReader::new(output).lines() {
            let read = read?;
            self.stopwatch.line(&read, begun.elapsed());
            self.add(&read);
            line(&read)?;
        }
        Ok(())
    }

    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The names of the tests that failed; what cargo says, if that names none.
    pub fn failures(&self) -> Vec<String> {
        match self.failures.is_empty() {
            true => vec!["cargo test says so and names no test".to_owned()],
            false => self.failures.clone(),
        }
    }

    /// A table of the slowest tests.
    pub fn slowest(&self) -> String {
        table(self.stopwatch.times())
    }

    /// Adds another run of the same tests: all counts, and for each test the longest time.
    pub fn merge(&mut self, other: Self) {
        self.success = other.success;
        self.tally.passed += other.tally.passed;
        self.tally.failed += other.tally.failed;
        self.failures.extend(other.failures);
        self.stopwatch.merge(other.stopwatch);
    }

    /// Takes note of `test a::b ... FAILED`, and of `test result: ok. 3 passed; 0 failed; …` at the end of each test program.
    fn add(&mut self, line: &str) {
        if let Some(test) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.failures.push(test.to_owned());
        }
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". ")) else {
            return;
        };
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((number, "passed")) => self.tally.passed += number.parse::<u64>().unwrap_or(0),
                Some((number, "failed")) => self.tally.failed += number.parse::<u64>().unwrap_or(0),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 2 tests
test a::passes ... ok
test a::fails - should panic ... FAILED
test result: ok. 42 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.58s
test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
";

    fn report() -> Report {
        let mut report = Report::new(2);
        report.read(OUTPUT.as_bytes(), &mut |_| Ok(())).unwrap();
        report
    }

    #[test]
    fn results_of_several_programs_are_added_up_and_failures_are_named() {
        assert_eq!(report().tally(), Tally { passed: 43, failed: 2 });
        assert_eq!(report().failures(), ["a::fails - should panic"]);
        assert_eq!(report().tally().to_string(), "43 passed, 2 failed");
    }

    #[test]
    fn rounds_are_added_up() {
        let mut sum = report();
        sum.merge(report());
        assert_eq!(sum.tally(), Tally { passed: 86, failed: 4 });
    }
}
