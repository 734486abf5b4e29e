//! Jobs of BullMQ: messages through a relay, against a producer in Node with the same workers. See `xtask/src/bench.rs`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use posthaste::relay::Settings;
use posthaste::sink::template::Template;
use posthaste::sinks::bullmq::{self, Bullmq};
use posthaste::stores::memory::Memory;
use posthaste::{Destination, Message, Relay};

const JOBS: usize = 10_000;
/// As many as the producer in Node has.
const IN_FLIGHT: usize = 1_000;

#[tokio::main(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the last line is the result")]
async fn main() {
    let case = std::env::args().skip(1).find(|arg| !arg.starts_with("--")).unwrap_or_default();
    let queue = format!("bench-{}", uuid::Uuid::now_v7().simple());
    let worker = Worker::start(&queue);
    let per_second = match case.as_str() {
        "jobs-bare" => bare(&queue),
        "jobs" => relayed(&queue).await,
        other => panic!("no case is called {other:?}"),
    };
    drop(worker);
    println!("{per_second}");
}

fn port() -> String {
    let path = format!("{}/../../target/services/valkey/address", env!("CARGO_MANIFEST_DIR"));
    let address = std::fs::read_to_string(path).expect("missing: cargo xtask services up valkey");
    address.trim().rsplit(':').next().expect("an address has a port").to_owned()
}

fn node(what: &str, queue: &str) -> Command {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut node = Command::new("node");
    node.env("NODE_PATH", here.join("../../target/clients/node_modules"));
    node.arg(here.join("benches/bullmq/jobs.cjs")).args([what, &port(), queue]);
    node
}

/// A process that does the jobs; it ends with the benchmark.
struct Worker(Child);

impl Worker {
    fn start(queue: &str) -> Self {
        let mut worker = node("work", queue).stdout(Stdio::piped()).spawn().expect("missing: cargo xtask clients");
        let output = worker.stdout.take().expect("it is piped");
        BufReader::new(output).lines().next().expect("the worker is ready").expect("it can be read");
        Self(worker)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn bare(queue: &str) -> f64 {
    let output = node("produce", queue).arg(JOBS.to_string()).output().expect("missing: cargo xtask clients");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
}

/// Messages of many keys, so that order holds nobody up.
fn messages() -> Vec<Message> {
    let payload = vec![b'x'; 500];
    let one = |n: usize| {
        let order = Message::builder("order.created", "order", n.to_string()).payload(payload.clone(), "text/plain");
        order.build().expect("the message is valid")
    };
    (0..JOBS).map(one).collect()
}

async fn relayed(queue: &str) -> f64 {
    let store = Memory::new();
    let mut transaction = store.begin();
    transaction.enqueue(&messages());
    transaction.commit();
    let url = format!("redis://127.0.0.1:{}", port());
    let sink = Bullmq::new(bullmq::Settings::queue(url, Template::literal(queue))).expect("the settings are good");
    let destination = Destination::new("jobs").max_in_flight(IN_FLIGHT).max_run(1);
    let builder = Relay::builder(Arc::new(store)).settings(Settings::default());
    let relay = builder.destination(destination, Arc::new(sink)).build();
    let monitor = relay.monitor();
    let begun = Instant::now();
    let all = async move {
        while monitor.snapshot().destinations.first().is_none_or(|seen| seen.delivered < JOBS as u64) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    relay.run(all).await.expect("the relay ends well");
    JOBS as f64 / begun.elapsed().as_secs_f64()
}
