//! Removing what everyone is done with: small deletes in the order of the table, which lock nothing that an application needs.

use std::sync::atomic::Ordering;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, Transaction, params};

use super::retry::again;
use super::{MySql, codec, connection, sequencer};
use crate::error::Result;
use crate::journal::Purged;

mod places;

/// Messages removed in one transaction.
const PER_TRANSACTION: usize = 500;

/// Messages looked at together.
const CHUNK: usize = 1_000;

pub(super) async fn purge(store: &MySql, older_than: Duration, limit: usize) -> Result<Purged> {
    sequencer::place_new(store).await?;
    let from = store.shared.purge_from.load(Ordering::Relaxed);
    let mut connection = store.connection().await?;
    let sql = finding(store).await?;
    let found = find(&mut connection, &sql, older_than, from, limit.saturating_add(1)).await?;
    drop(connection);
    let mut purged = Purged { messages: 0, more: found.len() > limit };
    // What had to stay is not looked at again before the rest is through.
    let next = if purged.more { found[limit].seq - 1 } else { 0 };
    store.shared.purge_from.store(next, Ordering::Relaxed);
    for some in found[..limit.min(found.len())].chunks(PER_TRANSACTION) {
        purged.messages += again!(remove(store, some))?;
    }
    if purged.messages > 0 {
        again!(places::tidy(store, &found))?;
    }
    Ok(purged)
}

pub(super) async fn purgeable(store: &MySql, older_than: Duration) -> Result<u64> {
    sequencer::place_new(store).await?;
    let mut connection = store.connection().await?;
    let sql = finding(store).await?;
    Ok(find(&mut connection, &sql, older_than, 0, usize::MAX).await?.len() as u64)
}

/// A message that may go.
struct Found {
    seq: i64,
    position: i64,
}

/// The statement that finds them.
async fn finding(store: &MySql) -> Result<String> {
    Ok(store.family().await?.variant(include_str!("sql/purge/find.sql")).replace("{limit}", &CHUNK.to_string()))
}

/// The oldest messages after `from` that may go.
async fn find(connection: &mut Conn, sql: &str, older_than: Duration, from: i64, limit: usize) -> Result<Vec<Found>> {
    let (mut found, mut after) = (Vec::new(), from);
    loop {
        let next = params! { "after" => after, "older_than" => codec::micros(older_than) };
        let rows: Vec<Row> = connection.exec(sql, next).await?;
        for row in &rows {
            after = codec::get(row, "seq")?;
            // What comes later was written later.
            if !codec::get::<bool>(row, "is_old")? || found.len() == limit {
                return Ok(found);
            }
            if codec::get::<bool>(row, "is_settled")? {
                found.push(Found { seq: after, position: codec::get(row, "position")? });
            }
        }
        if rows.len() < CHUNK {
            return Ok(found);
        }
    }
}

/// Removes these messages and everything about them, but for those that someone has asked for since they were found.
async fn remove(store: &MySql, found: &[Found]) -> Result<u64> {
    let mut connection = store.connection().await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let all = codec::numbers(found.iter().map(|one| one.seq));
    transaction.query_drop(include_str!("sql/purge/lock.sql").replace("{seqs}", &all)).await?;
    let wanted: Vec<i64> = transaction.query(include_str!("sql/purge/wanted.sql").replace("{seqs}", &all)).await?;
    let going: Vec<&Found> = found.iter().filter(|one| !wanted.contains(&one.seq)).collect();
    if going.is_empty() {
        return Ok(0);
    }
    let removed = remove_all(&mut transaction, &going).await?;
    transaction.commit().await?;
    Ok(removed)
}

async fn remove_all(transaction: &mut Transaction<'_>, going: &[&Found]) -> Result<u64> {
    let seqs = codec::numbers(going.iter().map(|one| one.seq));
    let positions = codec::numbers(going.iter().map(|one| one.position));
    transaction.query_drop(include_str!("sql/purge/parked.sql").replace("{seqs}", &seqs)).await?;
    transaction.query_drop(include_str!("sql/purge/attempts.sql").replace("{positions}", &positions)).await?;
    let gone = transaction.query_iter(include_str!("sql/purge/messages.sql").replace("{seqs}", &seqs)).await?;
    let removed = gone.affected_rows();
    gone.drop_result().await?;
    let marks = include_str!("sql/purge/marks.sql").replace("{limit}", &PER_TRANSACTION.to_string());
    transaction.query_drop(marks).await?;
    Ok(removed)
}
