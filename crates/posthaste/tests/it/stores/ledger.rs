//! A destination that writes down what arrives.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use posthaste::journal::Position;
use posthaste::sink::{Error, Outcome, Run, Sink};
use uuid::Uuid;

/// Longest wait for something that must happen, on a machine that is busy with other things.
pub(super) const DEADLINE: Duration = Duration::from_secs(120);

/// An event about an order. Numbers count from zero within an order, without gaps.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Event {
    pub(super) id: Uuid,
    pub(super) order: String,
    pub(super) number: i64,
}

/// Clones are the same ledger.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger(Arc<Mutex<Arrivals>>);

#[derive(Debug, Default)]
struct Arrivals {
    /// Each one when it came for the first time, in the order of their coming.
    first: Vec<Event>,
    /// Where each of those stood.
    positions: Vec<Position>,
    seen: HashSet<Uuid>,
    repeats: usize,
}

impl Ledger {
    fn arrivals(&self) -> MutexGuard<'_, Arrivals> {
        self.0.lock().unwrap()
    }

    /// How many different events arrived.
    pub(super) fn count(&self) -> usize {
        self.arrivals().first.len()
    }

    pub(super) fn has(&self, id: Uuid) -> bool {
        self.arrivals().seen.contains(&id)
    }

    pub(super) fn repeats(&self) -> usize {
        self.arrivals().repeats
    }

    /// Waits until so many different events have arrived.
    pub(super) async fn until_count(&self, count: usize) {
        let begun = Instant::now();
        while self.count() < count {
            assert!(begun.elapsed() < DEADLINE, "only {} of {count} arrived", self.count());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until all of these have arrived.
    pub(super) async fn until_all(&self, committed: &[Event]) {
        let begun = Instant::now();
        let missing = || committed.iter().filter(|event| !self.has(event.id)).count();
        while missing() > 0 {
            assert!(begun.elapsed() < DEADLINE, "{} of {} never arrived", missing(), committed.len());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Exactly these arrived, and the events of each order in their order when they came for the first time.
    pub(super) fn assert_has_exactly(&self, committed: &[Event]) {
        let arrivals = self.arrivals();
        let arrived: HashSet<&Event> = arrivals.first.iter().collect();
        let lost: Vec<&Event> = committed.iter().filter(|event| !arrived.contains(event)).collect();
        assert!(lost.is_empty(), "{} lost, such as {:?}", lost.len(), lost[0]);
        assert_eq!(arrived.len(), committed.len(), "nothing arrived that was not committed");
        assert_in_order(arrivals.first.iter());
    }

    /// All of these arrived, and in their order. Others may have arrived, of transactions that are gone.
    pub(super) fn assert_has_all(&self, committed: &[Event]) {
        let arrivals = self.arrivals();
        let lost: Vec<&Event> = committed.iter().filter(|event| !arrivals.seen.contains(&event.id)).collect();
        assert!(lost.is_empty(), "{} lost, such as {:?}", lost.len(), lost[0]);
        let kept: HashSet<Uuid> = committed.iter().map(|event| event.id).collect();
        assert_in_order(arrivals.first.iter().filter(|event| kept.contains(&event.id)));
    }

    /// Whether the positions of what arrived for an order only grow, so that a consumer may leave out what is behind.
    pub(super) fn positions_grow(&self) -> bool {
        let arrivals = self.arrivals();
        let mut newest: HashMap<&str, Position> = HashMap::new();
        arrivals.first.iter().zip(&arrivals.positions).all(|(event, position)| {
            let before = newest.insert(&event.order, *position).unwrap_or_default();
            before < *position
        })
    }
}

fn assert_in_order<'a>(events: impl Iterator<Item = &'a Event>) {
    let mut next: HashMap<&str, i64> = HashMap::new();
    for event in events {
        let next = next.entry(&event.order).or_default();
        assert_eq!(event.number, *next, "order {}: the events are not in order", event.order);
        *next += 1;
    }
}

#[async_trait]
impl Sink for Ledger {
    async fn deliver(&self, run: &Run) -> Outcome {
        let mut arrivals = self.arrivals();
        for delivery in &run.deliveries {
            let message = &delivery.message;
            let number = str::from_utf8(&message.payload).unwrap().parse().unwrap_or_default();
            let event = Event { id: message.id.0, order: message.aggregate_id.to_string(), number };
            if arrivals.seen.insert(event.id) {
                arrivals.first.push(event);
                arrivals.positions.push(delivery.position);
            } else {
                arrivals.repeats += 1;
            }
        }
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}
