//! A relay dies at each step of a hand-off, and the next one takes up the same job.

use std::collections::HashSet;

use super::chronicle::assert_each_done_once_and_in_order;
use super::workers::Workers;
use crate::brokers::redis::server::{Reply, Server};
use crate::lives;
use crate::orders::Written;
use crate::program::{Place, Relay, until};

/// A job that goes on when it is let go.
const HOLD: &str = r#"{ "do": "hold" }"#;

/// A relay that is killed at some step, with workers that are none of its business.
struct HandOff {
    place: Place,
    written: Vec<Written>,
    server: Server,
    workers: Workers,
}

impl HandOff {
    /// A few messages of three keys, whose payload tells the workers what to do.
    fn of(payload: &str) -> Self {
        let server = Server::of("valkey", &[]);
        let workers = Workers::of(&server.full_url(), "bullmq", "outbox-bus");
        let place = Place::empty();
        let config = format!(
            "store.partitions = 2\nrelay = {{ lease_ttl = '1s', poll_interval = '20ms', commit_batch = 4 }}\n\
             destinations.bus = {{ type = 'bullmq', bullmq = {{ url = '{}' }} }}\n",
            server.url()
        );
        place.write("posthaste.toml", &config);
        place.run(["migrate"]).succeeds();
        let written = (0..12).map(|n| {
            let (key, number) = (format!("order/{}", n % 3), n / 3);
            Written { id: place.enqueue(&key, ["--payload", payload]), key, number }
        });
        Self { written: written.collect(), place, server, workers }
    }

    /// Jobs run, and their relay is dead.
    fn killed_while_jobs_run() -> Self {
        let mut scene = Self::of(HOLD);
        scene.workers.add();
        let relay = scene.place.relay();
        until("jobs run", || !scene.workers.messages("begin").is_empty());
        kill(relay);
        scene
    }

    /// The next relay brings everything to its end. What still runs goes on when that relay is there.
    fn finish(self) {
        let relay = self.place.relay();
        self.workers.let_go();
        let written = &self.written;
        until("everything is recorded", || lives::recorded(&self.place).len() == written.len());
        relay.stop();
        assert_eq!(assert_each_done_once_and_in_order(&self.workers.done(), written, &HashSet::new()), 0);
        lives::assert_all_well(&self.place, written);
    }
}

fn kill(mut relay: Relay) {
    relay.signal("KILL");
    relay.end();
}

#[test]
fn a_relay_that_dies_while_its_jobs_wait_leaves_them_to_the_next_one() {
    let mut scene = HandOff::of("{}");
    let relay = scene.place.relay();
    until("jobs wait", || matches!(scene.server.command(&["LLEN", "bull:outbox-bus:wait"]), Reply::Number(1..)));
    kill(relay);
    scene.workers.add();
    scene.finish();
}

#[test]
fn a_relay_that_dies_while_its_jobs_run_leaves_them_to_the_next_one() {
    HandOff::killed_while_jobs_run().finish();
}

#[test]
fn a_job_that_ends_while_no_relay_lives_does_not_run_again() {
    let scene = HandOff::killed_while_jobs_run();
    scene.workers.let_go();
    until("they end", || scene.workers.messages("recorded").len() == scene.workers.messages("begin").len());
    scene.finish();
}

#[cfg(feature = "crash-points")]
#[test]
fn a_relay_that_dies_between_the_end_of_a_job_and_its_record_has_nothing_run_again() {
    for point in ["after_delivery:3", "before_commit:2", "after_commit:2", "after_lease:1"] {
        let mut scene = HandOff::of("{}");
        scene.workers.add();
        super::kills::dying_relay(&scene.place, point).end();
        scene.finish();
    }
}
