//! Jobs of BullMQ, done by real workers in Node.

use serde_json::json;

use self::workers::{LIBRARIES, Workers};
use super::Broker;
use super::redis::server::Server;
use crate::program::{Place, until};

#[cfg(all(feature = "http", feature = "webhook"))]
mod callbacks;
mod chronicle;
mod kills;
mod steps;
#[path = "../../../../posthaste/tests/it/sinks/bullmq/workers.rs"]
#[expect(dead_code, reason = "the tests of the sink need more of it")]
mod workers;

struct Bullmq {
    server: Server,
    workers: Workers,
}

impl Bullmq {
    fn start(server: &'static str, library: &'static str) -> Self {
        let server = Server::of(server, &[]);
        // A job whose lock has ended is done again, so locks outlast the outage; but not by much, since a job that a worker took in
        // the very moment of the kill is with nobody until then.
        let options = json!({ "concurrency": 16, "lockDuration": 90_000, "stalledInterval": 5_000 });
        let workers = Workers::of(&server.full_url(), library, "outbox-bus").with(options).start();
        Self { server, workers }
    }
}

impl Broker for Bullmq {
    const DROPS_REPEATS: bool = true;

    fn destination(&self) -> String {
        format!("type = 'bullmq', bullmq = {{ url = '{}' }}", self.server.url())
    }

    fn arrived(&self) -> Vec<String> {
        self.workers.messages("begin")
    }

    fn kill(&mut self) {
        self.server.kill();
    }

    fn start_again(&mut self) {
        self.server.start_again();
    }
}

/// As others see it, and nowhere else.
#[test]
fn what_a_worker_returns_stands_in_the_timeline() {
    for library in LIBRARIES {
        let server = Server::of("redis", &[]);
        let workers = Workers::of(&server.full_url(), library, "outbox-bus").start();
        let place = Place::migrated();
        let config = format!("[destinations.bus]\ntype = 'bullmq'\nbullmq = {{ url = '{}' }}\n", server.url());
        place.write("posthaste.toml", &config);
        let relay = place.relay();
        let id = place.enqueue("order/1", ["--payload", r#"{ "returns": { "receipt": "r-70177" } }"#]);
        let silent = place.enqueue("order/1", ["--payload", "{}"]);
        let delivery = |id: &str| place.json(["show", id])["deliveries"][0].clone();
        let timeline = |id: &str| delivery(id)["timeline"].clone();
        until("both are delivered", || delivery(&silent)["status"] == "delivered");
        let replied = timeline(&id);
        assert_eq!((&replied[0]["reply"], &replied[0]["error"]), (&json!(r#"{"receipt":"r-70177"}"#), &json!(null)));
        assert_eq!(timeline(&silent), json!([]), "a worker that returns nothing costs no write");
        let shown = place.run(["show", &id]).stdout;
        assert!(shown.contains(r#"delivered: {"receipt":"r-70177"}"#), "{shown}");
        assert!(!relay.logged().contains("r-70177"), "{}", relay.logged());
        assert_eq!(workers.messages("end").len(), 2);
        relay.stop();
    }
}

#[test]
fn relays_that_are_killed_lose_and_repeat_nothing() {
    super::relays_that_are_killed_lose_nothing(&Bullmq::start("redis", "bullmq"));
}

#[test]
fn relays_that_are_killed_lose_and_repeat_nothing_with_the_major_before() {
    super::relays_that_are_killed_lose_nothing(&Bullmq::start("valkey", "bullmq5"));
}

#[test]
fn an_outage_spends_no_attempt_and_loses_nothing() {
    super::an_outage_spends_no_attempt_and_loses_nothing(&mut Bullmq::start("valkey", "bullmq"));
}
