//! What goes wrong in the middle of a job.

use std::collections::HashMap;
use std::sync::Arc;

use posthaste::sink::Sink;
use serde_json::json;

use super::jobs::{asking, begin, run_of};
use super::sink;
use super::workers::{LIBRARIES, Workers};
use crate::servers::redis::Server;
use crate::sinks::runs::{insist_during, orders};

/// Locks that a dead worker leaves behind end soon; those of a living one are extended in time even if the machine is busy.
fn soon_noticed() -> serde_json::Value {
    json!({ "concurrency": 16, "lockDuration": 5_000, "stalledInterval": 500 })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_whose_worker_is_killed_is_done_by_another_and_nothing_is_added() {
    for (server, library) in ["redis", "valkey"].into_iter().zip(LIBRARIES) {
        let server = Server::of(server, &[]);
        let sink = Arc::new(sink(&server.url(), "killed"));
        let mut workers = tokio::task::block_in_place(|| {
            Workers::of(&server.full_url(), library, "killed").with(soon_noticed()).start()
        });
        let message = asking(&json!({ "do": "die" }));
        let run = run_of(&message, |delivery| delivery);
        let delivering = begin(&sink, run);
        tokio::task::block_in_place(|| {
            workers.wait_for("begin", 1);
            workers.add();
        });
        let outcome = delivering.await.unwrap();
        assert_eq!((outcome.confirmed, outcome.error), (1, None), "{library}");
        assert_eq!(workers.messages("begin").len(), 2, "by the one that died, and by another");
        assert_eq!(workers.messages("end").len(), 1);
    }
}

/// BullMQ gives up on a job whose workers die again and again, and calls that an error for good. It is the outbox that decides.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_bullmq_gave_up_on_is_tried_again_by_the_outbox() {
    let server = Server::of("valkey", &[]);
    let sink = Arc::new(sink(&server.url(), "stalled"));
    let mut options = soon_noticed();
    options["maxStalledCount"] = json!(0);
    let mut workers =
        tokio::task::block_in_place(|| Workers::of(&server.full_url(), "bullmq", "stalled").with(options).start());
    let message = asking(&json!({ "do": "die" }));
    let run = run_of(&message, |delivery| delivery);
    let delivering = begin(&sink, run);
    tokio::task::block_in_place(|| {
        workers.wait_for("begin", 1);
        workers.add();
    });
    let outcome = delivering.await.unwrap();
    let error = outcome.error.unwrap();
    assert_eq!(error.verdict, posthaste::sink::Verdict::Retry, "{error}");
    let again = run_of(&message, |delivery| delivery.attempt(2).progress(outcome.progress));
    assert_eq!(sink.deliver(&again).await.error, None);
    assert_eq!(workers.messages("end").len(), 1);
}

/// Nothing is lost, nothing runs twice, and every key keeps its order: the server writes down what it does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_and_comes_back_has_every_job_done_once_and_in_order() {
    for (server, library) in ["redis", "valkey"].into_iter().zip(LIBRARIES) {
        let mut server = Server::of(server, &[]);
        let sink = sink(&server.url(), "restarted");
        let workers = tokio::task::block_in_place(|| Workers::of(&server.full_url(), library, "restarted").start());
        let keys: Vec<_> = (0..32).map(|key| orders(&format!("key-{key}"), 1, 24)).collect();
        let crash = || {
            server.kill();
            server.start_again();
        };
        insist_during(&sink, &keys, crash).await;
        let mut begun: HashMap<String, Vec<String>> = HashMap::new();
        for done in workers.done().into_iter().filter(|done| done.event == "begin") {
            begun.entry(done.key.unwrap()).or_default().push(done.message);
        }
        for messages in &keys {
            let expected: Vec<String> = messages.iter().map(|(_, message)| message.id.to_string()).collect();
            assert_eq!(begun[messages[0].1.key.as_deref().unwrap()], expected, "{library}");
        }
    }
}
