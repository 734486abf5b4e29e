//! Parked deliveries whose time has come.

use std::collections::HashMap;

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::MongoDb;
use super::codec::{self, Row, count, date, moment, whole};
use super::db::{Db, found_in};
use super::register::known;
use super::retry::in_snapshot;
use super::rows::Rows;
use super::state::State;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Due, DueBatch, Partition};
use crate::rules::due::due_in;

pub(super) async fn due(
    store: &MongoDb,
    destination: &Name,
    partitions: &[Partition],
    limit: usize,
) -> Result<DueBatch> {
    let db = store.db();
    let lanes = Lanes { db, destination, partitions };
    in_snapshot!(db, session => lanes.due(&mut session, limit))
}

/// Leaves out what does not hold its key while another delivery does.
pub(super) fn not_held() -> [Document; 2] {
    [
        doc! { "$lookup": { "from": "outbox_held_keys", "localField": "scope", "foreignField": "_id", "as": "held" } },
        doc! { "$match": { "$or": [{ "holds": true }, { "scope": Bson::Null }, { "held": { "$size": 0 } }] } },
    ]
}

/// The lanes that are asked for.
struct Lanes<'a> {
    db: &'a Db,
    destination: &'a Name,
    partitions: &'a [Partition],
}

impl Lanes<'_> {
    /// Earliest first, by `outbox_parked_due`.
    async fn due(&self, session: &mut ClientSession, limit: usize) -> Result<DueBatch> {
        known(self.db, session, self.destination).await?;
        let now = State::load(self.db, session).await?.now;
        let ready = doc! { "$gt": date(i64::MIN), "$lte": date(now) };
        let ready = self.parked(session, ready, limit).await?;
        let mut rows = self.messages(session, &ready).await?;
        let mut deliveries = Vec::new();
        for parked in ready {
            if let Some(row) = rows.remove(&whole(&parked, "seq")?) {
                deliveries.push(delivery(&parked, row, now)?);
            }
        }
        let later = self.parked(session, doc! { "$gt": date(now) }, 1).await?;
        let next = later.first().and_then(|parked| moment(parked, "dueAt"));
        Ok(DueBatch { deliveries, next_in: next.map(|at| due_in(at, now)) })
    }

    async fn parked(&self, session: &mut ClientSession, due_at: Document, limit: usize) -> Result<Vec<Document>> {
        let partitions: Vec<i64> = self.partitions.iter().map(|&partition| i64::from(partition.number())).collect();
        let destination = self.destination.as_str();
        let wanted = doc! { "destination": destination, "dueAt": due_at, "partition": { "$in": partitions } };
        let mut stages = vec![doc! { "$match": wanted }, doc! { "$sort": { "dueAt": 1, "seq": 1 } }];
        stages.extend(not_held());
        stages.push(doc! { "$limit": codec::signed(limit.max(1)) });
        let parked = self.db.parked.aggregate(stages).session(&mut *session).await?;
        let mut parked = found_in(parked, session).await?;
        parked.truncate(limit);
        Ok(parked)
    }

    /// The messages of parked deliveries, by `outbox_journal`.
    async fn messages(&self, session: &mut ClientSession, parked: &[Document]) -> Result<HashMap<i64, Row>> {
        let seqs: Vec<Bson> = parked.iter().filter_map(|parked| parked.get("seq").cloned()).collect();
        let wanted = doc! { "posthaste.seq": { "$in": seqs } };
        let mut rows = Rows::find(self.db, wanted, parked.len(), session).await?;
        let mut messages = HashMap::new();
        while let Some(row) = rows.next(session).await? {
            messages.insert(row.seq, row);
        }
        Ok(messages)
    }
}

fn delivery(parked: &Document, row: Row, now: i64) -> Result<Due> {
    Ok(Due {
        entry: row.entry(now),
        state: codec::parked_state(parked)?,
        holds: parked.get_bool("holds").unwrap_or_default(),
        attempts: count(parked, "attempts")?,
        suspicion: count(parked, "kills")?,
        progress: parked.get_binary_generic("progress").ok().cloned(),
    })
}
