//! Colours, if they are wanted.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// The hue of a cell or word: how good the news is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hue {
    Good,
    Waiting,
    Bad,
    Quiet,
    Strong,
}

/// Paints, or leaves text as it is.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    pub colour: bool,
}

impl Paint {
    pub fn hue(self, hue: Hue, text: impl Display) -> String {
        if !self.colour {
            return text.to_string();
        }
        let style = match hue {
            Hue::Good => AnsiColor::Green.on_default(),
            Hue::Waiting => AnsiColor::Yellow.on_default(),
            Hue::Bad => AnsiColor::Red.on_default().bold(),
            Hue::Quiet => Style::new().dimmed(),
            Hue::Strong => Style::new().bold(),
        };
        format!("{style}{text}{style:#}")
    }

    pub fn green(self, text: impl Display) -> String {
        self.hue(Hue::Good, text)
    }

    pub fn yellow(self, text: impl Display) -> String {
        self.hue(Hue::Waiting, text)
    }

    pub fn red(self, text: impl Display) -> String {
        self.hue(Hue::Bad, text)
    }

    pub fn dim(self, text: impl Display) -> String {
        self.hue(Hue::Quiet, text)
    }

    pub fn bold(self, text: impl Display) -> String {
        self.hue(Hue::Strong, text)
    }
}
