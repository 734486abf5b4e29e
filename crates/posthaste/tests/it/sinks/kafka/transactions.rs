//! Runs as transactions.

use std::time::{Duration, Instant};

use posthaste::conformance::sink_suite::block_on;
use posthaste::message::MessageId;
use posthaste::sink::Verdict;
use posthaste::sinks::kafka::{Kafka, Settings};

use super::ids;
use super::topic::{MAX_BYTES, Topic};
use crate::servers;
use crate::sinks::key;

fn worker(topic: &Topic) -> Kafka {
    let mut settings = Settings::at(servers::address("kafka"));
    settings.topic = topic.name.parse().unwrap();
    settings.transactional_id = Some(topic.name.clone());
    Kafka::new(settings).unwrap()
}

/// What consumers see in the end. A commit is confirmed before its last marker is written, so the newest may come a moment later.
async fn committed(topic: &Topic, expected: usize) -> Vec<MessageId> {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let arrived = ids(&topic.arrived().await);
        if arrived.len() >= expected || Instant::now() > deadline {
            return arrived;
        }
    }
}

#[test]
fn a_run_is_committed_as_a_whole_and_in_order() {
    block_on(async {
        let topic = Topic::create(&[]).await;
        let (sink, messages) = (worker(&topic), key::messages("1", 60));
        for run in messages.chunks(20) {
            key::deliver(&sink, run).await;
        }
        assert_eq!(committed(&topic, messages.len()).await, key::ids(&messages));
    });
}

#[test]
fn a_worker_that_takes_a_partition_over_fences_the_one_before() {
    block_on(async {
        let topic = Topic::create(&[]).await;
        let (zombie, successor) = (worker(&topic), worker(&topic));
        let messages = key::messages("1", 30);
        key::deliver(&zombie, &messages[..10]).await;
        key::deliver(&successor, &messages[10..20]).await;
        let (confirmed, error) = key::refused(&zombie, &key::messages("1", 5)).await;
        assert_eq!((confirmed, error.verdict), (0, Verdict::Unreachable));
        key::deliver(&successor, &messages[20..]).await;
        assert_eq!(committed(&topic, messages.len()).await, key::ids(&messages));
    });
}

#[test]
fn a_refused_message_undoes_its_transaction_and_those_before_it_are_committed_each_alone() {
    block_on(async {
        let topic = Topic::create(&[]).await;
        let sink = worker(&topic);
        let mut messages = key::messages("1", 9);
        messages[4].payload = vec![b'x'; MAX_BYTES + 1].into();
        let (confirmed, error) = key::refused(&sink, &messages).await;
        assert_eq!((confirmed, error.verdict), (4, Verdict::Reject), "{error}");
        key::deliver(&sink, &messages[5..]).await;
        let expected = [key::ids(&messages[..4]), key::ids(&messages[5..])].concat();
        assert_eq!(committed(&topic, expected.len()).await, expected);
    });
}
