//! Parked deliveries whose time has come.

use std::collections::HashMap;

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::codec::{self, Row, moment, text, whole};
use super::db::{Db, corrupt};
use super::register::known;
use super::session::snapshot;
use super::{MongoDb, read, sequence};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Due, DueBatch, ParkedState, Partition};

impl MongoDb {
    pub(super) async fn due_now(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        let db = self.db();
        snapshot!(db, session => due(db, &mut session, destination, partitions, limit))
    }
}

/// Leaves out what does not hold its key while another delivery does.
pub(super) fn not_held() -> [Document; 2] {
    [
        doc! { "$lookup": { "from": "outbox_held_keys", "localField": "scope", "foreignField": "_id", "as": "held" } },
        doc! { "$match": { "$or": [{ "holds": true }, { "scope": Bson::Null }, { "held": { "$size": 0 } }] } },
    ]
}

/// Earliest first, by `outbox_parked_due`.
async fn due(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
    partitions: &[Partition],
    limit: usize,
) -> Result<DueBatch> {
    known(db, session, destination).await?;
    let now = sequence::state(db, session).await?.now;
    let ready = doc! { "$gt": super::date(i64::MIN), "$lte": super::date(now) };
    let ready = select(db, session, destination, partitions, ready, limit).await?;
    let seqs: Vec<Bson> = ready.iter().filter_map(|parked| parked.get("seq").cloned()).collect();
    let found = read::rows(db, session, doc! { "posthaste.seq": { "$in": seqs } }, None, true).await?;
    let mut found: HashMap<i64, Row> = found.into_iter().map(|row| (row.seq, row)).collect();
    let mut deliveries = Vec::new();
    for parked in ready {
        if let Some(row) = found.remove(&whole(&parked, "seq")?) {
            deliveries.push(delivery(&parked, row, now)?);
        }
    }
    let later = select(db, session, destination, partitions, doc! { "$gt": super::date(now) }, 1).await?;
    let next = later.first().and_then(|parked| moment(parked, "dueAt"));
    Ok(DueBatch { deliveries, next_in: next.map(|at| codec::until(at, now)) })
}

async fn select(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
    partitions: &[Partition],
    due_at: Document,
    limit: usize,
) -> Result<Vec<Document>> {
    let partitions: Vec<i64> = partitions.iter().map(|&partition| i64::from(partition.number())).collect();
    let wanted = doc! { "destination": destination.as_str(), "dueAt": due_at, "partition": { "$in": partitions } };
    let mut stages = vec![doc! { "$match": wanted }, doc! { "$sort": { "dueAt": 1, "seq": 1 } }];
    stages.extend(not_held());
    stages.push(doc! { "$limit": i64::try_from(limit.max(1)).unwrap_or(i64::MAX) });
    let mut cursor = db.parked.aggregate(stages).session(&mut *session).await?;
    let mut selected = Vec::new();
    while let Some(one) = cursor.next(session).await.transpose()? {
        selected.push(one);
    }
    selected.truncate(limit);
    Ok(selected)
}

fn delivery(parked: &Document, row: Row, now: i64) -> Result<Due> {
    Ok(Due {
        entry: row.entry(now),
        state: state(parked)?,
        holds: parked.get_bool("holds").unwrap_or_default(),
        attempts: count(parked, "attempts")?,
        kills: count(parked, "kills")?,
        progress: parked.get_binary_generic("progress").ok().cloned(),
    })
}

pub(super) fn count(parked: &Document, name: &str) -> Result<u32> {
    Ok(u32::try_from(whole(parked, name)?).unwrap_or(u32::MAX))
}

pub(super) fn state(parked: &Document) -> Result<ParkedState> {
    let state = text(parked, "state")?;
    ParkedState::parse(&state).ok_or_else(|| corrupt(format!("a delivery is parked as `{state}`")))
}
