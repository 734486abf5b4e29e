//! Making destinations known.

use deadpool_postgres::Client;

use super::{Postgres, codec, error};
use crate::destination::{Destination, Name, StartFrom};
use crate::error::Result;

impl Postgres {
    pub(super) async fn make_known(&self, destinations: &[Destination]) -> Result<()> {
        let mut client = self.client().await?;
        let now = self.now(&client, destinations).await?;
        let transaction = client.transaction().await?;
        transaction.batch_execute(include_str!("register_lock.sql")).await?;
        transaction.execute(include_str!("register_deactivate.sql"), &[]).await?;
        transaction.execute(include_str!("register_unroute.sql"), &[]).await?;
        for destination in destinations {
            let name = destination.name.as_str();
            let (tick, seq) = match destination.start_from {
                StartFrom::Beginning => (0, 0),
                StartFrom::Now => now,
            };
            transaction.execute(include_str!("register_destination.sql"), &[&name]).await?;
            transaction.execute(include_str!("register_cursors.sql"), &[&name, &tick, &seq]).await?;
            let patterns: Vec<_> = destination.route.patterns().iter().map(|pattern| codec::like(pattern)).collect();
            transaction.execute(include_str!("register_route.sql"), &[&name, &patterns]).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Where whoever starts now starts: after everything that is committed, so that must have its place. To give a backlog its
    /// place takes a while, so it is not done unless somebody asks.
    async fn now(&self, client: &Client, destinations: &[Destination]) -> Result<(i64, i64)> {
        if destinations.iter().all(|destination| destination.start_from == StartFrom::Beginning) {
            return Ok((0, 0));
        }
        let newest = self.shared.ticks.advance(client).await?;
        Ok((codec::signed(newest.n), newest.end_seq))
    }
}

/// Fails for a destination that was never registered.
pub(super) async fn known(client: &Client, destination: &Name) -> Result<()> {
    let statement = client.prepare_cached(include_str!("known.sql")).await?;
    match client.query_opt(&statement, &[&destination.as_str()]).await? {
        Some(_) => Ok(()),
        None => Err(error::unknown(destination)),
    }
}
