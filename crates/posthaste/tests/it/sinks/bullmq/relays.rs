//! Jobs that outlast their relay: a stop does not wait for them, and whoever comes next waits for the same job.

use std::sync::Arc;
use std::time::Duration;

use posthaste::destination::Destination;
use posthaste::journal::WorkerId;
use posthaste::relay::Settings;
use posthaste::retry::{Backoff, Policy};
use posthaste::stores::memory::Memory;
use posthaste::{Message, Relay};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::sink;
use super::workers::Workers;
use crate::servers::redis::Server;

/// A running relay, and the way to stop it.
struct Running {
    relay: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Running {
    #[expect(clippy::disallowed_methods, reason = "the test waits for it")]
    fn start(store: &Memory, server: &Server, name: &str, timeout: Duration) -> Self {
        let policy = Policy { backoff: Backoff::List(vec![Duration::ZERO]), ..Policy::default() };
        let destination = Destination::new("payments").policy(policy).max_run(1).timeout(timeout);
        let settings = Settings {
            worker: WorkerId(name.into()),
            lease_ttl: Duration::from_secs(2),
            stop_timeout: Duration::from_secs(3600),
            ..Settings::default()
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let relay = Relay::builder(Arc::new(store.clone()))
            .settings(settings)
            .destination(destination, Arc::new(sink(&server.url(), "outbox-{destination}")))
            .build();
        let relay = tokio::spawn(async move {
            let until = async { stopped.await.unwrap_or(()) };
            relay.run(until).await.unwrap();
        });
        Self { relay, stop }
    }

    async fn stop(self) {
        let _ = self.stop.send(());
        let stopped = tokio::time::timeout(Duration::from_secs(60), self.relay).await;
        stopped.expect("a stop does not wait for a job").unwrap();
    }
}

fn enqueue(store: &Memory, payloads: &[Value]) {
    let mut transaction = store.begin();
    let message =
        |payload: &Value| Message::builder("payment.completed.v1", "payment", "1").json(payload).build().unwrap();
    transaction.enqueue(&payloads.iter().map(message).collect::<Vec<_>>());
    transaction.commit();
}

async fn workers(server: &Server) -> Workers {
    tokio::task::block_in_place(|| Workers::of(&server.full_url(), "bullmq", "outbox-payments").start())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_does_not_wait_for_a_job_and_the_next_relay_waits_for_the_same_one() {
    let (server, store) = (Server::of("redis", &[]), Memory::new());
    let workers = workers(&server).await;
    enqueue(&store, &[json!({ "do": "hold" }), json!({})]);
    for name in ["first", "second"] {
        let relay = Running::start(&store, &server, name, Duration::from_secs(600));
        tokio::task::block_in_place(|| workers.wait_for("begin", 1));
        relay.stop().await;
    }
    assert_eq!(workers.messages("begin").len(), 1, "nothing was added, and the key waits");
    let relay = Running::start(&store, &server, "third", Duration::from_secs(600));
    workers.let_go();
    tokio::task::block_in_place(|| workers.wait_for("end", 2));
    relay.stop().await;
    assert_eq!(workers.messages("begin").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_takes_longer_than_the_timeout_is_not_added_again_while_it_runs() {
    let (server, store) = (Server::of("valkey", &[]), Memory::new());
    let workers = workers(&server).await;
    enqueue(&store, &[json!({ "do": "hold" }), json!({})]);
    let relay = Running::start(&store, &server, "hasty", Duration::from_millis(300));
    tokio::task::block_in_place(|| workers.wait_for("begin", 1));
    // Some attempts end meanwhile, each after the time that it has.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    workers.let_go();
    tokio::task::block_in_place(|| workers.wait_for("end", 2));
    relay.stop().await;
    assert_eq!(workers.messages("begin").len(), 2);
}

/// A second worker joins while a job runs: the partition of that job moves at once, and the job with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_partition_moves_to_another_relay_while_its_job_runs() {
    let (server, store) = (Server::of("redis", &[]), Memory::new());
    let workers = workers(&server).await;
    enqueue(&store, &[json!({ "do": "hold" }), json!({})]);
    let first = Running::start(&store, &server, "first", Duration::from_secs(600));
    tokio::task::block_in_place(|| workers.wait_for("begin", 1));
    let second = Running::start(&store, &server, "second", Duration::from_secs(600));
    let shared = async {
        loop {
            let held = posthaste::inspect::Inspect::overview(&store).await.unwrap();
            if held.workers.iter().filter(|worker| worker.partitions > 0).count() == 2 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), shared).await.expect("both get their share though a job runs");
    first.stop().await;
    workers.let_go();
    tokio::task::block_in_place(|| workers.wait_for("end", 2));
    second.stop().await;
    assert_eq!(workers.messages("begin").len(), 2);
}
