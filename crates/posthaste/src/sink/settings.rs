//! What is wrong with a setting of a sink. How durations are written is in [`crate::duration`].

use std::fmt;

/// A setting that cannot be meant, and what to write instead. Never shows a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its name in the config.
    pub setting: &'static str,
    /// What is wrong with it, and what to do about it.
    pub text: String,
}

impl Problem {
    /// `text` goes on after the name of the setting, as in "is empty: write …".
    pub fn new(setting: &'static str, text: impl Into<String>) -> Self {
        Self { setting, text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.setting, self.text)
    }
}

impl std::error::Error for Problem {}
