//! Where the lanes of a destination stand.

use std::collections::{HashMap, HashSet};

use mongodb::ClientSession;
use mongodb::bson::{Bson, doc};

use super::codec::{self, moment, whole};
use super::db::{Db, corrupt};
use super::register::{known, lane, lane_name};
use super::session::snapshot;
use super::{MongoDb, lease, sequence};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{HeldKey, LaneState, Lease, Partition};

impl MongoDb {
    pub(super) async fn open_lanes(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        let db = self.db();
        snapshot!(db, session => open(db, &mut session, destination, leases))
    }
}

async fn open(db: &Db, session: &mut ClientSession, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    known(db, session, destination).await?;
    let now = sequence::state(db, session).await?.now;
    let first_due = first_due(db, session, destination).await?;
    let mut held = held(db, session, destination).await?;
    let mut lanes = Vec::new();
    for (partition, cursor) in cursors(db, session, destination, leases).await? {
        lanes.push(LaneState {
            partition,
            cursor,
            held: held.remove(&partition).unwrap_or_default(),
            next_due_in: first_due.get(&partition).map(|&at| codec::until(at, now)),
        });
    }
    Ok(lanes)
}

/// The cursors of lanes whose lease is still held under its epoch, in the order asked for; by `_id`.
async fn cursors(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
    leases: &[Lease],
) -> Result<Vec<(Partition, crate::journal::Cursor)>> {
    let ids: Vec<i64> = leases.iter().map(|lease| i64::from(lease.partition.number())).collect();
    let only = doc! { "epoch": 1, lane(destination.as_str()): 1 };
    let find = db.partitions.find(doc! { "_id": { "$in": ids }, "worker": { "$ne": Bson::Null } }).projection(only);
    let mut cursor = find.session(&mut *session).await?;
    let mut found = HashMap::new();
    while let Some(one) = cursor.next(session).await.transpose()? {
        let lanes = one.get_document("lanes").ok();
        let lane = lanes.and_then(|lanes| lanes.get_document(lane_name(destination.as_str())).ok());
        let lane = lane.ok_or_else(|| corrupt("a partition has no lane of a destination that is known"))?;
        found.insert((lease::partition(&one)?, whole(&one, "epoch")?), codec::decode_cursor(lane)?);
    }
    let held = leases.iter().map(|one| (one.partition, lease::epoch(one.epoch.number())));
    Ok(held.filter_map(|key| found.remove(&key).map(|cursor| (key.0, cursor))).collect())
}

/// The held keys of a destination by partition, by `outbox_held_keys_lane`, and whether a parked delivery stands at the head of
/// each, by `outbox_parked_due`.
async fn held(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
) -> Result<HashMap<Partition, Vec<(HeldKey, bool)>>> {
    let heads = db.parked.find(doc! { "destination": destination.as_str(), "holds": true });
    let mut cursor = heads.projection(doc! { "scope": 1 }).session(&mut *session).await?;
    let mut with_head = HashSet::new();
    while let Some(one) = cursor.next(session).await.transpose()? {
        if let Ok(scope) = one.get_document("scope") {
            with_head.insert(codec::order_key(scope)?);
        }
    }
    let find = db.held_keys.find(doc! { "destination": destination.as_str() }).sort(doc! { "_id": 1 });
    let mut cursor = find.session(&mut *session).await?;
    let mut held: HashMap<Partition, Vec<_>> = HashMap::new();
    while let Some(one) = cursor.next(session).await.transpose()? {
        let (partition, key) = held_key(&one)?;
        let has_head = with_head.contains(&key.key);
        held.entry(partition).or_default().push((key, has_head));
    }
    Ok(held)
}

pub(super) fn held_key(document: &mongodb::bson::Document) -> Result<(Partition, HeldKey)> {
    let scope = document.get_document("_id").map_err(|_| corrupt("a held key is damaged"))?;
    let partition = Partition::new(u16::try_from(whole(document, "partition")?).unwrap_or(u16::MAX));
    let (after, until) = (codec::position(whole(document, "after")?), codec::position(whole(document, "until")?));
    Ok((partition, HeldKey { key: codec::order_key(scope)?, after, until }))
}

/// When the first parked delivery of each partition is due, under the same conditions as in `due`.
async fn first_due(db: &Db, session: &mut ClientSession, destination: &Name) -> Result<HashMap<Partition, i64>> {
    let due = doc! { "destination": destination.as_str(), "dueAt": { "$ne": Bson::Null } };
    let mut stages = vec![doc! { "$match": due }];
    stages.extend(super::due::not_held());
    stages.push(doc! { "$group": { "_id": "$partition", "first": { "$min": "$dueAt" } } });
    let mut cursor = db.parked.aggregate(stages).session(&mut *session).await?;
    let mut first = HashMap::new();
    while let Some(one) = cursor.next(session).await.transpose()? {
        if let Some(at) = moment(&one, "first") {
            first.insert(lease::partition(&one)?, at);
        }
    }
    Ok(first)
}
