//! Passwords, tokens, and addresses that may contain them.

use std::fmt;

use serde::{Deserialize, Deserializer};

/// A text that is never shown: not by `Debug`, and there is no `Display`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one who needs it to log in.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Serde's own error would show what it got instead of a text.
impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self).map_err(|_| serde::de::Error::custom("must be a text, in quotes"))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", Some(Secret::new("hunter2"))), "Some((secret))");
        let error = serde_json::from_str::<Secret>("123456").unwrap_err().to_string();
        assert!(error.starts_with("must be a text, in quotes") && !error.contains("123456"), "{error}");
    }
}
