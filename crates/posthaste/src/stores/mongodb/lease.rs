//! Taking partitions that nobody holds, by the primary's clock.
//!
//! A partition is taken by one update of its document that names the epoch it was seen with, so of many who try one succeeds.

use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};
use uuid::Uuid;

use super::abandoned_sessions::AbandonedSessions;
use super::codec::{self, date, moment, text, whole};
use super::db::{Db, found, found_in};
use super::partitions::partitions;
use super::retry::in_snapshot;
use super::state::State;
use super::{MongoDb, workers};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Grant, Lease, Partition, WorkerId};
use crate::stores::values::paused_at;

pub(super) async fn lease(store: &MongoDb, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
    partitions(store).await?;
    let db = store.db();
    let mut seen = see(db, worker).await?;
    let is_fresh = seen.announced_until.is_some_and(|until| until - seen.now > codec::millis(ttl * 2 / 3));
    if !is_fresh || !db.session_register.are_of(worker) {
        workers::announce(db, worker, ttl, None).await?;
    }
    let mut leases: Vec<Lease> = Vec::new();
    while leases.len() < want && !seen.free.is_empty() {
        let wanted = seen.choose(worker, want - leases.len());
        leases.extend(take(db, worker, ttl, &wanted).await?);
        if leases.len() < want {
            seen = see(db, worker).await?;
        }
    }
    leases.sort_unstable_by_key(|lease| lease.partition);
    Ok(Grant { leases, workers: seen.others + 1, paused: seen.paused, paused_tenants: seen.paused_tenants })
}

/// Sees what is there, and ends the transactions of the dead: a partition that one of them has written to could not be taken.
async fn see(db: &Db, worker: &WorkerId) -> Result<Seen> {
    let seen = in_snapshot!(db, session => Seen::load(db, &mut session, worker))?;
    for abandoned in &seen.abandoned {
        abandoned.end(db).await;
    }
    Ok(seen)
}

/// A partition that nobody holds, with the epoch it was last held under.
type Free = (Partition, i64);

/// What a worker sees before it writes anything.
struct Seen {
    now: i64,
    announced_until: Option<i64>,
    /// By the dead, and by the process that had the worker's name before.
    abandoned: Vec<AbandonedSessions>,
    others: usize,
    free: Vec<Free>,
    paused: Vec<Name>,
    paused_tenants: Vec<(Name, Vec<String>)>,
}

impl Seen {
    async fn load(db: &Db, session: &mut ClientSession, worker: &WorkerId) -> Result<Self> {
        let now = State::load(db, session).await?.now;
        let free = free(db, session, now).await?;
        let (paused, paused_tenants) = (paused(db, session).await?, paused_tenants(db, session).await?);
        let abandoned = Vec::new();
        let mut seen = Self { now, announced_until: None, abandoned, others: 0, free, paused, paused_tenants };
        let alive = doc! { "expiresAt": { "$gt": date(now) } };
        let matter = doc! { "$or": [alive, { "sessions.0": { "$exists": true } }] };
        let only = doc! { "expiresAt": 1, "sessions": 1 };
        let workers = db.workers.find(matter).projection(only).session(&mut *session).await?;
        for one in found_in(workers, session).await? {
            seen.note(db, &one, worker)?;
        }
        Ok(seen)
    }

    /// Takes note of one worker.
    fn note(&mut self, db: &Db, seen: &Document, us: &WorkerId) -> Result<()> {
        let (worker, until) = (text(seen, "_id")?, moment(seen, "expiresAt").unwrap_or_default());
        if worker == us.0 {
            self.announced_until = Some(until);
        } else if until > self.now {
            self.others += 1;
            return Ok(());
        }
        self.abandoned.extend(AbandonedSessions::of(db, seen));
        Ok(())
    }

    /// Some of the free ones. Not everyone from the same end: those who ask at once would all want the same.
    fn choose(&mut self, worker: &WorkerId, most: usize) -> Vec<Free> {
        let start = worker.0.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let start = start % self.free.len();
        self.free.rotate_left(start);
        self.free.iter().take(most).copied().collect()
    }
}

async fn free(db: &Db, session: &mut ClientSession, now: i64) -> Result<Vec<Free>> {
    let free = doc! { "$or": [{ "worker": Bson::Null }, { "expiresAt": { "$lte": date(now) } }] };
    let find = db.partitions.find(free).projection(doc! { "epoch": 1 }).sort(doc! { "_id": 1 });
    let free = found_in(find.session(&mut *session).await?, session).await?;
    free.iter().map(|one| Ok((codec::partition(one, "_id")?, whole(one, "epoch")?))).collect()
}

async fn paused(db: &Db, session: &mut ClientSession) -> Result<Vec<Name>> {
    let paused = doc! { "active": true, "paused": true };
    let find = db.destinations.find(paused).sort(doc! { "_id": 1 });
    let paused = found_in(find.session(&mut *session).await?, session).await?;
    paused.iter().map(|one| Ok(Name::from(text(one, "_id")?))).collect()
}

async fn paused_tenants(db: &Db, session: &mut ClientSession) -> Result<Vec<(Name, Vec<String>)>> {
    let paused = doc! { "active": true, "pausedTenants": { "$type": "string" } };
    let find = db.destinations.find(paused).sort(doc! { "_id": 1 });
    let paused = found_in(find.session(&mut *session).await?, session).await?;
    paused.iter().map(|one| paused_at(text(one, "_id")?, one.get_str("pausedTenants").ok())).collect()
}

/// Takes what is still free under a new epoch, higher than all before.
async fn take(db: &Db, worker: &WorkerId, ttl: Duration, wanted: &[Free]) -> Result<Vec<Lease>> {
    // Tells what this call took from what it held already under the same name.
    let claim = Uuid::now_v7().to_string();
    let set = doc! { "$set": {
        "worker": { "$literal": &worker.0 },
        "epoch": { "$add": ["$epoch", 1i64] },
        "expiresAt": { "$add": ["$$NOW", codec::millis(ttl)] },
        "expiredBefore": { "$ne": [{ "$ifNull": ["$worker", Bson::Null] }, Bson::Null] },
        "claim": &claim,
    } };
    let is_free = doc! { "$or": [{ "$eq": ["$worker", Bson::Null] }, { "$lte": ["$expiresAt", "$$NOW"] }] };
    let take = |(partition, epoch): &Free| {
        doc! { "q": { "_id": i64::from(partition.number()), "epoch": epoch, "$expr": &is_free }, "u": [&set] }
    };
    db.update_all("outbox_partitions", wanted.iter().map(take).collect(), None).await?;
    let ids: Vec<i64> = wanted.iter().map(|(partition, _)| i64::from(partition.number())).collect();
    let taken = found(db.partitions.find(doc! { "_id": { "$in": ids }, "claim": &claim }).await?).await?;
    taken.iter().map(granted).collect()
}

fn granted(taken: &Document) -> Result<Lease> {
    Ok(Lease {
        partition: codec::partition(taken, "_id")?,
        epoch: codec::decode_epoch(taken)?,
        expired_before: taken.get_bool("expiredBefore").unwrap_or_default(),
    })
}

/// The partitions that a worker holds under these leases.
pub(super) fn held_by(worker: &WorkerId, held: &[Lease]) -> Document {
    let each = held.iter().map(|lease| {
        doc! { "_id": i64::from(lease.partition.number()), "epoch": codec::epoch(lease.epoch) }
    });
    doc! { "worker": &worker.0, "$or": each.collect::<Vec<_>>() }
}
