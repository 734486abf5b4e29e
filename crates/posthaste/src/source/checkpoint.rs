//! A place in a foreign log.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::message::Text;

/// A place in a foreign log, in the log's own words. Stores keep it and never look into it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Checkpoint(Text);

impl Checkpoint {
    /// Bytes that a checkpoint may have.
    pub const MAX_BYTES: usize = 1_000;

    /// A checkpoint of this text, or what is wrong with it.
    pub fn new(text: impl Into<Text>) -> Result<Self, String> {
        let text = text.into();
        match text.len() {
            0 => Err("a checkpoint must not be empty".into()),
            1..=Self::MAX_BYTES => Ok(Self(text)),
            long => Err(format!("a checkpoint may have {} bytes, and this one has {long}", Self::MAX_BYTES)),
        }
    }

    /// A checkpoint as a store has kept it; it was looked at when it was new.
    pub fn stored(text: impl Into<Text>) -> Self {
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_has_a_text_of_a_reasonable_length() {
        assert_eq!(Checkpoint::new("42/42").map(|it| it.to_string()), Ok("42/42".into()));
        assert!(Checkpoint::new("").is_err());
        assert!(Checkpoint::new("x".repeat(1_001)).is_err());
    }
}
