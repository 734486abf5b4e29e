//! Where messages go, besides webhooks: brokers of the run's own, which can be killed.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::services::Server;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    Redis,
    Rabbitmq,
    Kafka,
    Nats,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Rabbitmq => "rabbitmq",
            Self::Kafka => "kafka",
            Self::Nats => "nats",
        }
    }

    /// What it takes to lose nothing that was confirmed when it is killed.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Redis => &["--appendonly", "yes", "--appendfsync", "everysec"],
            _ => &[],
        }
    }
}

#[derive(Debug)]
pub struct Broker {
    pub kind: Kind,
    pub server: Server,
}

impl Broker {
    pub fn start(kind: Kind, folder: &Path) -> Result<Self> {
        let server = Server::start(kind.name(), kind.options()).with_context(|| format!("no {}", kind.name()))?;
        Ok(Self { kind, server: server.kept_in(folder.join("servers")) })
    }

    pub fn address(&self) -> SocketAddr {
        self.server.socket_address()
    }

    /// The table of a destination at this broker, for a relay that reaches it at this address.
    pub fn destination(&self, scene: &str, relay: usize, at: SocketAddr) -> String {
        let settings = match self.kind {
            Kind::Redis => format!(
                "redis = {{ url = 'redis://{at}', stream = '{scene}', fields = {{ relay = 'relay-{relay}' }}, \
                 connect_timeout = '1s', response_timeout = '2s' }}"
            ),
            Kind::Rabbitmq => format!(
                "rabbitmq = {{ url = 'amqp://guest:guest@{at}', exchange = '', routing_key = '{scene}', timeout = '2s' }}"
            ),
            Kind::Kafka => format!("kafka = {{ brokers = '{at}', topic = '{scene}', timeout = '4s' }}"),
            Kind::Nats => format!(
                "nats = {{ url = 'nats://{at}', subject = '{scene}.{{event_type}}', connect_timeout = '1s', response_timeout = '2s' }}"
            ),
        };
        format!("type = '{}'\n{settings}\n", self.kind.name())
    }

    /// What a consumer is told.
    pub fn consumer(&self, scene: &str, record: &Path) -> Value {
        let at = self.address();
        let consumer = match self.kind {
            Kind::Redis => json!({ "type": "redis", "address": at, "stream": scene }),
            Kind::Rabbitmq => {
                json!({ "type": "rabbitmq", "url": format!("amqp://guest:guest@{at}"), "queue": scene })
            }
            Kind::Kafka => json!({ "type": "kafka", "brokers": at, "topic": scene }),
            Kind::Nats => json!({
                "type": "nats", "url": format!("nats://{at}"), "stream": scene, "subjects": format!("{scene}.>"),
            }),
        };
        json!({ "role": "consumer", "consumer": consumer, "record": record })
    }
}
