//! Parked deliveries whose time has come.

use std::collections::{HashMap, HashSet};

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
use crate::journal::{Due, DueBatch, HeldKey, Partition};
use crate::message::OrderKey;
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

/// Parked deliveries read together, at least.
const PAGE: usize = 100;

/// Partitions asked for at once. The server merges a walk for each of them; of more than 200 it would read everything and sort it.
const AT_ONCE: usize = 100;

/// Leaves out what does not hold its key while another delivery does. Of one destination.
async fn not_held(db: &Db, session: &mut ClientSession, parked: Vec<Document>) -> Result<Vec<Document>> {
    let waits = |one: &&Document| !one.get_bool("holds").unwrap_or_default() && one.get_document("scope").is_ok();
    let scopes: Vec<&Bson> = parked.iter().filter(waits).filter_map(|one| one.get("scope")).collect();
    if scopes.is_empty() {
        return Ok(parked);
    }
    let find = db.held_keys.find(doc! { "_id": { "$in": scopes } }).session(&mut *session).await?;
    let held = found_in(find, session).await?.iter().map(codec::held_key).collect::<Result<Vec<HeldKey>>>()?;
    let held: HashSet<OrderKey> = held.into_iter().map(|held| held.key).collect();
    let key = |one: &Document| one.get_document("scope").ok().and_then(|scope| codec::order_key(scope).ok());
    let may_go = |one: &Document| !waits(&one) || !key(one).is_some_and(|key| held.contains(&key));
    Ok(parked.into_iter().filter(may_go).collect())
}

/// The lanes that are asked for.
struct Lanes<'a> {
    db: &'a Db,
    destination: &'a Name,
    partitions: &'a [Partition],
}

impl Lanes<'_> {
    /// Earliest first.
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
        let mut parked = Vec::new();
        for some in self.partitions.chunks(AT_ONCE) {
            parked.extend(self.first(session, self.wanted(some, &due_at), limit).await?);
        }
        parked.sort_by_key(|one| (moment(one, "dueAt"), whole(one, "seq").ok()));
        parked.truncate(limit);
        Ok(parked)
    }

    /// By `outbox_parked_lane`, a page at a time: an aggregation would read to the end before it counts.
    async fn first(&self, session: &mut ClientSession, wanted: Document, limit: usize) -> Result<Vec<Document>> {
        let at_a_time = limit.clamp(PAGE, 10 * PAGE);
        let find = self.db.parked.find(wanted).sort(doc! { "dueAt": 1, "seq": 1 });
        let mut cursor = find.batch_size(u32::try_from(at_a_time).unwrap_or(u32::MAX)).session(&mut *session).await?;
        let mut first = Vec::new();
        while first.len() < limit {
            let mut page = Vec::new();
            while page.len() < at_a_time
                && let Some(one) = cursor.next(session).await.transpose()?
            {
                page.push(one);
            }
            if page.is_empty() {
                break;
            }
            first.extend(not_held(self.db, session, page).await?);
        }
        Ok(first)
    }

    fn wanted(&self, partitions: &[Partition], due_at: &Document) -> Document {
        let partitions: Vec<i64> = partitions.iter().map(|&partition| i64::from(partition.number())).collect();
        doc! { "destination": self.destination.as_str(), "dueAt": due_at, "partition": { "$in": partitions } }
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
