//! One thing that is wrong with a config.

use std::fmt;

/// The key it is about, and what is wrong with it together with what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Dotted, as in `destinations.audit.max_attempts`.
    pub key: String,
    pub text: String,
}

impl Problem {
    pub fn new(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self { key: key.into(), text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.text)
    }
}
