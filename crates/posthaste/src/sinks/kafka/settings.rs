//! What can be set.

use std::time::Duration;

use serde::Deserialize;

use super::properties::Properties;
use crate::duration;
use crate::sink::format::Format;
use crate::sink::template::{Field, Template};

/// Where messages go, and how.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// `host:9092`, several with commas. Those that are found there are used, too.
    pub brokers: String,
    /// The topic that a message is written to.
    #[serde(default = "aggregate_type")]
    pub topic: Template,
    /// What a message looks like there.
    #[serde(default)]
    pub format: Format,
    /// How long the cluster may take to confirm before it counts as out of reach.
    #[serde(default = "patience", with = "duration")]
    pub timeout: Duration,
    /// Makes every run a transaction. Producers are named `ID.DESTINATION.PARTITION`: one for each partition of the journal.
    #[serde(default)]
    pub transactional_id: Option<String>,
    /// Passed to the client as they are: `security.protocol`, `sasl.password`, `ssl.ca.location`, `compression.type`, `linger.ms`, …
    #[serde(default)]
    pub properties: Properties,
}

impl Settings {
    /// The defaults, with these brokers.
    pub fn at(brokers: impl Into<String>) -> Self {
        Self {
            brokers: brokers.into(),
            topic: aggregate_type(),
            format: Format::default(),
            timeout: patience(),
            transactional_id: None,
            properties: Properties::default(),
        }
    }
}

fn aggregate_type() -> Template {
    Template::of(Field::AggregateType)
}

/// Shorter than a destination's own timeout, which would cost an attempt.
fn patience() -> Duration {
    Duration::from_secs(10)
}
