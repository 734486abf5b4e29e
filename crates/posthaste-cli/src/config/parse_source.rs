//! A `[sources.NAME]` as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::sources;

/// Not `Debug`: a table may hold a password.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Source {
    pub r#type: Option<sources::Kind>,
    pub on_error: Option<String>,
    pub max_batch: Option<usize>,
    pub window: Option<usize>,
    pub window_bytes: Option<usize>,
    /// An expression, or a list of [`Rule`].
    pub map: Option<Value>,
    // What only one type of source has: a table named like the type.
    pub kurrentdb: Option<Value>,
    pub table: Option<Value>,
}

/// One `[[sources.NAME.map]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub r#type: String,
    pub event_type: Option<String>,
    #[serde(default)]
    pub destinations: Vec<String>,
    pub key: Option<String>,
    pub tenant: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub payload: Option<String>,
}
