//! How much a store looks at for each verb, in a small journal and in a large one of the same shape. A verb may look at more only where it
//! answers more.

use std::time::Duration;

use posthaste::Result;
use posthaste::inspect::{Filter, Page, Status};
use posthaste::journal::{Cursor, HeldKey, LaneCommit, Lease, Partition, Position, ReadRequest, WorkerId};
use posthaste::message::OrderKey;
use posthaste::store::Store;

/// A verb, and how many rows and places of an index the server has looked at for it.
pub(crate) type Work = Vec<(&'static str, u64)>;

/// Verbs whose answer is everything exceptional, or counts it: they may grow as much as that.
const OF_ALL_EXCEPTIONS: [&str; 2] = ["open", "overview"];

/// How often the work of a verb is looked at.
const TIMES: usize = 3;

/// A journal whose destination `a` has one long key that is held, others that are, and a backlog.
pub(crate) struct Subject<'a> {
    pub(crate) store: &'a dyn Store,
    /// The long key, with half of the journal behind it, and its partition.
    pub(crate) key: &'a str,
    pub(crate) partition: Partition,
    /// Where lanes stand.
    pub(crate) low: Position,
}

impl Subject<'_> {
    /// What each verb is. What is done once for a connection or a statement does not count: each is called twice before. What the
    /// server does beside it does not count either: of several times, the least is taken.
    pub(crate) async fn work(&self, looked_at: impl AsyncFn() -> Result<u64>) -> Result<Work> {
        let worker = WorkerId("one".into());
        let leases = self.store.lease(&worker, Duration::from_secs(600), 1_000).await?.leases;
        let mut work = Work::new();
        for verb in ["advance", "open", "read", "read_key", "due", "commit", "overview", "list", "get"] {
            for _ in 0..2 {
                self.call(verb, &leases).await?;
            }
            let mut least = u64::MAX;
            for _ in 0..TIMES {
                let before = looked_at().await?;
                self.call(verb, &leases).await?;
                least = least.min(looked_at().await? - before);
            }
            work.push((verb, least));
        }
        self.store.release(&worker, &leases, true).await?;
        Ok(work)
    }

    async fn call(&self, verb: &str, leases: &[Lease]) -> Result<()> {
        let partitions: Vec<Partition> = leases.iter().map(|lease| lease.partition).collect();
        let (a, after, until) = ("a".into(), self.low, Position::END);
        match verb {
            "advance" => self.store.advance().await.map(drop),
            "open" => self.store.open(&a, leases).await.map(drop),
            "read" => {
                let request = ReadRequest { partitions, after, until, limit: 100, max_bytes: usize::MAX };
                self.store.read(&request).await.map(drop)
            }
            "read_key" => self.read_key().await,
            "due" => self.store.due(&a, &partitions, 100).await.map(drop),
            "commit" => {
                let mut commit = LaneCommit::nothing(a, leases[0].partition, leases[0].epoch);
                commit.cursor = Some(Cursor { low: after, done: Vec::new() });
                self.store.commit(&[commit]).await.map(drop)
            }
            "overview" => self.store.overview().await.map(drop),
            "list" => self.list().await,
            _ => self.get().await,
        }
    }

    async fn read_key(&self) -> Result<()> {
        let key = OrderKey { tenant: None, key: self.key.into() };
        let held = HeldKey { key, after: Position::START, until: self.low };
        let page = self.store.read_key(&"a".into(), self.partition, &held, 20).await?;
        assert!(!page.entries.is_empty() && page.entries.len() <= 20, "a page");
        Ok(())
    }

    /// Everything, the newest first; and each kind that there may be many of.
    async fn list(&self) -> Result<()> {
        self.store.list(&Filter::default(), Page::before(Position::END, 50)).await?;
        for status in [Status::Dead, Status::Pending, Status::Retrying, Status::Waiting] {
            let filter = Filter { statuses: vec![status], ..Filter::default() };
            let found = self.store.list(&filter, Page::after(Position::START, 50)).await?;
            assert!(!found.rows.is_empty(), "something is {status:?}");
        }
        Ok(())
    }

    /// What `explain` says of a message that waits.
    async fn get(&self) -> Result<()> {
        let newest = self.store.list(&Filter::default(), Page::before(self.low, 1)).await?;
        self.store.get(newest.rows[0].id).await.map(drop)
    }
}

/// Fails if a verb is much more work in the large journal, which has ten times as much of everything. The small one has to fill what is
/// looked at together.
pub(crate) fn assert_even(small: &Work, large: &Work, circumstances: &str) {
    for ((verb, few), (_, many)) in small.iter().zip(large) {
        let factor = if OF_ALL_EXCEPTIONS.contains(verb) { 15 } else { 4 };
        let most = few * factor + 500;
        assert!(*many <= most, "{verb} looked at {few} in a small journal, at {many} in a large one: {circumstances}");
    }
}
