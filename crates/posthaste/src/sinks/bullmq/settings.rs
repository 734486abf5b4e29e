//! What can be set.

use std::time::Duration;

use serde::Deserialize;

use super::names::QueueRule;
use crate::Secret;
use crate::duration;
use crate::sink::redis_client::{Address, Sentinel};
use crate::sink::settings::{Problem, Tls, Urls};
use crate::sink::template::Template;

/// The highest number that BullMQ takes for a priority.
const LOWEST_PRIORITY: u32 = 2_097_151;

/// When a message counts as delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// When a worker has completed its job.
    #[default]
    HandOff,
    /// When its job is in the queue.
    FireAndForget,
}

/// What of the payload a job carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Payload {
    /// All of it.
    #[default]
    Inline,
    /// Nothing: the worker fetches it by the message's id.
    None,
}

/// Which queue, and what its jobs look like.
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
    /// The queue that a message becomes a job of.
    #[serde(default = "by_destination")]
    pub queue: Template,
    /// What the names of BullMQ's keys start with; the same as that of its workers.
    #[serde(default = "bull")]
    pub prefix: String,
    /// When a message counts as delivered.
    #[serde(default)]
    pub mode: Mode,
    /// What of the payload a job carries.
    #[serde(default)]
    pub payload: Payload,
    /// Of all jobs: 1 goes first, 0 has none and goes before all others.
    #[serde(default)]
    pub priority: u32,
    /// How long workers leave a job alone.
    #[serde(default, with = "duration")]
    pub delay: Duration,
    /// How long a completed job is kept. As long as it is there, its message cannot run a second time.
    #[serde(default = "one_day", with = "duration")]
    pub keep_completed: Duration,
    /// How long a failed job is kept.
    #[serde(default = "one_week", with = "duration")]
    pub keep_failed: Duration,
    /// A larger payload is rejected.
    #[serde(default = "four_mebibytes")]
    pub max_message_bytes: usize,
    /// A server that takes longer to accept a connection is out of reach.
    #[serde(default = "five_seconds", with = "duration")]
    pub connect_timeout: Duration,
    /// A server that takes longer to answer is out of reach.
    #[serde(default = "ten_seconds", with = "duration")]
    pub response_timeout: Duration,
}

impl Settings {
    /// Jobs of one queue at one server.
    pub fn queue(url: impl Into<Secret>, queue: Template) -> Self {
        Self {
            url: Urls::One(url.into()),
            cluster: false,
            sentinel: None,
            tls: None,
            queue,
            prefix: bull(),
            mode: Mode::default(),
            payload: Payload::default(),
            priority: 0,
            delay: Duration::ZERO,
            keep_completed: one_day(),
            keep_failed: one_week(),
            max_message_bytes: four_mebibytes(),
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
        let named = self.queue.check(&QueueRule);
        named.map_err(|why| Problem::new("queue", format!("makes a name that {why}")))?;
        if self.prefix.is_empty() {
            return Err(Problem::new(
                "prefix",
                "is empty: write that of your workers, which is \"bull\" unless they say so",
            ));
        }
        if self.cluster && !has_hash_tag(&self.prefix) {
            let text = "has no part in braces, so that a cluster would scatter the keys of a queue: write \"{bull}\" here and for \
            your workers";
            return Err(Problem::new("prefix", text));
        }
        if self.cluster && self.sentinel.is_some() {
            return Err(Problem::new("sentinel", "and `cluster` exclude each other: a cluster needs no sentinels"));
        }
        if self.priority > LOWEST_PRIORITY {
            return Err(Problem::new(
                "priority",
                format!("is more than BullMQ takes: write at most {LOWEST_PRIORITY}"),
            ));
        }
        for (setting, kept) in [("keep_completed", self.keep_completed), ("keep_failed", self.keep_failed)] {
            if kept < Duration::from_secs(60) {
                let text = "is less than 1m, and a message whose job is forgotten runs again if it is sent again";
                return Err(Problem::new(setting, text));
            }
        }
        Ok(())
    }
}

/// Whether a cluster looks at a part of the name only, which is the same for all keys.
fn has_hash_tag(prefix: &str) -> bool {
    let between = prefix.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    between.is_some_and(|(tag, _)| !tag.is_empty())
}

fn by_destination() -> Template {
    Template::parse("outbox-{destination}").unwrap_or_else(|_| Template::literal("outbox"))
}

fn bull() -> String {
    "bull".into()
}

fn one_day() -> Duration {
    Duration::from_secs(86_400)
}

fn one_week() -> Duration {
    7 * one_day()
}

fn four_mebibytes() -> usize {
    4 << 20
}

fn five_seconds() -> Duration {
    Duration::from_secs(5)
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}
