//! What becomes of a message whose job somebody else does, with workers of both majors on both servers.

use std::sync::Arc;
use std::time::Duration;

use posthaste::Message;
use posthaste::journal::{Partition, Position};
use posthaste::sink::{Delivery, MAX_REPLY_BYTES, Outcome, Run, Sink, Verdict};
use posthaste::sinks::bullmq::{Bullmq, Mode, Payload};
use serde_json::{Value, json};

use super::workers::{LIBRARIES, Workers};
use super::{raw, settings, sink};
use crate::servers::redis::{Reply, Server};
use crate::sinks::changed;
use crate::sinks::runs::{deliver, delivered, orders};

/// A message that tells its worker what to do.
pub(super) fn asking(payload: &Value) -> Message {
    Message::builder("payment.completed.v1", "payment", "1").json(payload).build().unwrap()
}

pub(super) fn run_of(message: &Message, change: impl FnOnce(Delivery) -> Delivery) -> Run {
    Run::new("bus", Partition::new(0), vec![change(Delivery::new(message.clone(), Position::seq(1)))])
}

/// Delivers while the test does something else.
#[expect(clippy::disallowed_methods, reason = "the test waits for it")]
pub(super) fn begin(sink: &Arc<Bullmq>, run: Run) -> tokio::task::JoinHandle<Outcome> {
    let sink = sink.clone();
    tokio::spawn(async move { sink.deliver(&run).await })
}

/// The outcome of an attempt, with what the one before it left.
async fn attempt(sink: &Bullmq, message: &Message, number: u32, progress: Option<Vec<u8>>) -> Outcome {
    sink.deliver(&run_of(message, |delivery| delivery.attempt(number).progress(progress))).await
}

/// Each server with the workers of each major.
async fn everywhere(test: impl AsyncFn(&Server, &'static str)) {
    for server in ["redis", "valkey"] {
        let server = Server::of(server, &[]);
        for library in LIBRARIES {
            test(&server, library).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_delivered_when_a_worker_has_completed_its_job_and_not_before() {
    everywhere(async |server, library| {
        let workers = Workers::of(&server.full_url(), library, library);
        let sink = Arc::new(sink(&server.url(), library));
        let message = asking(&json!({ "do": "hold" }));
        let run = run_of(&message, |delivery| delivery);
        let delivering = begin(&sink, run);
        let workers = tokio::task::spawn_blocking(move || {
            let workers = workers.start();
            workers.wait_for("begin", 1);
            workers
        });
        let workers = workers.await.unwrap();
        assert!(!delivering.is_finished(), "the job is not done");
        workers.let_go();
        let outcome = delivering.await.unwrap();
        assert_eq!((outcome.confirmed, outcome.error), (1, None));
        assert_eq!(workers.messages("end"), [message.id.to_string()]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_is_tried_again_when_the_outbox_says_so_and_a_refusal_is_final() {
    everywhere(async |server, library| {
        let workers = Workers::of(&server.full_url(), library, library).start();
        let sink = sink(&server.url(), library);
        let message = asking(&json!({ "do": "fail", "why": "the account is locked", "times": 2 }));
        let mut progress = None;
        for number in 1..=2 {
            let outcome = attempt(&sink, &message, number, progress).await;
            let error = outcome.error.unwrap();
            assert_eq!(error.verdict, Verdict::Retry);
            assert!(error.text().contains("the account is locked"), "{error}");
            progress = outcome.progress;
        }
        let outcome = attempt(&sink, &message, 3, progress).await;
        assert_eq!((outcome.confirmed, outcome.error), (1, None));
        assert_eq!(workers.messages("begin").len(), 3);

        let refused = asking(&json!({ "do": "refuse", "why": "no such account" }));
        let error = attempt(&sink, &refused, 1, None).await.error.unwrap();
        assert_eq!(error.verdict, Verdict::Reject);
        assert!(error.text().contains("no such account"), "{error}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_worker_returns_comes_back_up_to_a_bound_also_when_it_was_not_heard() {
    everywhere(async |server, library| {
        let _workers = Workers::of(&server.full_url(), library, library).start();
        let long = asking(&json!({ "returns": "ä".repeat(10_000) }));
        let (said, nothing) = (asking(&json!({ "returns": { "receipt": 7 } })), asking(&json!({})));
        for _ in 0..2 {
            let sink = sink(&server.url(), library);
            let replied = async |message| attempt(&sink, message, 1, None).await.replies;
            assert_eq!(replied(&said).await, [Some(r#"{"receipt":7}"#.to_owned())]);
            assert_eq!(replied(&nothing).await, [None]);
            let cut = replied(&long).await.pop().flatten().unwrap();
            assert!(cut.starts_with("\"ää") && (MAX_REPLY_BYTES - 1..=MAX_REPLY_BYTES).contains(&cut.len()), "{cut}");
        }
    })
    .await;
}

/// A relay died before it could record how the job ended, and the next one asks again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_ended_unheard_does_not_run_again_and_its_end_is_still_known() {
    everywhere(async |server, library| {
        let workers = Workers::of(&server.full_url(), library, library).start();
        let (completed, failed) = (asking(&json!({})), asking(&json!({ "do": "fail", "why": "no" })));
        for _ in 0..3 {
            let sink = sink(&server.url(), library);
            assert_eq!(attempt(&sink, &completed, 1, None).await.error, None);
            assert!(attempt(&sink, &failed, 1, None).await.error.unwrap().text().contains("failed: no"));
        }
        assert_eq!(workers.messages("begin").len(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_replayed_runs_once_more() {
    everywhere(async |server, library| {
        let workers = Workers::of(&server.full_url(), library, library).start();
        let sink = sink(&server.url(), library);
        let message = asking(&json!({}));
        assert_eq!(attempt(&sink, &message, 1, None).await.error, None);
        let outcome = sink.deliver(&run_of(&message, Delivery::replayed)).await;
        assert_eq!((outcome.confirmed, outcome.error), (1, None));
        assert_eq!(workers.messages("end").len(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_someone_removes_is_tried_again() {
    let server = Server::of("redis", &[]);
    let sink = Arc::new(sink(&server.url(), "removed"));
    let message = asking(&json!({}));
    let job = format!("bull:removed:{}-bus", message.id);
    let run = run_of(&message, |delivery| delivery);
    let delivering = begin(&sink, run);
    tokio::task::block_in_place(|| {
        server.wait_until(|server| server.command(&["EXISTS", &job]) == Reply::Number(1));
        server.command(&["DEL", &job]);
        server.command(&["DEL", "bull:removed:wait"]);
    });
    let error = delivering.await.unwrap().error.unwrap();
    assert_eq!(error.verdict, Verdict::Retry);
    assert!(error.text().contains("is gone from removed"), "{error}");
    let workers = tokio::task::block_in_place(|| Workers::of(&server.full_url(), "bullmq", "removed").start());
    assert_eq!(attempt(&sink, &message, 2, None).await.error, None);
    assert_eq!(workers.messages("end").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_that_are_only_to_be_left_in_the_queue_need_no_worker() {
    everywhere(async |server, library| {
        let settings = changed(settings(&server.url(), library), |settings| settings.mode = Mode::FireAndForget);
        let sink = Bullmq::new(settings).unwrap();
        let messages = orders("1", 1, 20);
        delivered(&sink, &messages).await;
        delivered(&sink, &messages).await;
        let workers = tokio::task::block_in_place(|| {
            let workers = Workers::of(&server.full_url(), library, library).with(json!({ "concurrency": 1 })).start();
            workers.wait_for("end", 20);
            workers
        });
        let expected: Vec<String> = messages.iter().map(|(_, message)| message.id.to_string()).collect();
        assert_eq!(workers.messages("end"), expected, "once each, and in order");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delay_and_a_priority_are_bullmqs_own() {
    everywhere(async |server, library| {
        let queue = format!("{library}-late");
        let waiting = |change: &dyn Fn(&mut posthaste::sinks::bullmq::Settings)| {
            let settings = changed(settings(&server.url(), &queue), |settings| {
                settings.mode = Mode::FireAndForget;
                change(settings);
            });
            Bullmq::new(settings).unwrap()
        };
        let (low, high, late) = (asking(&json!({})), asking(&json!({})), asking(&json!({})));
        let put =
            async |sink: Bullmq, message: &Message| assert_eq!(attempt(&sink, message, 1, None).await.error, None);
        put(waiting(&|settings| settings.priority = 9), &low).await;
        put(waiting(&|settings| settings.priority = 2), &high).await;
        put(waiting(&|settings| settings.delay = Duration::from_secs(2)), &late).await;
        let workers = tokio::task::block_in_place(|| {
            let workers = Workers::of(&server.full_url(), library, &queue).with(json!({ "concurrency": 1 })).start();
            workers.wait_for("end", 3);
            workers
        });
        let expected = [&high, &low, &late].map(|message| message.id.to_string());
        let mut ended = workers.messages("end");
        // On a slow machine the delay may have passed before the worker is there.
        if ended[0] == expected[2] {
            ended.rotate_left(1);
        }
        assert_eq!(ended, expected);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payload_can_stay_in_the_outbox() {
    let server = Server::of("redis", &[]);
    let workers = tokio::task::block_in_place(|| Workers::of(&server.full_url(), "bullmq", "slim").start());
    let settings = changed(settings(&server.url(), "slim"), |settings| settings.payload = Payload::None);
    let sink = Bullmq::new(settings).unwrap();
    assert_eq!(deliver(&sink, &orders("1", 1, 1)).await.error, None);
    let job = workers.done()[0].job.clone();
    let data: Value = serde_json::from_str(&raw::field(&server, "slim", &job, "data").unwrap()).unwrap();
    assert_eq!((data.get("payload"), &data["eventType"]), (None, &json!("order.changed")));
}
