//! How far a run is, told every ten seconds.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::scene::Scene;

const EVERY: Duration = Duration::from_secs(10);

/// Counts what consumers have recorded, reading only what is new.
#[derive(Debug)]
pub struct Progress {
    begun: Instant,
    next: Duration,
    records: Vec<Counted>,
}

#[derive(Debug)]
struct Counted {
    path: PathBuf,
    read_to: u64,
    lines: u64,
}

impl Progress {
    pub fn of(scenes: &[Scene]) -> Self {
        let paths = scenes.iter().flat_map(|scene| &scene.destinations).map(|(_, record)| record.clone());
        let records = paths.map(|path| Counted { path, read_to: 0, lines: 0 }).collect();
        Self { begun: Instant::now(), next: EVERY, records }
    }

    /// Says it if it is time.
    pub fn tell(&mut self, faults: usize) {
        let elapsed = self.begun.elapsed();
        if elapsed < self.next {
            return;
        }
        self.next = elapsed + EVERY;
        // A record that cannot be read now is told at the end.
        self.records.iter_mut().for_each(|record| drop(record.read_on()));
        let arrived: u64 = self.records.iter().map(|record| record.lines).sum();
        println!("{:>6} s: {faults} faults, {arrived} arrivals", elapsed.as_secs());
    }
}

impl Counted {
    fn read_on(&mut self) -> std::io::Result<()> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.read_to))?;
        let mut part = [0; 64 * 1024];
        loop {
            let length = file.read(&mut part)?;
            if length == 0 {
                return Ok(());
            }
            self.read_to += length as u64;
            self.lines += part[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_grows_is_counted_on() {
        let path = std::env::temp_dir().join(format!("posthaste-progress-{}", std::process::id()));
        let mut counted = Counted { path: path.clone(), read_to: 0, lines: 0 };
        assert!(counted.read_on().is_err());
        for (text, lines) in [("a\nb", 1), ("a\nb\nc\n", 3)] {
            std::fs::write(&path, text).unwrap();
            counted.read_on().unwrap();
            assert_eq!(counted.lines, lines);
        }
        std::fs::remove_file(path).unwrap();
    }
}
