//! The real program in front of real brokers: killed in the middle and started again, and with a broker that goes and comes back.
//! What counts is what a consumer of the broker has seen.

use std::time::{Duration, Instant};

use crate::lives::{self, Printed};
use crate::orders::Orders;
use crate::program::{Place, Relay, until};
use crate::servers::Private;

#[cfg(feature = "kafka")]
mod kafka;
#[cfg(feature = "rabbitmq")]
mod rabbitmq;

/// Reads what a broker has, as any consumer would.
trait Consumer {
    /// Everything that has arrived so far, repeats included, in order for each key.
    fn arrived(&mut self) -> Vec<Printed>;
}

/// A place for relays that are easy to catch in the act.
fn place(sink: &str) -> Place {
    let place = configured(sink);
    place.run(["migrate"]).succeeds();
    place
}

fn configured(sink: &str) -> Place {
    let place = Place::empty();
    let config = format!(
        "store.partitions = 4\n\
         relay = {{ lease_ttl = '1s', poll_interval = '20ms', window_messages = 200, commit_batch = 8 }}\n\
         [destinations.out]\nmax_in_flight = 8\nmax_run = 10\n{sink}"
    );
    place.write("posthaste.toml", &config);
    place
}

fn relay(place: &Place) -> Relay {
    Relay::start(&mut place.command())
}

/// Waits until so many messages have arrived, repeats included.
#[track_caller]
fn wait_for(consumer: &mut impl Consumer, count: usize) {
    until(&format!("{count} messages have arrived"), || consumer.arrived().len() >= count);
}

/// Waits for everything, and looks whether it is as it should be.
#[track_caller]
fn finish(place: &Place, relay: Relay, orders: &Orders, consumer: &mut impl Consumer) {
    until("everything has arrived", || lives::has_all(&orders.written, &consumer.arrived()));
    relay.stop();
    lives::assert_first_deliveries_in_order(&consumer.arrived());
    lives::assert_all_well(place, &orders.written);
}

/// kill -9 in the middle, again and again.
#[track_caller]
fn killed_and_started_again(place: &Place, consumer: &mut impl Consumer) {
    let mut orders = Orders::at(place);
    for life in 1..=4 {
        orders.write(200);
        let mut relay = relay(place);
        wait_for(consumer, life * 150);
        relay.signal("KILL");
        relay.end();
    }
    orders.write(50);
    finish(place, relay(place), &orders, consumer);
}

/// The broker is killed under load and comes back later, with what it had.
#[track_caller]
fn gone_and_back(place: &Place, broker: &mut Private, consumer: impl Fn() -> Box<dyn Consumer>) {
    let mut orders = Orders::at(place);
    let relay = relay(place);
    orders.write(300);
    wait_for(&mut Boxed(consumer()), 100);
    broker.kill();
    let gone = Instant::now();
    while gone.elapsed() < Duration::from_secs(5) {
        orders.write(20);
        std::thread::sleep(Duration::from_millis(100));
    }
    until("the outage is known", || {
        place.json(["status"])["workers"][0]["report"]["destinations"][0]["outage"].is_string()
    });
    block_on(broker.restart());
    finish(place, relay, &orders, &mut Boxed(consumer()));
}

struct Boxed(Box<dyn Consumer>);

impl Consumer for Boxed {
    fn arrived(&mut self) -> Vec<Printed> {
        self.0.arrived()
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// What a consumer knows of a message.
fn printed(id: &str, key: &str, payload: &[u8]) -> Printed {
    let payload: serde_json::Value = serde_json::from_slice(payload).unwrap();
    Printed { id: id.into(), key: key.into(), number: payload["number"].as_u64().unwrap() }
}
