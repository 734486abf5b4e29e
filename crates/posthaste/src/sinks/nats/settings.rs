//! What can be set.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::Secret;
use crate::duration;
use crate::sink::format::Format;
use crate::sink::settings::{Tls, Urls};
use crate::sink::template::Template;

/// Where to, and what it looks like there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// `nats://user:password@host:4222`, `nats://token@host:4222`, `tls://…` for TLS; a list for a cluster.
    pub url: Urls,
    /// The file with JWT and seed that `nsc` writes.
    #[serde(default)]
    pub credentials: Option<PathBuf>,
    /// The seed of an NKey.
    #[serde(default)]
    pub nkey: Option<Secret>,
    /// Certificates to trust beside those of the system, and our own.
    #[serde(default)]
    pub tls: Option<Tls>,
    /// The JetStream domain, if there are several.
    #[serde(default)]
    pub domain: Option<String>,
    /// The subject that a message is published to; a stream has to take it.
    pub subject: Template,
    /// Refuse to be stored by any other stream than this one.
    #[serde(default)]
    pub stream: Option<String>,
    /// Each message names the last one of its subject and is refused after any other. Wants a subject for each key.
    #[serde(default)]
    pub fence: bool,
    /// What a message looks like there.
    #[serde(default)]
    pub format: Format,
    /// A server that takes longer to accept a connection is out of reach.
    #[serde(default = "five_seconds", with = "duration")]
    pub connect_timeout: Duration,
    /// A server that takes longer to acknowledge is out of reach.
    #[serde(default = "ten_seconds", with = "duration")]
    pub response_timeout: Duration,
}

impl Settings {
    /// Publishes to one server.
    pub fn new(url: impl Into<Secret>, subject: Template) -> Self {
        Self {
            url: Urls::One(url.into()),
            credentials: None,
            nkey: None,
            tls: None,
            domain: None,
            subject,
            stream: None,
            fence: false,
            format: Format::default(),
            connect_timeout: five_seconds(),
            response_timeout: ten_seconds(),
        }
    }
}

fn five_seconds() -> Duration {
    Duration::from_secs(5)
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}
