//! Who is alive and who holds which partition, by the primary's clock.
//!
//! A partition is taken by one update of its document that names the epoch it was seen with, so of many who try one succeeds.

use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};
use uuid::Uuid;

use super::codec::{self, moment, text, whole};
use super::db::Db;
use super::session::{again, snapshot};
use super::sessions::LeftBehind;
use super::{MongoDb, sequence};
use crate::destination::Name;
use crate::error::{Error, Kind, Result};
use crate::journal::{Epoch, Grant, Lease, Partition, WorkerId, WorkerReport};

/// What a worker sees before it writes anything.
struct Glance {
    now: i64,
    announced_until: Option<i64>,
    /// By the dead, and by the process that had the worker's name before.
    left_behind: Vec<LeftBehind>,
    others: usize,
    /// With the epoch each was last held under.
    free: Vec<(Partition, i64)>,
    paused: Vec<Name>,
}

impl MongoDb {
    pub(super) async fn take_leases(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        self.count_partitions().await?;
        let db = self.db();
        let mut glance = self.look_around(worker).await?;
        let fresh = glance.announced_until.is_some_and(|until| until - glance.now > codec::millis(ttl * 2 / 3));
        if !fresh || !db.sessions.are_of(worker) {
            self.announce(worker, ttl, None).await?;
        }
        let mut leases: Vec<Lease> = Vec::new();
        while leases.len() < want && !glance.free.is_empty() {
            // Not everyone from the same end: those who ask at once would all want the same.
            let start = worker.0.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
            let start = start % glance.free.len();
            glance.free.rotate_left(start);
            glance.free.truncate(want - leases.len());
            leases.extend(take(db, worker, ttl, &glance.free).await?);
            if leases.len() < want {
                glance = self.look_around(worker).await?;
            }
        }
        leases.sort_unstable_by_key(|lease| lease.partition);
        Ok(Grant { leases, workers: glance.others + 1, paused: glance.paused })
    }

    /// Sees what is there, and ends the transactions of the dead: a partition that one of them has written to could not be taken.
    async fn look_around(&self, worker: &WorkerId) -> Result<Glance> {
        let db = self.db();
        let glance = snapshot!(db, session => glance(db, &mut session, worker))?;
        self.end_sessions(&glance.left_behind).await;
        Ok(glance)
    }

    pub(super) async fn renew_leases(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        self.announce(worker, ttl, Some(report)).await?;
        if held.is_empty() {
            return Ok(Vec::new());
        }
        again!(self.extend(worker, ttl, held))
    }

    async fn extend(&self, worker: &WorkerId, ttl: Duration, held: &[Lease]) -> Result<Vec<Partition>> {
        let ours = doc! { "worker": &worker.0, "$or": each(held) };
        let extend = vec![doc! { "$set": { "expiresAt": { "$add": ["$$NOW", codec::millis(ttl)] } } }];
        self.db().partitions.update_many(ours.clone(), extend).await?;
        // What was not extended had changed hands, and an epoch does not come back.
        let mut kept = Vec::new();
        let mut cursor = self.db().partitions.find(ours).projection(doc! { "_id": 1 }).sort(doc! { "_id": 1 }).await?;
        while cursor.advance().await? {
            kept.push(partition(&Document::try_from(cursor.current()).map_err(mongodb::error::Error::from)?)?);
        }
        Ok(kept)
    }

    pub(super) async fn release_leases(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        if !held.is_empty() {
            let ours = doc! { "worker": &worker.0, "$or": each(held) };
            let free = doc! { "$set": { "worker": Bson::Null, "expiresAt": super::date(0) } };
            self.db().partitions.update_many(ours, free).await?;
        }
        if leaving {
            self.leave(worker).await?;
            let sequencer = doc! { "_id": super::db::JOURNAL, "sequencer.holder": &self.shared.sequencer };
            let free = doc! { "$set": { "sequencer.until": super::date(0) } };
            self.db().state.update_one(sequencer, free).await?;
        }
        Ok(())
    }

    /// The worker is alive until then, and this is what it says; by `_id`.
    async fn announce(&self, worker: &WorkerId, ttl: Duration, report: Option<&WorkerReport>) -> Result<()> {
        let mut set = doc! { "expiresAt": { "$add": ["$$NOW", codec::millis(ttl)] } };
        if let Some(report) = report {
            let report = serde_json::to_string(report)
                .map_err(|error| Error::new(Kind::Invalid, "the report cannot be written as JSON").caused_by(error))?;
            set.insert("report", doc! { "$literal": report });
        }
        let (turn, sessions) = self.db().sessions.list().await;
        set.insert("sessions", doc! { "$literal": &sessions });
        let (of, set) = (doc! { "_id": &worker.0 }, vec![doc! { "$set": set }]);
        again!(async { Ok(self.db().workers.update_one(of.clone(), set.clone()).upsert(true).await?) })?;
        self.db().sessions.are_announced(turn, worker, &sessions);
        Ok(())
    }
}

impl Glance {
    fn saw(&mut self, db: &Db, seen: &Document, us: &WorkerId) -> Result<()> {
        let (worker, until) = (text(seen, "_id")?, moment(seen, "expiresAt").unwrap_or_default());
        if worker == us.0 {
            self.announced_until = Some(until);
        } else if until > self.now {
            self.others += 1;
            return Ok(());
        }
        self.left_behind.extend(db.sessions.left_behind_by(seen));
        Ok(())
    }
}

async fn glance(db: &Db, session: &mut ClientSession, worker: &WorkerId) -> Result<Glance> {
    let now = sequence::state(db, session).await?.now;
    let mut glance =
        Glance { now, announced_until: None, left_behind: Vec::new(), others: 0, free: Vec::new(), paused: Vec::new() };
    let alive = doc! { "expiresAt": { "$gt": super::date(now) } };
    let matter = doc! { "$or": [alive, { "sessions.0": { "$exists": true } }] };
    let only = doc! { "expiresAt": 1, "sessions": 1 };
    let mut cursor = db.workers.find(matter).projection(only).session(&mut *session).await?;
    while let Some(one) = cursor.next(session).await.transpose()? {
        glance.saw(db, &one, worker)?;
    }
    let free = doc! { "$or": [{ "worker": Bson::Null }, { "expiresAt": { "$lte": super::date(now) } }] };
    let find = db.partitions.find(free).projection(doc! { "epoch": 1 }).sort(doc! { "_id": 1 });
    let mut cursor = find.session(&mut *session).await?;
    while let Some(one) = cursor.next(session).await.transpose()? {
        glance.free.push((partition(&one)?, whole(&one, "epoch")?));
    }
    let paused = doc! { "active": true, "paused": true };
    let mut cursor = db.destinations.find(paused).sort(doc! { "_id": 1 }).session(&mut *session).await?;
    while let Some(one) = cursor.next(session).await.transpose()? {
        glance.paused.push(Name::from(text(&one, "_id")?));
    }
    Ok(glance)
}

/// Takes what is still free under a new epoch, higher than all before.
async fn take(db: &Db, worker: &WorkerId, ttl: Duration, wanted: &[(Partition, i64)]) -> Result<Vec<Lease>> {
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
    let take = |(partition, epoch): &(Partition, i64)| {
        doc! { "q": { "_id": i64::from(partition.number()), "epoch": epoch, "$expr": &is_free }, "u": [&set] }
    };
    db.update_all("outbox_partitions", wanted.iter().map(take).collect(), None).await?;
    let ids: Vec<i64> = wanted.iter().map(|(partition, _)| i64::from(partition.number())).collect();
    let mut cursor = db.partitions.find(doc! { "_id": { "$in": ids }, "claim": &claim }).await?;
    let mut leases = Vec::new();
    while cursor.advance().await? {
        let taken = Document::try_from(cursor.current()).map_err(mongodb::error::Error::from)?;
        leases.push(Lease {
            partition: partition(&taken)?,
            epoch: Epoch::new(u64::try_from(whole(&taken, "epoch")?).unwrap_or_default()),
            expired_before: taken.get_bool("expiredBefore").unwrap_or_default(),
        });
    }
    Ok(leases)
}

pub(super) fn partition(document: &Document) -> Result<Partition> {
    Ok(Partition::new(u16::try_from(whole(document, "_id")?).unwrap_or(u16::MAX)))
}

/// Each lease by partition and epoch.
fn each(held: &[Lease]) -> Vec<Document> {
    held.iter()
        .map(|lease| doc! { "_id": i64::from(lease.partition.number()), "epoch": epoch(lease.epoch.number()) })
        .collect()
}

pub(super) fn epoch(epoch: u64) -> i64 {
    i64::try_from(epoch).unwrap_or(i64::MAX)
}
