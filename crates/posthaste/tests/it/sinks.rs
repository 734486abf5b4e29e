//! The sink suite on every sink, and on sinks that are wrong on purpose.

#[cfg(feature = "bullmq")]
mod bullmq;
#[cfg(any(
    feature = "email",
    feature = "kafka",
    feature = "kurrentdb",
    feature = "nats",
    feature = "rabbitmq",
    feature = "redis"
))]
pub(crate) mod certificates;
#[cfg(feature = "email")]
mod email;
#[cfg(any(feature = "email", feature = "slack", feature = "sms"))]
mod everything;
mod handlers;
mod handlers_behind_a_relay;
#[cfg(feature = "kafka")]
pub(crate) mod kafka;
#[cfg(any(
    feature = "bullmq",
    feature = "email",
    feature = "kafka",
    feature = "nats",
    feature = "rabbitmq",
    feature = "redis",
    feature = "webhook"
))]
mod key;
#[cfg(feature = "nats")]
mod nats;
#[cfg(any(feature = "bullmq", feature = "kafka", feature = "nats", feature = "rabbitmq", feature = "redis"))]
mod order;
mod planted;
#[cfg(feature = "rabbitmq")]
mod rabbitmq;
#[cfg(feature = "redis")]
mod redis;
#[cfg(any(
    feature = "bullmq",
    feature = "email",
    feature = "kafka",
    feature = "nats",
    feature = "rabbitmq",
    feature = "redis",
    feature = "webhook"
))]
mod runs;
#[cfg(feature = "slack")]
mod slack;
#[cfg(feature = "sms")]
mod sms;
mod stdout;
#[cfg(any(
    feature = "email",
    feature = "kafka",
    feature = "nats",
    feature = "rabbitmq",
    feature = "redis",
    feature = "webhook"
))]
mod vanished;
#[cfg(feature = "webhook")]
pub(crate) mod webhook;

/// Settings that differ from others in what `change` does to them.
#[cfg(any(
    feature = "bullmq",
    feature = "email",
    feature = "nats",
    feature = "rabbitmq",
    feature = "redis",
    feature = "slack",
    feature = "sms",
    feature = "webhook"
))]
fn changed<S>(mut settings: S, change: impl FnOnce(&mut S)) -> S {
    change(&mut settings);
    settings
}
