//! What can be set.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::encode::BODY;
use super::names::{ChannelRule, StreamRule};
use crate::Secret;
use crate::duration;
use crate::sink::format::Format;
use crate::sink::redis_client::{Address, Sentinel};
use crate::sink::settings::{Problem, Tls, Urls};
use crate::sink::template::Template;

/// Where to, and what it looks like there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// `redis://user:password@host:6379/0`, `rediss://…` for TLS, `redis+unix:///path`. Several for a cluster or for sentinels.
    pub url: Urls,
    /// Whether the addresses are nodes of a cluster.
    #[serde(default)]
    pub cluster: bool,
    /// Given, the addresses are those of sentinels.
    #[serde(default)]
    pub sentinel: Option<Sentinel>,
    /// Certificates to trust in place of those of the system, and our own.
    #[serde(default)]
    pub tls: Option<Tls>,
    /// The stream that a message is appended to.
    #[serde(default)]
    pub stream: Option<Template>,
    /// More fields of the stream's entries, by name.
    #[serde(default)]
    pub fields: BTreeMap<String, Template>,
    /// About how long a stream may become; the oldest entries go.
    #[serde(default)]
    pub max_length: Option<u64>,
    /// The channel that a message is published to.
    #[serde(default)]
    pub channel: Option<Template>,
    /// Whether a channel alone will do: what is published while nobody listens is lost.
    #[serde(default)]
    pub allow_lossy: bool,
    /// What a message looks like there.
    #[serde(default)]
    pub format: Format,
    /// A larger message is rejected. Redis hangs up on one that is larger than its `proto-max-bulk-len`.
    #[serde(default = "half_a_gibibyte")]
    pub max_message_bytes: usize,
    /// How long it is known what was appended to a stream, after the last message of a key.
    #[serde(default = "ten_minutes", with = "duration")]
    pub repeats_known_for: Duration,
    /// So many replicas must have a message before it counts as delivered.
    #[serde(default)]
    pub wait_replicas: u32,
    /// How long they may take.
    #[serde(default = "two_seconds", with = "duration")]
    pub wait_timeout: Duration,
    /// A server that takes longer to accept a connection is out of reach.
    #[serde(default = "five_seconds", with = "duration")]
    pub connect_timeout: Duration,
    /// A server that takes longer to answer is out of reach.
    #[serde(default = "ten_seconds", with = "duration")]
    pub response_timeout: Duration,
}

impl Settings {
    /// Appends to one stream of one server.
    pub fn stream(url: impl Into<Secret>, stream: Template) -> Self {
        Self {
            url: Urls::One(url.into()),
            cluster: false,
            sentinel: None,
            tls: None,
            stream: Some(stream),
            fields: BTreeMap::new(),
            max_length: None,
            channel: None,
            allow_lossy: false,
            format: Format::default(),
            max_message_bytes: half_a_gibibyte(),
            repeats_known_for: ten_minutes(),
            wait_replicas: 0,
            wait_timeout: two_seconds(),
            connect_timeout: five_seconds(),
            response_timeout: ten_seconds(),
        }
    }

    /// Where the server is.
    pub(super) fn address(&self) -> Address<'_> {
        Address {
            url: &self.url,
            cluster: self.cluster,
            sentinel: self.sentinel.as_ref(),
            tls: self.tls.as_ref(),
            connect_timeout: self.connect_timeout,
            response_timeout: self.response_timeout,
        }
    }

    /// Whether a sink can be made of them; if not, what to change.
    pub(super) fn check(&self) -> Result<(), Problem> {
        self.check_places()?;
        self.check_names()?;
        if self.repeats_known_for.is_zero() {
            return Err(Problem::new("repeats_known_for", "is zero: write at least 1s"));
        }
        if self.fields.contains_key(BODY) {
            return Err(Problem::new("fields", format!("has `{BODY}`, the name of the message itself: take another")));
        }
        if self.cluster && self.sentinel.is_some() {
            return Err(Problem::new("sentinel", "and `cluster` exclude each other: a cluster needs no sentinels"));
        }
        Ok(())
    }

    /// A stream, or a channel by somebody who knows what a channel loses.
    fn check_places(&self) -> Result<(), Problem> {
        let Settings { stream, channel, .. } = self;
        if stream.is_none() && channel.is_none() {
            return Err(Problem::new(
                "stream",
                "is missing: write a name such as \"{aggregate_type}\", or a `channel`",
            ));
        }
        if stream.is_none() && !self.allow_lossy {
            let text = "is not set, and a channel alone loses what is published while nobody listens: \
            add a `stream`, or write allow_lossy = true if that is fine";
            return Err(Problem::new("allow_lossy", text));
        }
        if stream.is_none() && self.format == Format::CloudEventsBinary {
            return Err(Problem::new(
                "format",
                "cannot be cloudevents-binary without a stream: a channel has no headers",
            ));
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), Problem> {
        let Settings { stream, channel, .. } = self;
        let checked = |setting, checked: Option<Result<(), String>>| match checked {
            Some(Err(why)) => Err(Problem::new(setting, format!("makes a name that {why}"))),
            _ => Ok(()),
        };
        checked("stream", stream.as_ref().map(|template| template.check(&StreamRule)))?;
        checked("channel", channel.as_ref().map(|template| template.check(&ChannelRule)))
    }
}

fn half_a_gibibyte() -> usize {
    512 << 20
}

fn ten_minutes() -> Duration {
    Duration::from_secs(600)
}

fn two_seconds() -> Duration {
    Duration::from_secs(2)
}

fn five_seconds() -> Duration {
    Duration::from_secs(5)
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}
