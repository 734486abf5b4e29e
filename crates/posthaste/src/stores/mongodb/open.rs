//! Where the lanes of a destination are.

use std::collections::{HashMap, HashSet};

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::MongoDb;
use super::codec::{self, corrupt, lane};
use super::db::{Db, found_in};
use super::register::known;
use super::retry::in_snapshot;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Cursor, HeldKey, LaneState, Lease, Partition};
use crate::message::OrderKey;

/// Held keys asked for by name in one question.
const NAMED: usize = 1_000;

pub(super) async fn open(store: &MongoDb, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    let db = store.db();
    in_snapshot!(db, session => lanes(db, &mut session, destination, leases))
}

async fn lanes(db: &Db, session: &mut ClientSession, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
    known(db, session, destination).await?;
    let partitions: Vec<i64> = leases.iter().map(|lease| i64::from(lease.partition.number())).collect();
    let mut held = held(db, session, destination, &partitions).await?;
    let mut lanes = Vec::new();
    for (partition, cursor) in cursors(db, session, destination, leases, &partitions).await? {
        lanes.push(LaneState { partition, cursor, held: held.remove(&partition).unwrap_or_default() });
    }
    Ok(lanes)
}

/// The cursors of lanes whose lease is still held under its epoch, in the order asked for; by `_id`.
async fn cursors(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
    leases: &[Lease],
    ids: &[i64],
) -> Result<Vec<(Partition, Cursor)>> {
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

/// The held keys of these lanes by partition, by `outbox_held_keys_lane`, and whether a parked delivery is at the head of each.
async fn held(
    db: &Db,
    session: &mut ClientSession,
    destination: &Name,
    partitions: &[i64],
) -> Result<HashMap<Partition, Vec<(HeldKey, bool)>>> {
    let of_lanes = doc! { "destination": destination.as_str(), "partition": { "$in": partitions } };
    let find = db.held_keys.find(of_lanes).session(&mut *session).await?;
    let found = found_in(find, session).await?;
    let with_head = keys_with_head(db, session, &found).await?;
    let mut held: HashMap<Partition, Vec<(HeldKey, bool)>> = HashMap::new();
    for one in &found {
        let key = codec::held_key(one)?;
        let has_head = with_head.contains(&key.key);
        held.entry(codec::partition(one, "partition")?).or_default().push((key, has_head));
    }
    held.values_mut().for_each(|keys| keys.sort_by(|(one, _), (other, _)| one.key.cmp(&other.key)));
    Ok(held)
}

/// Those of these held keys that a parked delivery holds, by `outbox_parked_scope`.
async fn keys_with_head(db: &Db, session: &mut ClientSession, held: &[Document]) -> Result<HashSet<OrderKey>> {
    let mut with_head = HashSet::new();
    for some in held.chunks(NAMED) {
        let scopes: Vec<&Bson> = some.iter().filter_map(|one| one.get("_id")).collect();
        let heads = db.parked.find(doc! { "scope": { "$in": scopes }, "holds": true });
        let heads = heads.projection(doc! { "scope": 1 }).session(&mut *session).await?;
        for head in found_in(heads, session).await? {
            with_head.extend(head.get_document("scope").ok().map(codec::order_key).transpose()?);
        }
    }
    Ok(with_head)
}
