//! Runs to deliver.

use std::time::Duration;

use futures_util::future::join_all;
use posthaste::Message;
use posthaste::journal::{Partition, Position};
use posthaste::message::Builder;
use posthaste::sink::{Delivery, Outcome, Run, Sink, Verdict};

/// The `n`-th message about an order.
pub(crate) fn order(id: &str, n: u64) -> Builder {
    Message::builder("order.changed", "order", id).json(&serde_json::json!({ "n": n }))
}

/// Messages `from` to `to` about an order.
pub(crate) fn orders(id: &str, from: u64, to: u64) -> Vec<(u64, Message)> {
    (from..=to).map(|n| (n, order(id, n).build().unwrap())).collect()
}

/// A run of messages at these positions.
pub(crate) fn run(messages: &[(u64, Message)]) -> Run {
    let delivery = |(position, message): &(u64, Message)| Delivery::new(message.clone(), Position::seq(*position));
    Run::new("bus", Partition::new(0), messages.iter().map(delivery).collect())
}

pub(crate) async fn deliver(sink: &dyn Sink, messages: &[(u64, Message)]) -> Outcome {
    sink.deliver(&run(messages)).await
}

/// All of it must be confirmed.
pub(crate) async fn delivered(sink: &dyn Sink, messages: &[(u64, Message)]) {
    let outcome = deliver(sink, messages).await;
    assert_eq!((outcome.confirmed, outcome.error), (messages.len(), None));
}

/// Until the sink gets through again, nothing but an outage is reported.
pub(crate) async fn insist(sink: &dyn Sink, messages: &[(u64, Message)]) {
    let mut confirmed = 0;
    while confirmed < messages.len() {
        let outcome = deliver(sink, &messages[confirmed..]).await;
        confirmed += outcome.confirmed;
        if let Some(error) = outcome.error {
            assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Delivers many keys at once, in short runs, and lets something happen when each of them has begun.
pub(crate) async fn insist_during(sink: &dyn Sink, keys: &[Vec<(u64, Message)>], event: impl FnOnce()) {
    let (started, mut begun) = tokio::sync::mpsc::channel(keys.len());
    let delivering = join_all(keys.iter().map(|messages| {
        let started = started.clone();
        async move {
            for run in messages.chunks(6) {
                insist(sink, run).await;
                let _ = started.try_send(());
            }
        }
    }));
    let happening = async {
        for _ in keys {
            begun.recv().await;
        }
        tokio::task::block_in_place(event);
    };
    tokio::join!(delivering, happening);
}
