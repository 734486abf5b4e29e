//! Making destinations known.

use super::pool::Client;
use super::session::{Statements, Transaction};
use super::{Postgres, ticks};
use crate::destination::{Destination, Name, StartFrom};
use crate::error::{Error, Result};
use crate::stores::values::{self, signed};

pub(super) async fn register(store: &Postgres, destinations: &[Destination]) -> Result<()> {
    let mut client = store.client().await?;
    let now = now(&client, destinations).await?;
    let transaction = client.transaction().await?;
    transaction.batch_execute(include_str!("sql/register/lock.sql")).await?;
    transaction.execute(include_str!("sql/register/deactivate.sql"), &[]).await?;
    transaction.execute(include_str!("sql/register/unroute.sql"), &[]).await?;
    for destination in destinations {
        let start = match destination.start_from {
            StartFrom::Beginning => (0, 0),
            StartFrom::Now => now,
        };
        add(&transaction, destination, start).await?;
    }
    transaction.commit().await
}

/// Where a destination that starts now starts: after everything that is committed, which must have its place for that. To give a
/// backlog its place takes a while, so it is not done unless a destination asks for it.
async fn now(client: &Client, destinations: &[Destination]) -> Result<(i64, i64)> {
    if destinations.iter().all(|destination| destination.start_from == StartFrom::Beginning) {
        return Ok((0, 0));
    }
    let newest = ticks::newest(client).await?;
    Ok((signed(newest.n), newest.end_seq))
}

/// Names a destination, gives it the cursors that it lacks, and says what it takes.
async fn add(transaction: &Transaction<'_>, destination: &Destination, (tick, seq): (i64, i64)) -> Result<()> {
    let name = destination.name.as_str();
    let patterns: Vec<_> = destination.route.patterns().iter().map(|pattern| values::like(pattern)).collect();
    transaction.execute(include_str!("sql/register/destination.sql"), &[&name]).await?;
    transaction.execute(include_str!("sql/register/cursors.sql"), &[&name, &tick, &seq]).await?;
    transaction.execute(include_str!("sql/register/route.sql"), &[&name, &patterns]).await?;
    Ok(())
}

/// Fails for a destination that was never registered.
pub(super) async fn check_known(client: &Client, destination: &Name) -> Result<()> {
    match client.query_opt(include_str!("sql/register/known.sql"), &[&destination.as_str()]).await? {
        Some(_) => Ok(()),
        None => Err(Error::unknown_destination(destination)),
    }
}
