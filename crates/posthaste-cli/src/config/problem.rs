//! One thing that is wrong with a config.

/// The key it is about, and what is wrong with it together with what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Dotted, as in `destinations.audit.max_attempts`.
    pub key: String,
    pub says: String,
}

impl Problem {
    pub fn new(key: impl Into<String>, says: impl Into<String>) -> Self {
        Self { key: key.into(), says: says.into() }
    }
}
