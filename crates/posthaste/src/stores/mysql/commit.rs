//! What lanes record: one transaction for all of them, and the only write of the hot path.

use std::collections::{BTreeMap, HashMap};

use mysql_async::prelude::Queryable;
use mysql_async::{Row, Transaction, params};

use self::exceptions::Exceptions;
pub(super) use self::marks::Marks;
use super::family::with_server;
use super::retry::again;
use super::{MySql, Outbox, codec, connection};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::journal::{Epoch, LaneCommit, Partition};
use crate::stores::{done, values};

mod exceptions;
mod marks;

pub(super) async fn commit(store: &MySql, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let refused = again!(commit_all(store, commits))?;
    if commits.iter().any(|commit| !commit.letters.is_empty()) {
        store.wake();
    }
    Ok(refused)
}

async fn commit_all(store: &MySql, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
    let mut connection = store.connection().await?;
    let fence = with_server(store, include_str!("sql/commit/fence.sql")).await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let mut refused = Vec::new();
    for (destination, lanes) in by_destination(commits) {
        let holders = holders(&mut transaction, &fence, destination, &lanes).await?;
        let (held, gone): (Vec<_>, Vec<_>) =
            lanes.into_iter().partition(|lane| holders.contains_key(&(lane.partition, lane.epoch)));
        refused.extend(gone.iter().map(|lane| lane.partition));
        move_cursors(store, &mut transaction, destination, &held, &holders).await?;
        for lane in held.iter().filter(|lane| !lane.is_cursor_only()) {
            let worker = &holders[&(lane.partition, lane.epoch)];
            Exceptions { commit: lane, worker }.write(&mut transaction).await?;
            for letter in &lane.letters {
                Outbox::new().enqueue(&mut transaction, std::slice::from_ref(letter)).await?;
            }
        }
        recall(&mut transaction, destination, &held).await?;
    }
    transaction.commit().await?;
    refused.sort_unstable();
    refused.dedup();
    Ok(refused)
}

fn by_destination(commits: &[LaneCommit]) -> BTreeMap<&Name, Vec<&LaneCommit>> {
    let mut lanes: BTreeMap<&Name, Vec<&LaneCommit>> = BTreeMap::new();
    for commit in commits {
        lanes.entry(&commit.destination).or_default().push(commit);
    }
    lanes
}

/// Workers by what they hold.
type Holders = HashMap<(Partition, Epoch), String>;

/// Who may write to these lanes.
async fn holders(
    transaction: &mut Transaction<'_>,
    fence: &str,
    destination: &Name,
    lanes: &[&LaneCommit],
) -> Result<Holders> {
    let sql = fence.replace("{partitions}", &codec::partitions(lanes.iter().map(|lane| lane.partition)));
    let rows = codec::cached(transaction, sql, params! { "destination" => destination.as_str() }).await?;
    let holder = |row: &Row| {
        if !codec::get::<bool>(row, "is_known")? {
            return Err(Error::unknown_destination(destination));
        }
        Ok(((codec::partition(row)?, Epoch::new(codec::get(row, "epoch")?)), codec::get(row, "worker")?))
    };
    rows.iter().map(holder).collect()
}

/// What waits for a paused tenant is due now, in those lanes that want to look at it again.
async fn recall(transaction: &mut Transaction<'_>, destination: &Name, lanes: &[&LaneCommit]) -> Result<()> {
    let recalled: Vec<Partition> = lanes.iter().filter(|lane| lane.recall).map(|lane| lane.partition).collect();
    if recalled.is_empty() {
        return Ok(());
    }
    let sql = include_str!("sql/commit/recall.sql").replace("{partitions}", &codec::partitions(recalled));
    Ok(transaction.exec_drop(sql, params! { "destination" => destination.as_str() }).await?)
}

/// Moves the cursors of those lanes that have moved.
async fn move_cursors(
    store: &MySql,
    transaction: &mut Transaction<'_>,
    destination: &Name,
    lanes: &[&LaneCommit],
    holders: &Holders,
) -> Result<()> {
    let moved: Vec<_> = lanes.iter().filter_map(|lane| Some((*lane, lane.cursor.as_ref()?))).collect();
    if moved.is_empty() {
        return Ok(());
    }
    marks::mark(store, transaction, destination, moved.iter().map(|(lane, _)| lane.partition)).await?;
    let row = "(?, ?, ?, ?, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), ?)";
    let sql = include_str!("sql/commit/cursor.sql").replace("{cursors}", &vec![row; moved.len()].join(", "));
    let mut params = Vec::with_capacity(moved.len() * 5);
    for (lane, to) in moved {
        let worker = &holders[&(lane.partition, lane.epoch)];
        let (low, done) = (values::seq(to.low), done::encode(to));
        params.extend([
            lane.partition.number().into(),
            destination.as_str().into(),
            low.into(),
            done.into(),
            worker.into(),
        ]);
    }
    Ok(transaction.exec_drop(sql, mysql_async::Params::Positional(params)).await?)
}
