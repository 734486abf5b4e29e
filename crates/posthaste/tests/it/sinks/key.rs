//! Messages of one key, and delivering them as an engine would.

use std::time::Duration;

use posthaste::journal::{Partition, Position};
use posthaste::message::{Message, MessageId};
use posthaste::sink::{Delivery, Error, Run, Sink, Verdict};

/// So many messages about one account.
pub(crate) fn messages(account: &str, count: usize) -> Vec<Message> {
    let message = |n| Message::builder("account.changed", "account", account).json(&serde_json::json!({ "n": n }));
    (0..count).map(|n| message(n).build().unwrap()).collect()
}

pub(crate) fn ids(messages: &[Message]) -> Vec<MessageId> {
    messages.iter().map(|message| message.id).collect()
}

pub(crate) fn run(messages: &[Message]) -> Run {
    let delivery = |(n, message): (usize, &Message)| Delivery::new(message.clone(), Position::seq(n as u64 + 1));
    Run::new("it", Partition::new(0), messages.iter().enumerate().map(delivery).collect())
}

/// Delivers a run that must be confirmed as a whole.
pub(crate) async fn deliver(sink: &dyn Sink, messages: &[Message]) {
    let outcome = sink.deliver(&run(messages)).await;
    assert_eq!((outcome.confirmed, outcome.error), (messages.len(), None));
}

/// Delivers a run that must not, and returns how far it got and why.
pub(crate) async fn refused(sink: &dyn Sink, messages: &[Message]) -> (usize, Error) {
    let outcome = sink.deliver(&run(messages)).await;
    (outcome.confirmed, outcome.error.expect("not all is confirmed"))
}

/// In runs of up to a hundred, each time from the first that was not confirmed on. Nothing but an outage may happen.
pub(crate) async fn deliver_all(sink: &dyn Sink, messages: &[Message]) {
    let mut confirmed = 0;
    while confirmed < messages.len() {
        let rest = &messages[confirmed..];
        let outcome = sink.deliver(&run(&rest[..rest.len().min(100)])).await;
        confirmed += outcome.confirmed;
        if let Some(error) = outcome.error {
            assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Each once, where it came first.
pub(crate) fn first_arrivals(ids: impl IntoIterator<Item = MessageId>) -> Vec<MessageId> {
    let mut seen = std::collections::HashSet::new();
    ids.into_iter().filter(|id| seen.insert(*id)).collect()
}
