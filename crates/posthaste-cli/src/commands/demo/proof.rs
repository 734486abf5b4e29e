//! The proof: what was committed against what the receivers wrote down. Pure.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use posthaste::message::MessageId;
use serde::Serialize;

use super::event::{Record, Step, is_poisoned};

/// What the writers and receivers know, each on its own.
#[derive(Debug, Default)]
pub struct Evidence {
    pub committed: Vec<Record>,
    pub rolled_back: Vec<Record>,
    /// In order of arrival.
    pub received: BTreeMap<&'static str, Vec<Record>>,
    /// By destination, as the store lists them.
    pub dead: BTreeMap<String, HashSet<MessageId>>,
}

/// The numbers that `demo --json` ends with. All of them count deliveries (message × destination), so that
/// `committed = delivered + dead + lost`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Events that were committed, times the destinations they must go to.
    pub committed: u64,
    /// Of these, how many a receiver has written down at least once.
    pub delivered: u64,
    /// Arrivals beyond the first.
    pub duplicates: u64,
    /// First arrivals that came before an earlier event of their order.
    pub order_violations: u64,
    /// Neither delivered nor dead.
    pub lost: u64,
    /// Dead, as the store lists them.
    pub dead: u64,
    /// The poisoned ones.
    pub dead_expected: u64,
    pub seconds: f64,
}

/// One destination's part of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    pub destination: &'static str,
    pub committed: u64,
    pub delivered: u64,
    pub duplicates: u64,
    pub order_violations: u64,
    pub lost: u64,
    pub dead: u64,
    pub dead_expected: u64,
    /// Dead though not poisoned, or poisoned and not dead.
    pub wrongly_dead: u64,
    /// Arrived though never committed.
    pub invented: u64,
}

#[derive(Debug)]
pub struct Proof {
    pub parts: Vec<Part>,
    pub totals: Totals,
    pub rolled_back: u64,
}

impl Proof {
    pub fn of(evidence: &Evidence, took: Duration) -> Self {
        let parts: Vec<Part> =
            evidence.received.iter().map(|(destination, received)| part(evidence, destination, received)).collect();
        let sum = |field: fn(&Part) -> u64| parts.iter().map(field).sum();
        let totals = Totals {
            committed: sum(|part| part.committed),
            delivered: sum(|part| part.delivered),
            duplicates: sum(|part| part.duplicates),
            order_violations: sum(|part| part.order_violations),
            lost: sum(|part| part.lost),
            dead: sum(|part| part.dead),
            dead_expected: sum(|part| part.dead_expected),
            seconds: (took.as_secs_f64() * 10.0).round() / 10.0,
        };
        Self { parts, totals, rolled_back: evidence.rolled_back.len() as u64 }
    }

    /// Nothing lost, nothing invented, nothing out of order, and dead are exactly the poisoned ones. Duplicates are allowed:
    /// delivery is at least once.
    pub fn holds(&self) -> bool {
        let part_holds = |part: &Part| {
            part.lost + part.order_violations + part.wrongly_dead + part.invented == 0
                && part.delivered + part.dead == part.committed
        };
        self.totals.committed > 0 && self.parts.iter().all(part_holds)
    }
}

fn part(evidence: &Evidence, destination: &'static str, received: &[Record]) -> Part {
    let none = HashSet::new();
    let dead = evidence.dead.get(destination).unwrap_or(&none);
    let committed: HashSet<MessageId> = evidence.committed.iter().map(|record| record.id).collect();
    let arrived: HashSet<MessageId> = received.iter().map(|record| record.id).collect();
    let poisoned: HashSet<MessageId> = match destination {
        "warehouse" => evidence.committed.iter().filter(|record| is_refused(record)).map(|record| record.id).collect(),
        _ => HashSet::new(),
    };
    Part {
        destination,
        committed: committed.len() as u64,
        delivered: arrived.intersection(&committed).count() as u64,
        duplicates: (received.len() - arrived.len()) as u64,
        order_violations: order_violations(received),
        lost: committed.iter().filter(|id| !arrived.contains(*id) && !dead.contains(*id)).count() as u64,
        dead: dead.len() as u64,
        dead_expected: poisoned.len() as u64,
        wrongly_dead: dead.symmetric_difference(&poisoned).count() as u64,
        invented: arrived.difference(&committed).count() as u64,
    }
}

fn is_refused(record: &Record) -> bool {
    record.step == Step::Shipped && is_poisoned(record.order)
}

/// Looks at first arrivals only: a repeat is old news that a consumer drops by its id.
fn order_violations(received: &[Record]) -> u64 {
    let mut seen = HashSet::new();
    let mut furthest: HashMap<u32, Step> = HashMap::new();
    let mut violations = 0;
    for record in received.iter().filter(|record| seen.insert(record.id)) {
        let before = furthest.insert(record.order, record.step);
        if before.is_some_and(|before| before > record.step) {
            violations += 1;
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(order: u32, step: Step) -> Record {
        Record { id: MessageId::generate(), order, step }
    }

    /// Two orders, the second poisoned, everything as it should be.
    fn sound() -> Evidence {
        let committed: Vec<Record> =
            [1, 50].into_iter().flat_map(|order| Step::ALL.map(|step| record(order, step))).collect();
        let dead = committed[5].id;
        Evidence {
            received: [("ledger", committed.clone()), ("warehouse", committed[..5].to_vec())].into(),
            dead: [("warehouse".into(), [dead].into())].into(),
            rolled_back: vec![record(7, Step::Created)],
            committed,
        }
    }

    fn proof(evidence: &Evidence) -> Proof {
        Proof::of(evidence, Duration::from_millis(12_340))
    }

    fn warehouse(evidence: &mut Evidence) -> &mut Vec<Record> {
        evidence.received.get_mut("warehouse").unwrap()
    }

    #[test]
    fn a_sound_run_holds_and_adds_up() {
        let proof = proof(&sound());
        assert!(proof.holds());
        let expected =
            Totals { committed: 12, delivered: 11, dead: 1, dead_expected: 1, seconds: 12.3, ..Totals::default() };
        assert_eq!(proof.totals, expected);
    }

    #[test]
    fn a_duplicate_is_counted_and_allowed() {
        let mut evidence = sound();
        let again = evidence.committed[0];
        warehouse(&mut evidence).push(again);
        assert!(proof(&evidence).holds());
        assert_eq!(proof(&evidence).totals.duplicates, 1);
    }

    #[test]
    fn a_lost_message_breaks_the_proof() {
        let mut evidence = sound();
        warehouse(&mut evidence).remove(2);
        assert!(!proof(&evidence).holds());
        assert_eq!(proof(&evidence).totals.lost, 1);
    }

    #[test]
    fn a_swapped_pair_breaks_the_proof() {
        let mut evidence = sound();
        warehouse(&mut evidence).swap(0, 1);
        assert!(!proof(&evidence).holds());
        assert_eq!(proof(&evidence).totals.order_violations, 1);
    }

    #[test]
    fn a_delivery_of_what_was_rolled_back_breaks_the_proof() {
        let mut evidence = sound();
        let ghost = evidence.rolled_back[0];
        warehouse(&mut evidence).push(ghost);
        assert!(!proof(&evidence).holds());
    }

    #[test]
    fn a_death_without_poison_breaks_the_proof() {
        let mut evidence = sound();
        let victim = evidence.committed[2].id;
        warehouse(&mut evidence).retain(|record| record.id != victim);
        evidence.dead.get_mut("warehouse").unwrap().insert(victim);
        assert!(!proof(&evidence).holds());
    }

    #[test]
    fn an_empty_run_proves_nothing() {
        assert!(!proof(&Evidence::default()).holds());
    }
}
