//! MySQL and MariaDB: enqueue, drain and latency, each beside the outbox that most projects write. Called by `cargo xtask bench mysql` or
//! `cargo xtask bench mariadb`, a case at a time, which also starts the server.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that measures, and stops when it cannot")]

use std::time::Instant;

mod claim;
mod database;
mod latency;
#[path = "../common/memory.rs"]
mod memory;
#[path = "../common/null.rs"]
mod null;
mod relay;
#[path = "../common/runtime.rs"]
mod runtime;
#[path = "../common/times.rs"]
mod times;
mod writing;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MESSAGES: usize = 200_000;
const BACKLOG: usize = 1_000_000;
/// What a loop by hand takes at a time.
const BATCH: usize = 500;

fn main() {
    let case = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    if let Some(figure) = runtime::runtime().block_on(measure(&case)) {
        println!("{figure}");
    }
}

/// `cargo test --benches` and `cargo bench` without a case have nothing to measure.
async fn measure(case: &str) -> Option<serde_json::Value> {
    Some(match case {
        "enqueue-vs-plain-outbox" => writing::beside_a_plain_outbox(1).await.into(),
        "enqueue-500-vs-plain-outbox" => writing::beside_a_plain_outbox(500).await.into(),
        "drain" => relay::drain_rate(false).await.into(),
        "drain-claim" => claim::drain_rate().await.into(),
        "drain-under-a-snapshot" => relay::drain_rate(true).await.into(),
        "latency-ms" => latency::of_the_relay().await,
        "latency-ms-claim" => latency::of_claims().await,
        "rss-mb-at-1m" => relay::rss_mb_at_1m().await.into(),
        _ => return None,
    })
}

/// Messages per second since then.
fn rate(messages: usize, since: Instant) -> f64 {
    messages as f64 / since.elapsed().as_secs_f64()
}
