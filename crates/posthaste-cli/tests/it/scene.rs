//! States of a journal that are hard to come by with a healthy sink, made through the port that a relay uses.

use std::time::Duration;

use posthaste::Destination;
use posthaste::destination::Name;
use posthaste::journal::{
    Attempt, Cursor, HeldKey, Journal, LaneCommit, Park, ParkedState, Position, ReadRequest, WorkerId, WorkerReport,
};
use posthaste::stores::sqlite::{Options, Sqlite};

use crate::program::Place;

pub const ERROR: &str = "422 Unprocessable: no such \u{1b}[31mcustomer";

/// A worker that is at work on destination `crm`.
pub struct Worker {
    runtime: tokio::runtime::Runtime,
    journal: Sqlite,
    leases: Vec<posthaste::journal::Lease>,
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

    /// The first message of `key` failed and holds the later ones; everything else is delivered.
    pub fn fail(&self, key: &str, state: ParkedState, due_in: Option<Duration>) {
        self.runtime.block_on(async {
            let newest = self.journal.advance().await.unwrap();
            let request = ReadRequest {
                partitions: self.leases.iter().map(|lease| lease.partition).collect(),
                after: Position::START,
                until: Position::END,
                limit: 10_000,
                max_bytes: usize::MAX,
            };
            let batch = self.journal.read(&request).await.unwrap();
            let head = batch.entries.iter().find(|entry| entry.message.key.as_deref() == Some(key)).unwrap();
            let order_key = head.message.order_key().unwrap();
            let park = Park {
                position: head.position,
                message: head.message.id,
                key: Some(order_key.clone()),
                state,
                holds: true,
                attempts: 2,
                kills: 0,
                due_in,
                error: Some(ERROR.into()),
                progress: None,
            };
            let held = HeldKey { key: order_key, after: head.position, until: newest };
            let attempt = |number| Attempt {
                position: head.position,
                number,
                error: Some(ERROR.into()),
                took: Duration::from_millis(12),
            };
            let commits = self.leases.iter().map(|lease| {
                let own = lease.partition == head.partition;
                LaneCommit {
                    destination: Name::from("crm"),
                    partition: lease.partition,
                    epoch: lease.epoch,
                    cursor: Some(Cursor { low: newest, done: Vec::new() }),
                    park: if own { vec![park.clone()] } else { Vec::new() },
                    unpark: Vec::new(),
                    hold: if own { vec![held.clone()] } else { Vec::new() },
                    free: Vec::new(),
                    attempts: if own { vec![attempt(1), attempt(2)] } else { Vec::new() },
                }
            });
            let refused = self.journal.commit(&commits.collect::<Vec<_>>()).await.unwrap();
            assert!(refused.is_empty());
        });
    }
}
