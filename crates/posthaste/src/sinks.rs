//! Ways out. Each implements `Sink` and names nothing but the vocabulary and that port.
//!
//! Those that have names and headers share [`template`], [`format`](mod@format) and [`settings`].

pub mod format;
#[cfg(feature = "handlers")]
pub mod handlers;
#[cfg(feature = "kafka")]
pub mod kafka;
#[cfg(any(feature = "kafka", feature = "nats", feature = "rabbitmq"))]
mod known;
#[cfg(feature = "nats")]
pub mod nats;
#[cfg(feature = "rabbitmq")]
pub mod rabbitmq;
#[cfg(feature = "redis")]
pub mod redis;
pub mod settings;
#[cfg(any(feature = "nats", feature = "redis"))]
mod shared_connection;
#[cfg(feature = "stdout")]
pub mod stdout;
pub mod template;
#[cfg(feature = "webhook")]
pub mod webhook;
