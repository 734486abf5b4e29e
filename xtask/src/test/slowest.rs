//! Which tests took longest.
//!
//! The stable test harness prints no times. But it starts the tests of a program in the order of their names, so many at a time, and
//! each test that ends makes room for the next one. So the n-th line that says how a test ended is also the moment at which the
//! test begins that comes n places after the first ones: its time is known from the lines alone.

use std::collections::BTreeMap;
use std::time::Duration;

/// How many tests the table has.
const ROWS: usize = 10;

/// Measures tests by the moments at which their lines arrive.
#[derive(Debug, Default)]
pub struct Stopwatch {
    /// How many tests run at a time.
    threads: usize,
    /// When the current program began.
    began: Duration,
    /// What ended since, and when.
    ended: Vec<(String, Duration)>,
    /// How long each test took.
    times: BTreeMap<String, Duration>,
}

impl Stopwatch {
    pub fn new(threads: usize) -> Self {
        Self { threads: threads.max(1), ..Self::default() }
    }

    /// Takes note of a line and of when it arrived.
    pub fn line(&mut self, line: &str, at: Duration) {
        if line.starts_with("running ") && line.trim_end_matches('s').ends_with(" test") {
            (self.began, self.ended) = (at, Vec::new());
        } else if line.starts_with("test result: ") {
            self.program_ended();
        } else if let Some((name, _)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
            self.ended.push((name.to_owned(), at));
        }
    }

    /// How long each test took, by name.
    pub fn times(&self) -> &BTreeMap<String, Duration> {
        &self.times
    }

    /// Keeps for each test the longest time.
    pub fn merge(&mut self, other: Self) {
        for (name, time) in other.times {
            self.keep(name, time);
        }
    }

    fn keep(&mut self, name: String, time: Duration) {
        let longest = self.times.entry(name).or_default();
        *longest = time.max(*longest);
    }

    fn program_ended(&mut self) {
        let ended = std::mem::take(&mut self.ended);
        let mut order: Vec<&str> = ended.iter().map(|(name, _)| name.as_str()).collect();
        order.sort_unstable();
        let mut starts = BTreeMap::new();
        for (place, name) in order.into_iter().enumerate() {
            let start = place.checked_sub(self.threads).map_or(self.began, |earlier| ended[earlier].1);
            starts.insert(name.to_owned(), start);
        }
        for (name, at) in ended {
            let time = at.saturating_sub(starts[&name]);
            self.keep(name, time);
        }
    }
}

/// The slowest tests with their times, the slowest first; nothing, if none ran.
pub fn table(times: &BTreeMap<String, Duration>) -> String {
    let mut slowest: Vec<_> = times.iter().collect();
    slowest.sort_by_key(|(_, time)| std::cmp::Reverse(**time));
    slowest.truncate(ROWS);
    if slowest.is_empty() {
        return String::new();
    }
    let row = |(name, time): (&String, &Duration)| format!("{:>9.2} s  {name}\n", time.as_secs_f64());
    "\nslowest:\n".to_owned() + &slowest.into_iter().map(row).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Two at a time: `a` and `b` begin at 1, `c` when `b` ends at 3, `d` when `a` ends at 4.
    const RUN: &[(&str, u64)] = &[
        ("running 4 tests", 1),
        ("test b ... ok", 3),
        ("test a ... ok", 4),
        ("test d ... FAILED", 5),
        ("test c ... ok", 15),
        ("test result: FAILED. 3 passed; 1 failed; 0 ignored", 15),
    ];

    fn stopwatch() -> Stopwatch {
        let mut stopwatch = Stopwatch::new(2);
        RUN.iter().for_each(|(line, at)| stopwatch.line(line, seconds(*at)));
        stopwatch
    }

    #[test]
    fn a_test_begins_when_another_makes_room_for_it() {
        let expected = [("a", 3), ("b", 2), ("c", 12), ("d", 1)];
        let expected = expected.map(|(name, time)| (name.to_owned(), seconds(time)));
        assert_eq!(*stopwatch().times(), expected.into_iter().collect());
    }

    #[test]
    fn the_next_program_begins_anew() {
        let mut stopwatch = stopwatch();
        let next = [("running 1 test", 20), ("test e - should panic ... ok", 21), ("test result: ok. 1 passed", 21)];
        next.iter().for_each(|(line, at)| stopwatch.line(line, seconds(*at)));
        assert_eq!(stopwatch.times()["e - should panic"], seconds(1));
    }

    #[test]
    fn the_table_lines_up_with_the_slowest_first() {
        let expected = "\nslowest:\n    12.00 s  c\n     3.00 s  a\n     2.00 s  b\n     1.00 s  d\n";
        assert_eq!(table(stopwatch().times()), expected);
        assert_eq!(table(&BTreeMap::new()), "");
    }
}
