//! The config as it is written: plain structures, everything optional. `resolve` knows what it means.
//!
//! A store or sink that needs settings of its own has a table named like its type, beside `type`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use posthaste::duration;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::parse_notify::Notify;
use super::parse_source::Source;
use crate::{sinks, store};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct File {
    pub store: Store,
    pub relay: Relay,
    pub retention: Retention,
    pub log: Log,
    pub http: Option<Http>,
    pub otlp: Option<Otlp>,
    pub notify: Option<Notify>,
    pub destinations: BTreeMap<String, Destination>,
    pub sources: BTreeMap<String, Source>,
}

/// Not `Debug`: a URL or a table may hold a password.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    pub r#type: Option<store::Kind>,
    pub path: Option<PathBuf>,
    pub url: Option<String>,
    pub partitions: Option<u16>,
    // What only one type of store has: a table named like the type.
    pub postgres: Option<Value>,
    pub mysql: Option<Value>,
    pub mongodb: Option<Value>,
}

impl Store {
    /// The tables that were written, whatever the type of the store.
    pub fn tables(&mut self) -> impl Iterator<Item = (store::Kind, Value)> + use<> {
        let tables = [
            (store::Kind::Postgres, self.postgres.take()),
            (store::Kind::Mysql, self.mysql.take()),
            (store::Kind::Mongodb, self.mongodb.take()),
        ];
        tables.into_iter().filter_map(|(kind, table)| Some((kind, table?)))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Relay {
    pub worker: Option<String>,
    pub lease_ttl: Option<Span>,
    pub poll_interval: Option<Span>,
    pub window_messages: Option<usize>,
    pub window_bytes: Option<usize>,
    pub read_batch: Option<usize>,
    pub commit_interval: Option<Span>,
    pub commit_batch: Option<usize>,
    pub max_held_keys: Option<usize>,
    pub max_worker_deaths: Option<u32>,
    pub start_delay: Option<Span>,
    pub stop_timeout: Option<Span>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    pub keep: Option<Keep>,
    pub purge_interval: Option<Span>,
    pub purge_on_start: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    pub format: Option<LogFormat>,
    pub level: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Http {
    pub bind: Option<String>,
    pub hosts: Vec<String>,
    pub tokens: BTreeMap<String, Token>,
    pub ready_max_pending: Option<u64>,
    pub ready_max_age: Option<Span>,
}

/// Not `Debug`: it holds a secret.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Token {
    pub role: Option<Role>,
    pub token: Option<String>,
}

/// Not `Debug`: it holds secrets.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Otlp {
    pub endpoint: Option<String>,
    pub headers: BTreeMap<String, String>,
    pub sample: Option<f64>,
    pub service_name: Option<String>,
    pub timeout: Option<Span>,
}

/// What a caller may do. An operator may do everything that the others may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Viewer,
    Operator,
    /// Says what became of messages that were handed over, and can do nothing else.
    Settler,
}

impl Role {
    /// Whether this role is enough where `needed` is asked for.
    pub fn may(self, needed: Self) -> bool {
        self == needed || self == Self::Operator
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    #[default]
    Pretty,
    Json,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Destination {
    pub r#type: Option<sinks::Kind>,
    pub events: Option<Vec<String>>,
    pub filter: Option<String>,
    pub transform: Option<String>,
    pub max_attempts: Option<u32>,
    pub backoff: Option<Backoff>,
    pub on_dead: Option<OnDead>,
    pub max_in_flight: Option<usize>,
    pub max_run: Option<usize>,
    pub batch_delay: Option<Span>,
    pub timeout: Option<Span>,
    pub mode: Option<Mode>,
    pub callback_timeout: Option<Span>,
    pub rate: Option<Rate>,
    pub tenant_rate: Option<Rate>,
    pub start_from: Option<StartFrom>,
    pub dead_letters_to: Option<String>,
    // What only one type of sink has: a table named like the type.
    pub redis: Option<Value>,
    pub rabbitmq: Option<Value>,
    pub kafka: Option<Value>,
    pub nats: Option<Value>,
    pub webhook: Option<Value>,
    pub email: Option<Value>,
    pub sms: Option<Value>,
    pub slack: Option<Value>,
    pub bullmq: Option<Value>,
}

impl Destination {
    /// The tables that were written, whatever the type of the sink.
    pub fn sink_settings(&mut self) -> impl Iterator<Item = (sinks::Kind, Value)> + use<> {
        let tables = [
            (sinks::Kind::Redis, self.redis.take()),
            (sinks::Kind::Rabbitmq, self.rabbitmq.take()),
            (sinks::Kind::Kafka, self.kafka.take()),
            (sinks::Kind::Nats, self.nats.take()),
            (sinks::Kind::Webhook, self.webhook.take()),
            (sinks::Kind::Email, self.email.take()),
            (sinks::Kind::Sms, self.sms.take()),
            (sinks::Kind::Slack, self.slack.take()),
            (sinks::Kind::Bullmq, self.bullmq.take()),
        ];
        tables.into_iter().filter_map(|(kind, settings)| Some((kind, settings?)))
    }
}

/// One flat table for all types, so that an error can name the key that does not belong.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Backoff {
    pub r#type: Option<BackoffType>,
    pub first: Option<Span>,
    pub step: Option<Span>,
    pub cap: Option<Span>,
    pub jitter: Option<Span>,
    pub delays: Option<Vec<Span>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackoffType {
    #[default]
    Exponential,
    Linear,
    List,
    Patient,
}

/// When a message counts as delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    #[default]
    Direct,
    Callback,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDead {
    Block,
    Skip,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rate {
    pub per_second: Option<f64>,
    pub burst: Option<u32>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartFrom {
    Beginning,
    Now,
}

/// A duration as people write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub Duration);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        duration::deserialize(deserializer).map(Self)
    }
}

/// How long delivered messages stay: a duration, or `forever`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep(pub Option<Duration>);

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "forever" {
            return Ok(Self(None));
        }
        let parsed = duration::parse(&text).map(|keep| Self(Some(keep)));
        parsed.map_err(|error| serde::de::Error::custom(format!("{error}, or \"forever\"")))
    }
}
