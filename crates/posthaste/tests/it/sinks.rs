//! The sink suite on every sink, and on sinks that are wrong on purpose.

mod handlers;
mod handlers_behind_a_relay;
mod planted;
mod stdout;
#[cfg(feature = "webhook")]
mod webhook;
