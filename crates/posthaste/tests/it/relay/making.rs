//! Messages, policies and settings with only the part that a guarantee is about left to say.

use std::time::Duration;

use posthaste::destination::Destination;
use posthaste::journal::WorkerId;
use posthaste::message::{Builder, Message, MessageId};
use posthaste::relay::Settings;
use posthaste::retry::{Backoff, Policy};

/// The event about an order, which is also its key.
pub(super) fn order(id: &str) -> Message {
    made(about(id))
}

/// As [`order`], to be completed.
pub(super) fn about(id: &str) -> Builder {
    Message::builder("order.created", "order", id)
}

pub(super) fn made(builder: Builder) -> Message {
    builder.build().expect("the message is valid")
}

/// Events of one order.
pub(super) fn orders(id: &str, count: usize) -> Vec<Message> {
    (0..count).map(|_| order(id)).collect()
}

/// Events of so many orders, taking turns.
pub(super) fn interleaved(keys: usize, each: usize) -> Vec<Message> {
    (0..each).flat_map(|_| (0..keys).map(|key| order(&format!("o-{key}")))).collect()
}

pub(super) fn ids(messages: &[Message]) -> Vec<MessageId> {
    messages.iter().map(|message| message.id).collect()
}

/// A destination that gets everything and is tried again at once.
pub(super) fn destination(name: &str) -> Destination {
    Destination::new(name).policy(at_once(10))
}

/// So many attempts, with no wait between them.
pub(super) fn at_once(max_attempts: u32) -> Policy {
    Policy { max_attempts, backoff: Backoff::List(vec![Duration::ZERO]), ..Policy::default() }
}

/// A worker that keeps what was delivered. Its lease outlasts a slow machine's pauses.
pub(super) fn settings(worker: &str) -> Settings {
    Settings {
        worker: WorkerId(worker.into()),
        stop_timeout: Duration::from_secs(5),
        retention: None,
        ..Settings::default()
    }
}
