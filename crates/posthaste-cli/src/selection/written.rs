//! A selection as a document or a query string has it.

use serde::Deserialize;

use super::{Selection, line, message_id, moment, status};

/// Nothing is understood yet. Unknown names are refused: a typing mistake would select more than was meant.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Written {
    query: Option<String>,
    id: Several,
    // `state` was its name before, and is still understood.
    #[serde(alias = "state")]
    status: Several,
    destination: Option<String>,
    #[serde(alias = "type")]
    event_type: Option<String>,
    key: Option<String>,
    aggregate: Option<String>,
    tenant: Option<String>,
    error: Option<String>,
    since: Option<String>,
    before: Option<String>,
}

/// A list, or text with commas as it stands in a URL.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Several {
    Text(String),
    List(Vec<String>),
}

impl Default for Several {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl Several {
    fn parse<T>(self, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
        let names = match self {
            Self::Text(text) => text.split(',').map(|name| name.trim().to_owned()).collect(),
            Self::List(names) => names,
        };
        names.iter().map(|name| parse(name)).collect()
    }
}

impl TryFrom<Written> for Selection {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let selection = Self {
            ids: written.id.parse(message_id)?,
            query: None,
            statuses: written.status.parse(status)?,
            destination: written.destination,
            event_type: written.event_type,
            key: written.key,
            aggregate: written.aggregate,
            tenant: written.tenant,
            error: written.error,
            since: written.since.as_deref().map(moment).transpose()?,
            before: written.before.as_deref().map(moment).transpose()?,
        };
        match written.query {
            None => Ok(selection),
            Some(line) if selection == Self::default() => Ok(*line::parse(&line)?),
            Some(_) => Err("`query` stands alone: write the other filters into it".into()),
        }
    }
}
