//! Workers that say themselves what became of their jobs.

use serde_json::json;

use super::Bullmq;
use super::workers::{LIBRARIES, Workers};
use crate::brokers::redis::server::Server;
use crate::callbacks::{self, Receiver, SETTLER};
use crate::http::address;
use crate::program::until;

impl Bullmq {
    /// Jobs that are only left in the queue, with a worker that begins them at once.
    fn left_alone(server: &'static str, library: &'static str) -> Self {
        let server = Server::of(server, &[]);
        let workers = Workers::of(&server.full_url(), library, "outbox-crm").start();
        Self { server, workers }
    }
}

impl Receiver for Bullmq {
    fn settings(&self) -> String {
        let table = format!("url = '{}'\nmode = 'fire-and-forget'\n", self.server.url());
        format!("type = 'bullmq'\n[destinations.crm.bullmq]\n{table}")
    }

    fn hand_overs(&self) -> Vec<String> {
        self.workers.done().into_iter().filter(|done| done.event == "begin").filter_map(|done| done.hand_over).collect()
    }
}

#[test]
fn a_job_that_is_left_in_the_queue_is_delivered_when_its_worker_calls_back() {
    callbacks::a_message_is_delivered_when_its_receiver_calls_back(&Bullmq::left_alone("redis", "bullmq"));
    callbacks::a_message_is_delivered_when_its_receiver_calls_back(&Bullmq::left_alone("valkey", "bullmq5"));
}

/// Each hand-over is a job of its own: the one before may have been completed, with a failure for its answer.
#[test]
fn what_fails_or_is_not_answered_is_handed_over_again() {
    callbacks::what_fails_or_is_not_answered_is_handed_over_again(&Bullmq::left_alone("redis", "bullmq"));
    callbacks::what_fails_or_is_not_answered_is_handed_over_again(&Bullmq::left_alone("valkey", "bullmq5"));
}

/// The worker itself says so, from within its job: first that it failed, then that all is well.
#[test]
fn a_worker_calls_back_over_http_what_became_of_its_job() {
    for library in LIBRARIES {
        let bullmq = Bullmq::left_alone("redis", library);
        let place = callbacks::place(&bullmq, "1h");
        let relay = place.relay();
        let payload = json!({ "do": "settle", "api": address(&relay), "token": SETTLER, "says": ["failed", "sent"] });
        let id = place.enqueue("order/1", ["--payload", &payload.to_string()]);
        until("it is delivered", || callbacks::status(&place, &id) == "delivered");
        let shown = place.json(["show", &id]);
        let timeline = shown["deliveries"][0]["timeline"].as_array().unwrap();
        let errors: Vec<_> = timeline.iter().map(|attempt| attempt["error"].as_str()).collect();
        assert_eq!(errors, [Some("said by the worker"), None], "{library}");
        assert_eq!(bullmq.hand_overs().len(), 2, "{library}");
        relay.stop();
    }
}
