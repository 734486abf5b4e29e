//! MongoDB: enqueue, drain and latency, beside the outbox that most projects write: claim a batch by its status, then publish and mark
//! each event in a transaction. Called by `cargo xtask bench mongodb`, a case at a time, which also starts the server.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that measures, and stops when it cannot")]

use std::time::Instant;

mod claim;
mod database;
mod relay;
#[path = "../common/runtime.rs"]
mod runtime;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MESSAGES: usize = 20_000;
/// What the loop by hand claims at a time.
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
        "enqueue-1" => database::enqueue_rate(1).await.into(),
        "enqueue-500" => database::enqueue_rate(500).await.into(),
        "drain" => relay::drain_rate(true).await.into(),
        "drain-unstamped" => relay::drain_rate(false).await.into(),
        "drain-claim" => claim::drain_rate().await.into(),
        "latency-ms" => relay::latency().await,
        _ => return None,
    })
}

/// Messages per second since then.
fn rate(messages: usize, since: Instant) -> f64 {
    messages as f64 / since.elapsed().as_secs_f64()
}
