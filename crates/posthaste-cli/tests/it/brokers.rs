//! The real program and real brokers: it is killed, they are killed, and a consumer that knows neither counts what arrived.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::lives;
use crate::orders::{Orders, Written};
use crate::program::{Place, until, until_or};

#[cfg(all(feature = "bullmq", feature = "redis"))]
mod bullmq;
#[cfg(feature = "full")]
mod canaries;
#[cfg(feature = "kafka")]
mod kafka;
#[cfg(feature = "nats")]
mod nats;
#[cfg(feature = "rabbitmq")]
mod rabbitmq;
#[cfg(feature = "redis")]
pub(crate) mod redis;

/// How long a broker is away, and how often events are written meanwhile: longer than any time-out of a client or a destination.
const OUTAGE: Duration = Duration::from_secs(60);
const ROUNDS: u32 = 60;

/// A broker of one test.
pub trait Broker {
    /// Whether it knows what it has, and drops what comes again.
    const DROPS_REPEATS: bool;

    /// The destination's settings, as in `destinations.bus = { type = "…", … }`.
    fn destination(&self) -> String;

    /// Ids of what has arrived, in order of arrival, repeats included.
    fn arrived(&self) -> Vec<String>;

    /// As a crash does.
    fn kill(&mut self);

    fn start_again(&mut self);
}

/// Runs, windows and commits are small, so that a relay is easy to catch in the act.
fn place(broker: &impl Broker) -> Place {
    let place = Place::empty();
    let config = format!(
        "store.partitions = 4\n\
         relay = {{ lease_ttl = '1s', poll_interval = '20ms', window_messages = 50, commit_batch = 8 }}\n\
         destinations.bus = {{ max_in_flight = 8, max_run = 5, {} }}\n",
        broker.destination()
    );
    place.write("posthaste.toml", &config);
    place.run(["migrate"]).succeeds();
    place
}

fn has_all(arrived: &[String], written: &[Written]) -> bool {
    let arrived: HashSet<&str> = arrived.iter().map(String::as_str).collect();
    written.iter().all(|event| arrived.contains(event.id.as_str()))
}

/// Everything is there, each key in its order, and nothing twice where the broker sees to it.
#[track_caller]
fn assert_complete_and_in_order<B: Broker>(broker: &B, written: &[Written]) {
    let mut arrived = broker.arrived();
    if !B::DROPS_REPEATS {
        let mut seen = HashSet::new();
        arrived.retain(|id| seen.insert(id.clone()));
    }
    assert_eq!(arrived.len(), written.len(), "each once");
    let numbers: HashMap<&str, &Written> = written.iter().map(|event| (event.id.as_str(), event)).collect();
    let mut next: HashMap<&str, u64> = HashMap::new();
    for event in arrived.iter().map(|id| numbers[id.as_str()]) {
        let next = next.entry(&event.key).or_default();
        assert_eq!(event.number, *next, "of {}", event.key);
        *next += 1;
    }
}

/// A relay that is killed again and again while events are written.
fn relays_that_are_killed_lose_nothing(broker: &impl Broker) {
    const PER_ROUND: usize = 150;
    let place = place(broker);
    let mut orders = Orders::at(&place);
    orders.write(PER_ROUND);
    for round in 1..=4 {
        let mut relay = place.relay();
        std::thread::scope(|scope| {
            scope.spawn(|| orders.write(PER_ROUND));
            until("some of it has arrived", || broker.arrived().len() >= round * PER_ROUND / 2);
        });
        relay.signal("KILL");
        relay.end();
    }
    let relay = place.relay();
    until_all_arrived(&place, broker, &orders.written);
    until("everything is recorded", || lives::recorded(&place).len() == orders.written.len());
    relay.stop();
    assert_complete_and_in_order(broker, &orders.written);
    lives::assert_all_well(&place, &orders.written);
}

/// Waits until the broker has everything; says what became of the first message that it lacks, if it waits in vain.
#[track_caller]
fn until_all_arrived(place: &Place, broker: &impl Broker, written: &[Written]) {
    let all = || has_all(&broker.arrived(), written);
    until_or(all, || {
        let arrived = broker.arrived();
        let missing: Vec<&Written> = written.iter().filter(|event| !arrived.contains(&event.id)).collect();
        let first = missing.first().map(|event| place.run(["show", &event.id]).stdout).unwrap_or_default();
        format!("{} of {} never arrived; the first of them:\n{first}", missing.len(), written.len())
    });
}

fn pending(place: &Place) -> u64 {
    place.json(["status"])["destinations"][0]["pending"].as_u64().unwrap()
}

/// A broker that is killed while events are written, and comes back.
#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
fn an_outage_spends_no_attempt_and_loses_nothing<B: Broker>(broker: &mut B) {
    let place = place(broker);
    let mut orders = Orders::at(&place);
    let relay = place.relay();
    orders.write(100);
    until("some of it has arrived", || broker.arrived().len() >= 20);
    broker.kill();
    for _ in 0..ROUNDS {
        orders.write(20);
        std::thread::sleep(OUTAGE / ROUNDS);
    }
    let waiting = pending(&place);
    broker.start_again();
    let back = Instant::now();
    until("delivery goes on", || pending(&place) < waiting);
    println!("delivered again {} ms after the broker was back", back.elapsed().as_millis());
    orders.write(100);
    until_all_arrived(&place, broker, &orders.written);
    until("everything is recorded", || lives::recorded(&place).len() == orders.written.len());
    relay.stop();
    assert_complete_and_in_order(broker, &orders.written);
    lives::assert_all_well(&place, &orders.written);
}
