//! What the settings of sinks have in common.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// A setting that cannot be meant, and what to write instead. Never shows a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    pub setting: &'static str,
    pub says: String,
}

impl Misfit {
    pub fn new(setting: &'static str, says: impl Into<String>) -> Self {
        Self { setting, says: says.into() }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.setting, self.says)
    }
}

impl std::error::Error for Misfit {}

/// A duration as people write it: `250ms`, `15s`, `1h30m`. For `#[serde(deserialize_with = "…")]`.
pub fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parsed = text.parse::<jiff::SignedDuration>().ok().and_then(|duration| Duration::try_from(duration).ok());
    parsed.ok_or_else(|| {
        serde::de::Error::custom(format!("`{text}` is not a duration: write one such as 250ms, 15s or 1h30m"))
    })
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    #[test]
    fn durations_are_written_with_their_units() {
        let read = |text: &'static str| {
            let text: StrDeserializer<'_, Error> = text.into_deserializer();
            duration(text).map_err(|error| error.to_string())
        };
        assert_eq!(read("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(read("1h30m"), Ok(Duration::from_secs(5_400)));
        assert!(read("15").unwrap_err().contains("`15` is not a duration"));
        assert!(read("-1s").is_err());
    }
}
