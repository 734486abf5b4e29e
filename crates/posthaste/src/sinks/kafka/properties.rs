//! Settings of the client itself, by the names that librdkafka gives them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::Secret;

/// Names and values. No value is shown, for some are passwords.
///
/// In TOML a dotted name is a table in a table unless it is quoted, so `linger.ms = 5` and `"linger.ms" = "5"` both are taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties(BTreeMap<String, Secret>);

impl Properties {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.expose()))
    }
}

impl<N: Into<String>, V: Into<Secret>> FromIterator<(N, V)> for Properties {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tables = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let mut properties = Self::default();
        for (name, value) in tables {
            properties.flatten(name, value).map_err(serde::de::Error::custom)?;
        }
        Ok(properties)
    }
}

impl Properties {
    fn flatten(&mut self, name: String, value: Value) -> Result<(), String> {
        let text = match value {
            Value::Object(table) => {
                return table.into_iter().try_for_each(|(part, value)| self.flatten(format!("{name}.{part}"), value));
            }
            Value::String(text) => text,
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Null | Value::Array(_) => {
                return Err(format!("`{name}` must be a text, a number or a truth value"));
            }
        };
        self.0.insert(name, text.into());
        Ok(())
    }
}
