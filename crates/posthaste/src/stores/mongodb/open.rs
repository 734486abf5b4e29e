//! Where the lanes of a destination are.

use std::collections::{HashMap, HashSet};

use mongodb::ClientSession;
use mongodb::bson::{Bson, doc};

use super::MongoDb;
use super::codec::{self, corrupt, lane, moment};
use super::db::{Db, found_in};
use super::due::not_held;
use super::register::known;
use super::retry::in_snapshot;
use super::state::State;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Cursor, HeldKey, LaneState, Lease, Partition};
use crate::message::OrderKey;
use crate::rules::due::due_in;

pub(super) async fn open(store: &MongoDb, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    let db = store.db();
    in_snapshot!(db, session => lanes(db, &mut session, destination, leases))
}

async fn lanes(db: &Db, session: &mut ClientSession, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    known(db, session, destination).await?;
    let now = State::load(db, session).await?.now;
    let first_due = first_due(db, session, destination).await?;
    let mut held = held(db, session, destination).await?;
    let mut lanes = Vec::new();
    for (partition, cursor) in cursors(db, session, destination, leases).await? {
        lanes.push(LaneState {
            partition,
            cursor,
            held: held.remove(&partition).unwrap_or_default(),
            next_due_in: first_due.get(&partition).map(|&at| due_in(at, now)),
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
) -> Result<Vec<(Partition, Cursor)>> {
    let ids: Vec<i64> = leases.iter().map(|lease| i64::from(lease.partition.number())).collect();
    let only = doc! { "epoch": 1, lane::path(destination.as_str()): 1 };
    let find = db.partitions.find(doc! { "_id": { "$in": ids }, "worker": { "$ne": Bson::Null } }).projection(only);
    let mut found = HashMap::new();
    for one in found_in(find.session(&mut *session).await?, session).await? {
        let lanes = one.get_document("lanes").ok();
        let lane = lanes.and_then(|lanes| lanes.get_document(lane::name(destination.as_str())).ok());
        let lane = lane.ok_or_else(|| corrupt("a partition has no lane of a destination that is known"))?;
        found.insert((codec::partition(&one, "_id")?, codec::decode_epoch(&one)?), lane::decode_cursor(lane)?);
    }
    let held = leases.iter().map(|lease| (lease.partition, lease.epoch));
    Ok(held.filter_map(|key| found.remove(&key).map(|cursor| (key.0, cursor))).collect())
}

/// The held keys of a destination by partition, by `outbox_held_keys_lane`, and whether a parked delivery is at the head of each.
async fn held(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
) -> Result<HashMap<Partition, Vec<(HeldKey, bool)>>> {
    let with_head = keys_with_head(db, session, destination).await?;
    let find = db.held_keys.find(doc! { "destination": destination.as_str() }).sort(doc! { "_id": 1 });
    let mut held: HashMap<Partition, Vec<_>> = HashMap::new();
    for one in found_in(find.session(&mut *session).await?, session).await? {
        let key = codec::held_key(&one)?;
        let has_head = with_head.contains(&key.key);
        held.entry(codec::partition(&one, "partition")?).or_default().push((key, has_head));
    }
    Ok(held)
}

/// The keys with a parked delivery that holds them, by `outbox_parked_due`.
async fn keys_with_head(db: &Db, session: &mut ClientSession, destination: &Name) -> Result<HashSet<OrderKey>> {
    let heads = db.parked.find(doc! { "destination": destination.as_str(), "holds": true });
    let heads = heads.projection(doc! { "scope": 1 }).session(&mut *session).await?;
    let heads = found_in(heads, session).await?;
    heads.iter().filter_map(|head| head.get_document("scope").ok()).map(codec::order_key).collect()
}

/// When the first parked delivery of each partition is due, under the same conditions as in `due`.
async fn first_due(db: &Db, session: &mut ClientSession, destination: &Name) -> Result<HashMap<Partition, i64>> {
    let due = doc! { "destination": destination.as_str(), "dueAt": { "$ne": Bson::Null } };
    let mut stages = vec![doc! { "$match": due }];
    stages.extend(not_held());
    stages.push(doc! { "$group": { "_id": "$partition", "first": { "$min": "$dueAt" } } });
    let mut first = HashMap::new();
    for one in found_in(db.parked.aggregate(stages).session(&mut *session).await?, session).await? {
        if let Some(at) = moment(&one, "first") {
            first.insert(codec::partition(&one, "_id")?, at);
        }
    }
    Ok(first)
}
