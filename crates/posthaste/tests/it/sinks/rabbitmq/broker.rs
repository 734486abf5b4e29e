//! What the broker does as a whole: it runs short of memory, restarts, and has a limit for messages.

use std::time::Duration;

use super::consumer::{self, Consumer};
use super::ids;
use crate::servers::rabbitmq::{evaluate, write_down_queues};
use crate::servers::{Private, block_on};
use crate::sinks::key;
use posthaste::message::{Limits, Message};
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::rabbitmq::{Declare, Queue, Rabbitmq, Settings};

pub(super) const QUEUE: &str = "accounts";

/// Sends to one queue, which it makes.
fn sink(server: &Private) -> Rabbitmq {
    let mut settings = Settings::at(format!("amqp://guest:guest@{}", server.address()));
    settings.routing_key = QUEUE.parse().unwrap();
    settings.timeout = Duration::from_secs(10);
    settings.declare = declare();
    Rabbitmq::new(settings).unwrap()
}

pub(super) fn declare() -> Declare {
    let queue = Queue { name: QUEUE.into(), kind: None, durable: true, bindings: Vec::new() };
    Declare { exchanges: Vec::new(), queues: vec![queue] }
}

/// As if memory had run out, and as if there were enough again.
const SET: &str = "rabbit_alarm:set_alarm({{resource_limit, memory, node()}, []}).";
const CLEAR: &str = "rabbit_alarm:clear_alarm({resource_limit, memory, node()}).";

#[test]
fn a_broker_that_blocks_publishers_is_out_of_reach_until_it_does_not() {
    block_on(async {
        let server = Private::start("rabbitmq").await;
        let (sink, messages) = (sink(&server), key::messages("1", 30));
        key::deliver(&sink, &messages[..10]).await;
        evaluate(&server, SET);
        // The first to publish is told, the others know.
        for _ in 0..3 {
            let (confirmed, error) = key::refused(&sink, &messages[10..]).await;
            assert_eq!((confirmed, error.verdict), (0, Verdict::Unreachable));
            assert!(error.text().contains("has blocked this connection"), "{error}");
            assert_eq!(sink.check().await.unwrap_err(), error);
        }
        evaluate(&server, CLEAR);
        while sink.check().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        key::deliver_all(&sink, &messages[10..]).await;
        let consumer = Consumer::of(QUEUE, &server.address()).await;
        assert_eq!(key::first_arrivals(ids(&consumer.arrived().await)), key::ids(&messages));
    });
}

#[test]
fn a_broker_that_is_killed_and_started_again_has_everything_that_was_confirmed_in_order() {
    block_on(async {
        let mut server = Private::start("rabbitmq").await;
        let (sink, messages) = (sink(&server), key::messages("1", 2_000));
        let address = server.address();
        key::deliver(&sink, &messages[..1]).await;
        write_down_queues(&server);
        let killing = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            server.kill();
            server.restart().await;
        };
        tokio::join!(key::deliver_all(&sink, &messages[1..]), killing);
        let consumer = Consumer::of(QUEUE, &address).await;
        assert_eq!(key::first_arrivals(ids(&consumer.arrived().await)), key::ids(&messages));
    });
}

fn large(bytes: usize) -> Message {
    let limits = Limits { payload_bytes: usize::MAX, ..Default::default() };
    let builder = Message::builder("account.changed", "account", "1").limits(limits);
    builder.payload(vec![b'x'; bytes], "text/plain").build().unwrap()
}

#[test]
fn a_message_at_the_limit_of_the_broker_is_taken_and_one_over_it_is_rejected_alone() {
    block_on(async {
        let server = Private::start_with("rabbitmq", &["-rabbit", "max_message_size", "100000"]).await;
        let sink = sink(&server);
        let before = [key::messages("1", 5), vec![large(100_000)]].concat();
        key::deliver(&sink, &before).await;
        let messages = [key::messages("1", 5), vec![large(100_001)], key::messages("1", 5)].concat();
        let (confirmed, error) = key::refused(&sink, &messages).await;
        assert_eq!((confirmed, error.verdict), (5, Verdict::Reject), "{error}");
        let consumer = Consumer::of(QUEUE, &server.address()).await;
        let arrived = key::first_arrivals(ids(&consumer.arrived().await));
        assert_eq!(arrived, [key::ids(&before), key::ids(&messages[..5])].concat());
    });
}

/// The broker that all tests share is there, too.
#[test]
fn a_check_of_a_healthy_broker_succeeds() {
    block_on(async {
        let settings = Settings::at(format!("amqp://guest:guest@{}", consumer::server()));
        assert_eq!(Rabbitmq::new(settings).unwrap().check().await, Ok(()));
    });
}
