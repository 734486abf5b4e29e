//! What comes out of a relay: how many lines, when, and which messages.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::bench::waits::At;

/// The lines so far. Somebody else reads them.
#[derive(Debug, Default, Clone)]
pub struct Lines(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    count: usize,
    /// When the last line came.
    last: Option<Instant>,
    /// Whether to look into lines, which takes time that the relay could use.
    numbers: bool,
    handled: Vec<At>,
}

impl Lines {
    /// Reads until the end.
    pub fn read(output: impl Read + Send + 'static) -> Self {
        let lines = Self::default();
        let seen = lines.clone();
        thread::spawn(move || seen.read_all(BufReader::with_capacity(1 << 16, output)));
        lines
    }

    fn read_all(&self, mut output: impl BufRead) {
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            self.lock().see(&line);
            line.clear();
        }
    }

    pub fn count(&self) -> usize {
        self.lock().count
    }

    /// When so many lines had come, if they have.
    pub fn at(&self, lines: usize) -> Option<Instant> {
        let seen = self.lock();
        seen.last.filter(|_| seen.count >= lines)
    }

    /// When several had so many lines together, if they have.
    pub fn all_at(all: &[Self], lines: usize) -> Option<Instant> {
        let count: usize = all.iter().map(Self::count).sum();
        if count < lines { None } else { all.iter().filter_map(|some| some.lock().last).max() }
    }

    /// From now on, looks into each line for the number of its message, and when it came.
    pub fn look_for_numbers(&self) {
        self.lock().numbers = true;
    }

    /// The messages that came since then.
    pub fn handled(&self) -> Vec<At> {
        self.lock().handled.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn see(&mut self, line: &[u8]) {
        self.count += 1;
        self.last = Some(Instant::now());
        if let Some(number) = self.numbers.then(|| number(line)).flatten() {
            self.handled.push((number, now()));
        }
    }
}

/// Microseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "it is compared with what the clocks of other programs say")]
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as i64
}

/// The number in `…"payload":{"order":42,…`.
fn number(line: &[u8]) -> Option<i64> {
    // The payload stands last, and its filler may be long.
    let text = String::from_utf8_lossy(line);
    let digits = text.split_once("\"order\":")?.1;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_their_messages_known_by_number() {
        let text = "{\"payload\":{\"order\":7,\"filler\":\"x\"}}\n{\"payload\":1}\n{\"payload\":{\"order\":12}}\n";
        let lines = Lines::default();
        assert_eq!(lines.at(1), None);
        lines.look_for_numbers();
        lines.read_all(text.as_bytes());
        assert_eq!((Lines::all_at(&[lines.clone(), lines.clone()], 6).is_some(), Lines::all_at(&[], 1)), (true, None));
        assert_eq!((lines.count(), lines.at(3).is_some(), lines.at(4)), (3, true, None));
        assert_eq!(lines.handled().iter().map(|(number, _)| *number).collect::<Vec<_>>(), [7, 12]);
    }
}
