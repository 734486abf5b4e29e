//! The worker in `clients`, as it stands there: from the outbox through BullMQ into Kafka.

use std::path::Path;
use std::process::{Child, Command};

use posthaste::Message;
use posthaste::journal::{Partition, Position};
use posthaste::sink::{Delivery, Run, Sink};
use serde_json::{Value, json};

use super::sink;
use crate::servers::{self, redis::Server};
use crate::sinks::kafka::topic::Topic;

/// The process, which ends with the test.
struct Example(Child);

impl Example {
    /// A module looks for others where it stands.
    fn start(server: &Server, topic: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let copy = root.join("target/clients/bullmq.mjs");
        std::fs::copy(root.join("clients/bullmq.mjs"), &copy).expect("missing: cargo xtask clients");
        let mut node = Command::new("node");
        node.arg(copy).args([&server.url(), "outbox-kafka-payments", &servers::address("kafka"), topic]);
        Self(node.spawn().expect("node runs"))
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_example_publishes_payments_under_the_id_of_what_they_came_from() {
    servers::block_on(async {
        let (server, topic) = (Server::of("redis", &[]), Topic::create(&[]).await);
        let _worker = Example::start(&server, &topic.name);
        let sink = sink(&server.url(), "outbox-{destination}");
        for n in 0..10 {
            let message = Message::builder("payment.completed.v1", "payment", n.to_string())
                .origin("payments", format!("evt-{n}"))
                .tenant("acme")
                .correlation_id("c-1")
                .json(&json!({ "amount": n }));
            let delivery = Delivery::new(message.build().unwrap(), Position::seq(n + 1));
            let outcome = sink.deliver(&Run::new("kafka:payments", Partition::new(0), vec![delivery])).await;
            assert_eq!(outcome.error, None);
        }
        let mut records = topic.records().await;
        records.sort_by(|one, other| one.key.cmp(&other.key));
        for (n, record) in records.iter().enumerate() {
            assert_eq!(record.key, Some(format!("evt-{n}")));
            assert_eq!(serde_json::from_slice::<Value>(&record.value).unwrap(), json!({ "amount": n }));
            assert!(record.headers.contains(&("correlationId".into(), "c-1".into())), "{record:?}");
        }
        assert_eq!(records.len(), 10);
    });
}
