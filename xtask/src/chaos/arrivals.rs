//! What was committed, and what consumers recorded.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};

/// How far each key came: its messages have the numbers from one up to this.
#[derive(Debug, Default)]
pub struct Committed(pub HashMap<String, u64>);

impl Committed {
    pub fn read(text: &str) -> Result<Self> {
        let row = |line: &str| {
            let (key, number) = line.split_once('\t')?;
            Some((key.to_owned(), number.parse().ok()?))
        };
        text.lines().map(row).collect::<Option<_>>().map(Self).context("what was committed cannot be read")
    }

    pub fn messages(&self) -> u64 {
        self.0.values().sum()
    }
}

/// What a consumer did with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    Taken,
    /// Taken, and the relay was not told.
    InSilence,
    Failed,
    Refused,
}

/// One line of a consumer's record.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// Microseconds since 1970.
    pub at: u64,
    pub relay: &'a str,
    pub id: &'a str,
    pub key: &'a str,
    pub number: u64,
    pub done: Done,
}

impl<'a> Arrival<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut parts = line.split('\t');
        let mut next = || parts.next();
        let (at, relay, id, key, number) = (next()?.parse().ok()?, next()?, next()?, next()?, next()?.parse().ok()?);
        let done = match next()? {
            "taken" => Done::Taken,
            "silence" => Done::InSilence,
            "failed" => Done::Failed,
            "refused" => Done::Refused,
            _ => return None,
        };
        Some(Self { at, relay, id, key, number, done })
    }

    /// Whether the consumer has it.
    pub fn is_taken(&self) -> bool {
        matches!(self.done, Done::Taken | Done::InSilence)
    }

    /// Whether it came again without a relay: the consumer's word to its broker was lost.
    pub fn is_redelivered(&self) -> bool {
        self.relay == "redelivered"
    }

    /// When the message was made, by its id: the first 48 bits of version 7 are milliseconds.
    pub fn written_micros(&self) -> Option<u64> {
        let digits: String = self.id.chars().filter(|digit| *digit != '-').take(12).collect();
        Some(u64::from_str_radix(&digits, 16).ok()? * 1_000)
    }
}

/// Shows every line of a record, in order.
pub fn read(path: &Path, mut show: impl FnMut(Arrival<'_>)) -> Result<()> {
    for line in BufReader::new(File::open(path)?).lines() {
        let line = line?;
        show(Arrival::parse(&line).with_context(|| format!("{} has a line that is none: {line}", path.display()))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_when_its_message_was_made() {
        let written = |id| Arrival { at: 0, relay: "", id, key: "", number: 1, done: Done::Taken }.written_micros();
        assert_eq!(written("01a1ea3f-daed-70c0-9f69-ca6374d31f0d"), Some(0x01a1_ea3f_daed * 1_000));
        assert_eq!(written("none"), None);
    }
}
