//! Runs to deliver.

use std::sync::Arc;

use posthaste::Message;
use posthaste::journal::Position;
use posthaste::message::Builder;
use posthaste::sink::{Delivery, Outcome, Run, Sink};

/// The `n`-th message about an order.
pub(super) fn order(id: &str, n: u64) -> Builder {
    Message::builder("order.changed", "order", id).json(&serde_json::json!({ "n": n }))
}

/// Messages `from` to `to` about an order.
pub(super) fn orders(id: &str, from: u64, to: u64) -> Vec<(u64, Message)> {
    (from..=to).map(|n| (n, order(id, n).build().unwrap())).collect()
}

/// A run of messages at these positions.
pub(super) fn run(messages: &[(u64, Message)]) -> Run {
    let delivery = |(position, message): &(u64, Message)| Delivery {
        message: Arc::new(message.clone()),
        position: Position::seq(*position),
        attempt: 1,
        progress: None,
    };
    Run { destination: "bus".into(), partition: 0, deliveries: messages.iter().map(delivery).collect() }
}

pub(super) async fn deliver(sink: &dyn Sink, messages: &[(u64, Message)]) -> Outcome {
    sink.deliver(&run(messages)).await
}

/// All of it must be confirmed.
pub(super) async fn delivered(sink: &dyn Sink, messages: &[(u64, Message)]) {
    let outcome = deliver(sink, messages).await;
    assert_eq!((outcome.confirmed, outcome.error), (messages.len(), None));
}
