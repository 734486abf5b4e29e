//! Headers as SQL stores keep them: JSON, pairs in order as this library writes them, or an object as people do by hand.

use crate::error::{Error, Kind, Result};
use crate::message::Headers;

/// Headers as a column: `NULL` where there are none.
pub(super) fn encode(headers: &Headers) -> Result<Option<String>> {
    if headers.is_empty() {
        return Ok(None);
    }
    let json = serde_json::to_string(headers);
    json.map(Some).map_err(|error| Error::new(Kind::Invalid, "the headers cannot be written as JSON").caused_by(error))
}

/// Headers as they stand in a column. Whatever is no JSON of either shape is no headers.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
pub(super) fn decode(json: &[u8]) -> Headers {
    let plain = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    serde_json::from_slice(json).unwrap_or_else(|_| match serde_json::from_slice(json) {
        Ok(ByHand::Pairs(pairs)) => pairs.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        Ok(ByHand::Object(object)) => object.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        Err(_) => Headers::default(),
    })
}

/// Headers that somebody else wrote.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum ByHand {
    Pairs(Vec<(String, serde_json::Value)>),
    Object(std::collections::BTreeMap<String, serde_json::Value>),
}
