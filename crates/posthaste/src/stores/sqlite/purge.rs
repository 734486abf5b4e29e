//! Removing what everyone is done with.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::{Connection, Transaction, named_params};

use super::{Sqlite, codec};
use crate::error::Result;
use crate::journal::Purged;
use crate::stores::values;

/// Messages removed in one transaction, so that applications wait only a few milliseconds for their turn to write.
const PER_TRANSACTION: usize = 500;

pub(super) async fn purge(store: &Sqlite, older_than: Duration, limit: usize) -> Result<Purged> {
    let from = store.shared.purge_from.load(Ordering::Relaxed);
    let one_more = limit.saturating_add(1);
    let found = store.inspecting(move |connection| find(connection, older_than, from, one_more)).await?;
    let mut purged = Purged { messages: 0, more: found.len() > limit };
    // What had to stay is not looked at again before the rest is through.
    let next = if purged.more { found[limit] - 1 } else { 0 };
    store.shared.purge_from.store(next, Ordering::Relaxed);
    for some in found[..limit.min(found.len())].chunks(PER_TRANSACTION) {
        let some = some.to_vec();
        purged.messages += store.writing(move |transaction| remove(transaction, &some)).await?;
    }
    Ok(purged)
}

pub(super) async fn purgeable(store: &Sqlite, older_than: Duration) -> Result<u64> {
    store.inspecting(move |connection| Ok(find(connection, older_than, 0, usize::MAX)?.len() as u64)).await
}

/// The oldest messages after `from` that may go.
fn find(connection: &Connection, older_than: Duration, from: i64, limit: usize) -> Result<Vec<i64>> {
    let before = codec::now().saturating_sub(values::millis(older_than));
    let mut statement = connection.prepare_cached(include_str!("sql/purge/find.sql"))?;
    let [seq, is_old, is_settled] = codec::columns(&statement, ["seq", "is_old", "is_settled"])?;
    let mut rows = statement.query(named_params! { ":before": before, ":after": from })?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        if !row.get::<_, bool>(is_old)? {
            // What comes later was written later.
            break;
        }
        if row.get(is_settled)? {
            found.push(row.get(seq)?);
        }
    }
    Ok(found)
}

/// Removes these messages and everything about them, but for those that someone has asked for since they were found.
pub(super) fn remove(transaction: &Transaction<'_>, found: &[i64]) -> Result<u64> {
    let mut message = transaction.prepare_cached(include_str!("sql/purge/message.sql"))?;
    let mut parked = transaction.prepare_cached(include_str!("sql/purge/parked.sql"))?;
    let mut attempts = transaction.prepare_cached(include_str!("sql/purge/attempts.sql"))?;
    let mut removed = 0;
    for seq in found {
        if message.execute(named_params! { ":seq": seq })? == 1 {
            parked.execute(named_params! { ":seq": seq })?;
            attempts.execute(named_params! { ":seq": seq })?;
            removed += 1;
        }
    }
    let marks = named_params! { ":limit": values::signed(PER_TRANSACTION) };
    transaction.prepare_cached(include_str!("sql/purge/marks.sql"))?.execute(marks)?;
    Ok(removed)
}
