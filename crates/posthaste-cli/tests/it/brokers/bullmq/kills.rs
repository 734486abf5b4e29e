//! Workers, the server and relays are killed while jobs are done: no job is lost, none runs twice unless its worker died in the middle of
//! it, and each key keeps its order.
//!
//! `POSTHASTE_KILLS=500` kills so many processes in each of the two tests below, in place of a few.

use std::collections::HashSet;

use serde_json::json;

use super::chronicle;
use super::workers::Workers;
use crate::brokers::redis::server::Server;
use crate::dice::Dice;
use crate::lives;
use crate::orders::Orders;
use crate::program::{Place, Relay, until, until_or};

const FEW_KILLS: usize = 8;
/// One relay, the server, and two workers.
const KILLS_PER_ROUND: usize = 4;
const RELAYS: usize = 2;
const WORKERS: usize = 3;
/// Where a relay aborts, in rounds in which it is not killed from outside.
const CRASH_POINTS: [&str; 4] = ["after_delivery", "before_commit", "after_commit", "after_lease"];

#[derive(Clone, Copy)]
enum Victim {
    Relay,
    Server,
    Worker,
}

struct Scene {
    place: Place,
    orders: Orders,
    server: Server,
    workers: Workers,
    relays: Vec<Relay>,
    dice: Dice,
    /// Process ids of workers.
    killed: HashSet<u64>,
    kills: usize,
}

impl Scene {
    fn new(server: &'static str, library: &'static str) -> Self {
        let server = Server::of(server, &[]);
        // Locks of the dead end soon; those of the living are extended in time even if the machine is busy.
        let options =
            json!({ "concurrency": 4, "lockDuration": 8_000, "stalledInterval": 500, "maxStalledCount": 1_000 });
        let mut workers = Workers::of(&server.full_url(), library, "outbox-bus").with(options);
        (0..WORKERS).for_each(|_| workers.add());
        let place = place(&server);
        let relays = (0..RELAYS).map(|_| place.relay()).collect();
        let orders = Orders::at(&place);
        Self { place, orders, server, workers, relays, dice: Dice(7), killed: HashSet::new(), kills: 0 }
    }

    fn round(&mut self, number: usize) {
        let mut victims = [Victim::Relay, Victim::Server, Victim::Worker, Victim::Worker];
        victims.rotate_left(self.dice.between(0, KILLS_PER_ROUND));
        for victim in victims {
            self.work_a_little();
            match victim {
                Victim::Relay => self.kill_a_relay(number),
                Victim::Server => {
                    self.server.kill();
                    self.server.start_again();
                }
                Victim::Worker => {
                    self.killed.extend(self.workers.kill_one());
                    self.workers.add();
                }
            }
            self.kills += 1;
        }
        // Messages that meet the death of relay after relay are suspected of it, so each round begins with new ones.
        self.finish_everything();
    }

    /// Until some job more has begun.
    fn work_a_little(&mut self) {
        self.orders.write(self.dice.between(10, 30));
        let begun = self.workers.messages("begin").len() + self.dice.between(1, 8);
        until("jobs are done", || self.workers.messages("begin").len() >= begun);
    }

    /// From outside, or, by turns, at a named place.
    fn kill_a_relay(&mut self, round: usize) {
        let point = CRASH_POINTS.get(round % (CRASH_POINTS.len() + 1));
        match point.filter(|_| cfg!(feature = "crash-points")) {
            Some(point) => {
                let at = format!("{point}:{}", self.dice.between(1, 4));
                let mut relay = dying_relay(&self.place, &at);
                until_or(
                    || {
                        self.orders.write(1);
                        relay.has_ended()
                    },
                    || format!("it does not die at {at}"),
                );
            }
            None => {
                let mut relay = self.relays.remove(self.dice.between(0, RELAYS));
                relay.signal("KILL");
                relay.end();
                self.relays.push(self.place.relay());
            }
        }
    }

    fn finish_everything(&self) {
        let written: HashSet<&str> = self.orders.written.iter().map(|event| event.id.as_str()).collect();
        let missing = || written.len() - self.workers.messages("end").iter().collect::<HashSet<_>>().len();
        until_or(|| missing() == 0, || format!("{} of {} jobs are not done", missing(), written.len()));
    }

    #[expect(clippy::print_stdout, reason = "a figure for the documentation, seen with --nocapture")]
    fn end(self) {
        let everything = self.orders.written.len();
        until("everything is recorded", || lives::recorded(&self.place).len() == everything);
        self.relays.into_iter().for_each(Relay::stop);
        let repeated =
            chronicle::assert_each_done_once_and_in_order(&self.workers.done(), &self.orders.written, &self.killed);
        lives::assert_all_well(&self.place, &self.orders.written);
        println!(
            "{} kills, {everything} jobs, {repeated} of them begun again after the death of their worker",
            self.kills
        );
    }
}

fn place(server: &Server) -> Place {
    let place = Place::empty();
    let config = format!(
        "store.partitions = 6\n\
         relay = {{ lease_ttl = '2s', poll_interval = '20ms', window_messages = 50, commit_batch = 8 }}\n\
         destinations.bus = {{ max_in_flight = 12, type = 'bullmq', bullmq = {{ url = '{}' }} }}\n",
        server.url()
    );
    place.write("posthaste.toml", &config);
    place.run(["migrate"]).succeeds();
    place
}

pub(super) fn dying_relay(place: &Place, at: &str) -> Relay {
    Relay::in_program(place.command().arg("run").env("POSTHASTE_CRASH_POINT", at))
}

fn processes_killed_while_jobs_are_done(server: &'static str, library: &'static str) {
    let kills = std::env::var("POSTHASTE_KILLS").map_or(FEW_KILLS, |kills| kills.parse().expect("a number of kills"));
    let mut scene = Scene::new(server, library);
    for round in 0..kills.div_ceil(KILLS_PER_ROUND) {
        scene.round(round);
    }
    scene.end();
}

#[test]
fn killed_workers_servers_and_relays_lose_no_job_and_repeat_only_what_a_worker_died_of() {
    processes_killed_while_jobs_are_done("redis", "bullmq");
}

#[test]
fn killed_workers_servers_and_relays_lose_no_job_and_repeat_only_what_a_worker_died_of_with_the_major_before() {
    processes_killed_while_jobs_are_done("valkey", "bullmq5");
}
