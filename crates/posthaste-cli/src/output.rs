//! What people and programs see.
//!
//! Answers go to stdout, everything else to stderr. With `--json` an answer is one JSON document on one line; lists are JSON
//! lines, one object each. Colours are only used on a terminal, and not if `NO_COLOR` is set.

use std::fmt::Display;
use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

pub use self::paint::Paint;
pub use self::table::Table;

pub mod paint;
pub mod plain;
pub mod table;
pub mod when;

/// Where answers go, and how they should look.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub json: bool,
    pub paint: Paint,
}

impl Output {
    pub fn new(json: bool) -> Self {
        let colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        Self { json, paint: Paint { colour: colour && !json } }
    }

    /// One line of the answer.
    pub fn line(&self, text: impl Display) -> io::Result<()> {
        writeln!(io::stdout().lock(), "{text}")
    }

    pub fn blank(&self) -> io::Result<()> {
        self.line("")
    }

    /// The whole answer, or one object of a list.
    pub fn document(&self, value: &impl Serialize) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, value)?;
        writeln!(out)
    }

    pub fn table(&self, table: &Table) -> io::Result<()> {
        write!(io::stdout().lock(), "{}", table.render(self.paint))
    }

    /// Something beside the answer: progress, a hint. Goes to stderr, and not at all with `--json`.
    pub fn note(&self, text: impl Display) {
        if !self.json {
            // If stderr is closed, there is nowhere to say so.
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }
}

/// What went wrong, on stderr.
pub fn error(text: impl Display) {
    let paint = Paint { colour: AutoStream::choice(&io::stderr()) != ColorChoice::Never };
    let _ = writeln!(io::stderr().lock(), "{} {text}", paint.red("error:"));
}

/// `1 message`, `2 messages`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// `1,234,567`
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(count(1, "message"), "1 message");
        assert_eq!(count(2, "message"), "2 messages");
    }
}
