//! Queues: paused ones, one for each tenant, on a cluster, and what `posthaste check` says about them.

use posthaste::Message;
use posthaste::journal::{Partition, Position};
use posthaste::sink::{Delivery, Run, Sink};
use posthaste::sinks::bullmq::{Bullmq, Mode};
use serde_json::json;

use super::jobs::asking;
use super::workers::{LIBRARIES, Workers};
use super::{settings, sink};
use crate::servers::redis::{Reply, Server};
use crate::sinks::changed;
use crate::sinks::runs::{delivered, orders};

/// What the library itself does to a queue.
fn with_library(server: &Server, library: &str, queue: &str, call: &str) {
    let port = server.address.port();
    let script = format!(
        "const {{ Queue }} = require('{library}'); const q = new Queue('{queue}', {{ connection: {{ host: '127.0.0.1', port: {port} }} }}); \
         (async () => {{ await q.waitUntilReady(); await q.{call}; await q.close(); process.exit(0); }})();"
    );
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/clients/node_modules");
    let output = std::process::Command::new("node").env("NODE_PATH", modules).args(["-e", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// In BullMQ 5 and 6 a paused queue is another thing, and a producer that knows only one of them loses jobs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_queue_loses_nothing_and_keeps_the_order() {
    for library in LIBRARIES {
        let server = Server::of("valkey", &[]);
        let settings = changed(settings(&server.url(), "paused"), |settings| settings.mode = Mode::FireAndForget);
        let sink = Bullmq::new(settings).unwrap();
        let messages = orders("1", 1, 9);
        delivered(&sink, &messages[..3]).await;
        tokio::task::block_in_place(|| with_library(&server, library, "paused", "pause()"));
        delivered(&sink, &messages[3..6]).await;
        let workers = tokio::task::block_in_place(|| {
            with_library(&server, library, "paused", "resume()");
            Workers::of(&server.full_url(), library, "paused").with(json!({ "concurrency": 1 })).start()
        });
        delivered(&sink, &messages[6..]).await;
        tokio::task::block_in_place(|| workers.wait_for("end", 9));
        let expected: Vec<String> = messages.iter().map(|(_, message)| message.id.to_string()).collect();
        assert_eq!(workers.messages("end"), expected, "{library}");
    }
}

/// A message of a queue that is paused waits, and is delivered when the queue goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_waits_until_its_queue_is_resumed() {
    for library in LIBRARIES {
        let server = Server::of("redis", &[]);
        let sink = sink(&server.url(), "paused");
        let workers = tokio::task::block_in_place(|| {
            with_library(&server, library, "paused", "pause()");
            Workers::of(&server.full_url(), library, "paused").start()
        });
        let messages = orders("1", 1, 1);
        let resume = async {
            while server.command(&["EXISTS", &format!("bull:paused:{}-bus", messages[0].1.id)]) == Reply::Number(0) {
                tokio::task::yield_now().await;
            }
            assert_eq!(workers.messages("begin").len(), 0);
            tokio::task::block_in_place(|| with_library(&server, library, "paused", "resume()"));
        };
        tokio::join!(delivered(&sink, &messages), resume);
        assert_eq!(workers.messages("end").len(), 1, "{library}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_tenant_can_have_a_queue_of_its_own() {
    let server = Server::of("redis", &[]);
    let sink = sink(&server.url(), "outbox-{destination}-{tenant|shared}");
    let queues = ["outbox-kafka-payments-acme", "outbox-kafka-payments-a%3Ab", "outbox-kafka-payments-shared"];
    let workers: Vec<_> = tokio::task::block_in_place(|| {
        queues.iter().map(|queue| Workers::of(&server.full_url(), "bullmq", queue).start()).collect()
    });
    let of_tenant = |tenant: Option<&str>| {
        let message = Message::builder("payment.completed.v1", "payment", "1");
        let message = tenant.map_or(message.clone(), |tenant| message.tenant(tenant)).build().unwrap();
        Run::new("kafka:payments", Partition::new(0), vec![Delivery::new(message, Position::seq(1))])
    };
    let runs = [Some("acme"), Some("a:b"), None].map(of_tenant);
    for (run, workers) in runs.iter().zip(&workers) {
        assert_eq!(sink.deliver(run).await.error, None);
        assert_eq!(workers.messages("end"), [run.deliveries[0].message.id.to_string()]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_keys_of_a_cluster_stay_together() {
    let server = Server::of("redis", &["--cluster-enabled", "yes"]);
    server.command(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    server.wait_until(|server| {
        let info = String::from_utf8(server.command(&["CLUSTER", "INFO"]).bytes()).unwrap();
        info.contains("cluster_state:ok")
    });
    let settings = changed(settings(&server.url(), "clustered"), |settings| {
        settings.cluster = true;
        settings.prefix = "{bull}".into();
    });
    let sink = Bullmq::new(settings).unwrap();
    let workers =
        tokio::task::block_in_place(|| Workers::of(&server.full_url(), "bullmq", "clustered").prefix("{bull}").start());
    delivered(&sink, &orders("1", 1, 20)).await;
    assert_eq!(workers.messages("end").len(), 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_names_workers_versions_and_a_server_that_forgets() {
    let server = Server::of("redis", &["--maxmemory-policy", "allkeys-lru"]);
    let sink = sink(&server.url(), "checked");
    assert_eq!(sink.check().await, Ok(()));
    let says = sink.describe().await.join("\n");
    assert!(says.contains("maxmemory-policy is allkeys-lru"), "{says}");
    assert!(says.contains("no worker is connected"), "{says}");
    server.command(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    let mut workers = tokio::task::block_in_place(|| Workers::of(&server.full_url(), "bullmq5", "checked").start());
    tokio::task::block_in_place(|| {
        workers.add();
        with_library(&server, "bullmq5", "checked", "waitUntilReady()");
    });
    // A worker names its connection some time after it is ready.
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    while sink.describe().await != ["queue checked: 2 workers, BullMQ 5.81.5"] {
        assert!(tokio::time::Instant::now() < deadline, "{:?}", sink.describe().await);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(sink.deliver(&super::jobs::run_of(&asking(&json!({})), |delivery| delivery)).await.error, None);
}
