//! States of a journal that are hard to come by with a healthy sink, made through the port that a relay uses.

use std::time::Duration;

use posthaste::Destination;
use posthaste::destination::Name;
use posthaste::journal::{
    Attempt, Cursor, Entry, HeldKey, Journal, LaneCommit, Lease, Park, ParkedState, Position, ReadRequest, WorkerId,
    WorkerReport,
};
use posthaste::stores::sqlite::{Options, Sqlite};

use crate::program::Place;

pub const ERROR: &str = "422 Unprocessable: no such \u{1b}[31mcustomer";

/// A worker that is at work on destination `crm`.
pub struct Worker {
    runtime: tokio::runtime::Runtime,
    journal: Sqlite,
    leases: Vec<Lease>,
}

impl Worker {
    pub fn at(place: &Place) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let journal = Sqlite::open(place.path("posthaste.db"), Options::default()).unwrap();
        let leases = runtime.block_on(async {
            journal.register(&[Destination::new("crm")]).await.unwrap();
            journal.lease(&Self::id(), Duration::from_secs(600), 64).await.unwrap().leases
        });
        Self { runtime, journal, leases }
    }

    fn id() -> WorkerId {
        WorkerId("host-1".into())
    }

    /// Reports an outage, or its end.
    pub fn report(&self, report: &WorkerReport) {
        let ttl = Duration::from_secs(600);
        self.runtime.block_on(self.journal.renew(&Self::id(), ttl, &self.leases, report)).unwrap();
    }

    /// Falls silent: its leases end at once, and nobody has given them back.
    pub fn die(&self) {
        let ttl = Duration::from_millis(1);
        let report = WorkerReport::default();
        self.runtime.block_on(self.journal.renew(&Self::id(), ttl, &self.leases, &report)).unwrap();
    }

    /// Gives everything back.
    pub fn leave(&self) {
        self.runtime.block_on(self.journal.release(&Self::id(), &self.leases, true)).unwrap();
    }

    /// The first message of `key` failed and holds the later ones; everything else is delivered.
    pub fn fail(&self, key: &str, state: ParkedState, due_in: Option<Duration>) {
        self.runtime.block_on(async {
            let newest = self.journal.advance().await.unwrap();
            let head = self.first_of(key).await;
            let commits: Vec<LaneCommit> = self
                .leases
                .iter()
                .map(|lease| match lease.partition == head.partition {
                    true => held_up(lease, newest, &head, state, due_in),
                    false => walked(lease, newest),
                })
                .collect();
            assert!(self.journal.commit(&commits).await.unwrap().is_empty(), "the lease holds");
        });
    }

    async fn first_of(&self, key: &str) -> Entry {
        let request = ReadRequest {
            partitions: self.leases.iter().map(|lease| lease.partition).collect(),
            after: Position::START,
            until: Position::END,
            limit: 10_000,
            max_bytes: usize::MAX,
        };
        let batch = self.journal.read(&request).await.unwrap();
        batch.entries.into_iter().find(|entry| entry.message.key.as_deref() == Some(key)).unwrap()
    }
}

/// A lane that has delivered everything.
fn walked(lease: &Lease, newest: Position) -> LaneCommit {
    let cursor = Some(Cursor { low: newest, done: Vec::new() });
    LaneCommit { cursor, ..LaneCommit::nothing(Name::from("crm"), lease.partition, lease.epoch) }
}

/// A lane that has delivered everything but one key, whose first message failed twice.
fn held_up(lease: &Lease, newest: Position, head: &Entry, state: ParkedState, due_in: Option<Duration>) -> LaneCommit {
    let key = head.message.order_key().unwrap();
    let error = Some(ERROR.to_owned());
    let park = Park {
        position: head.position,
        message: head.message.id,
        key: Some(key.clone()),
        state,
        holds: true,
        attempts: 2,
        suspicion: 0,
        due_in,
        error: error.clone(),
        progress: None,
    };
    let attempt = |number| Attempt {
        position: head.position,
        number,
        error: error.clone(),
        took: Duration::from_millis(12),
        reply: None,
    };
    LaneCommit {
        park: vec![park],
        hold: vec![HeldKey { key, after: head.position, until: newest }],
        attempts: vec![attempt(1), attempt(2)],
        ..walked(lease, newest)
    }
}
