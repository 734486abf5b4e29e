//! A few lines on a terminal that are redrawn in place.

use std::io::{self, Write};

/// Clears to the end of the screen.
const CLEAR_BELOW: &str = "\u{1b}[J";
/// Clears to the end of the line.
const CLEAR_RIGHT: &str = "\u{1b}[K";

/// Remembers how much it drew.
#[derive(Debug, Default)]
pub struct Live {
    lines: usize,
}

impl Live {
    /// Replaces what was drawn before, in one write, so that nothing flickers.
    pub fn draw(&mut self, text: &str) -> io::Result<()> {
        let mut frame = self.back();
        for line in text.lines() {
            frame.push_str(line);
            frame.push_str(CLEAR_RIGHT);
            frame.push('\n');
        }
        frame.push_str(CLEAR_BELOW);
        self.lines = text.lines().count();
        let mut out = io::stdout().lock();
        out.write_all(frame.as_bytes())?;
        out.flush()
    }

    fn back(&self) -> String {
        match self.lines {
            0 => String::new(),
            lines => format!("\r\u{1b}[{lines}A"),
        }
    }
}
