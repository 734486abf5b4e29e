//! What a consumer received, line by line: when, through which relay, which message, and what it answered.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Failure;

/// What a consumer did with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// Took it and said so.
    Taken,
    /// Took it and said that it failed, or said nothing in time: it will come again.
    TakenInSilence,
    /// Did not take it; it may come again.
    Failed,
    /// Did not take it, for good.
    Refused,
}

impl Done {
    fn name(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::TakenInSilence => "silence",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Record(Mutex<BufWriter<File>>);

impl Record {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        Ok(Self(Mutex::new(BufWriter::new(File::create(path)?))))
    }

    /// The payload of a message begins with its key and its number.
    pub(crate) fn note(&self, relay: &str, id: &str, payload: &[u8], done: Done) {
        self.note_at(now_micros(), relay, id, payload, done);
    }

    /// One that came to its broker then, in microseconds since 1970; it may be read much later.
    pub(crate) fn note_at(&self, at: u128, relay: &str, id: &str, payload: &[u8], done: Done) {
        let start = payload.iter().position(|byte| *byte == b'|').unwrap_or(payload.len());
        let place = String::from_utf8_lossy(&payload[..start]).replace(' ', "\t");
        let mut file = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let written = writeln!(file, "{at}\t{relay}\t{id}\t{place}\t{}", done.name());
        written.expect("a consumer can record");
    }

    /// What was noted so far can be read by others.
    pub(crate) fn flush(&self) {
        let mut file = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.flush().expect("a consumer can record");
    }
}

pub(crate) fn now_micros() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros())
}
