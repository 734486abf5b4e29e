//! What can be set.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::publish::Pace;
use crate::Secret;
use crate::duration;
use crate::sink::format::Format;
use crate::sink::settings::Problem;
use crate::sink::template::{Field, Template};

/// Where messages go, and how.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// `amqp://user:password@host:5672/vhost`, or `amqps://` for TLS.
    pub url: Secret,
    /// Instead of the one in `url`, where a `/` has to be written as `%2f`.
    #[serde(default)]
    pub vhost: Option<String>,
    /// The exchange. Empty is the default one, in which a routing key is the name of a queue.
    #[serde(default = "empty")]
    pub exchange: Template,
    /// The routing key of a message.
    #[serde(default = "event_type")]
    pub routing_key: Template,
    /// What a message looks like there.
    #[serde(default)]
    pub format: Format,
    /// Whether a message that no queue takes has failed. If not, it is gone, as RabbitMQ has it.
    #[serde(default = "yes")]
    pub mandatory: bool,
    /// Whether messages outlive a restart of the broker, in queues that do.
    #[serde(default = "yes")]
    pub persistent: bool,
    /// Whether the messages of a key are sent without waiting for each other's confirmation, on routes that are known to work.
    #[serde(default = "yes")]
    pub pipeline: bool,
    /// How long the broker may take to confirm, or to let us in, before it counts as out of reach.
    #[serde(default = "patience", with = "duration")]
    pub timeout: Duration,
    /// Certificates (PEM) to trust beside those of the system.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// The certificate (PEM) to show.
    #[serde(default)]
    pub client_cert_file: Option<PathBuf>,
    /// Its key (PEM).
    #[serde(default)]
    pub client_key_file: Option<PathBuf>,
    /// What to make when connecting, if it is not there.
    #[serde(default)]
    pub declare: Declare,
}

/// Exchanges and queues to make.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Declare {
    /// Exchanges to make, before the queues.
    pub exchanges: Vec<Exchange>,
    /// Queues to make and to bind.
    pub queues: Vec<Queue>,
}

/// An exchange to make.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// Its name.
    pub name: String,
    /// `topic`, `direct`, `fanout`, `headers`, or what a plugin brings.
    #[serde(default = "topic")]
    pub kind: String,
    /// Whether it outlives a restart of the broker.
    #[serde(default = "yes")]
    pub durable: bool,
}

/// A queue to make.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// `quorum`, `classic` or `stream`; the broker's default unless given.
    #[serde(default)]
    pub kind: Option<String>,
    /// Whether it outlives a restart of the broker.
    #[serde(default = "yes")]
    pub durable: bool,
    /// What goes into it.
    #[serde(default)]
    pub bindings: Vec<Binding>,
}

/// Which messages of an exchange go to a queue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    /// The name of the exchange.
    pub exchange: String,
    /// The routing key, or a pattern of them, as the exchange understands it.
    #[serde(default)]
    pub routing_key: String,
}

impl Settings {
    /// The defaults, at this address.
    pub fn at(url: impl Into<Secret>) -> Self {
        Self {
            url: url.into(),
            vhost: None,
            exchange: empty(),
            routing_key: event_type(),
            format: Format::default(),
            mandatory: true,
            persistent: true,
            pipeline: true,
            timeout: patience(),
            ca_file: None,
            client_cert_file: None,
            client_key_file: None,
            declare: Declare::default(),
        }
    }

    pub(super) fn pace(&self) -> Pace {
        match (self.pipeline, self.mandatory) {
            (false, _) => Pace::OneByOne,
            (true, true) => Pace::KnownRoutes,
            (true, false) => Pace::Everything,
        }
    }
}

impl Declare {
    pub(super) fn is_empty(&self) -> bool {
        self.exchanges.is_empty() && self.queues.is_empty()
    }

    /// Names are short strings in AMQP.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let exchanges = self.exchanges.iter().map(|exchange| ("declare.exchanges", &exchange.name));
        let queues = self.queues.iter().map(|queue| ("declare.queues", &queue.name));
        let bindings = self.queues.iter().flat_map(|queue| &queue.bindings);
        let bound = bindings.flat_map(|binding| [&binding.exchange, &binding.routing_key]);
        let mut names = exchanges.chain(queues).chain(bound.map(|name| ("declare.queues", name)));
        match names.find(|(_, name)| name.len() > 255) {
            Some((setting, _)) => Err(Problem::new(setting, "has a name of more than 255 bytes: shorten it")),
            None => Ok(()),
        }
    }
}

fn yes() -> bool {
    true
}

fn topic() -> String {
    "topic".into()
}

fn empty() -> Template {
    Template::literal("")
}

fn event_type() -> Template {
    Template::of(Field::EventType)
}

/// Shorter than a destination's own timeout, which would cost an attempt.
fn patience() -> Duration {
    Duration::from_secs(10)
}
