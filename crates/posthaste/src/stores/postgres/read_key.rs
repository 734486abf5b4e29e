//! What waits behind a held key.
//!
//! The index has a key's messages in the order of their sequence numbers, while they are to be delivered by tick first. Nearly
//! always that is the same, so as many as are asked for are taken from the index, and only those are kept that no message further
//! on can come before. If that leaves none, all of the key's messages are put in order.

use deadpool_postgres::Client;
use tokio_postgres::types::ToSql;

use super::codec::{self, AFTER_MESSAGE};
use super::{Postgres, register};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Entry, HeldKey, Partition};

impl Postgres {
    pub(super) async fn read_held(
        &self,
        destination: &Name,
        partition: Partition,
        held: &HeldKey,
        limit: usize,
    ) -> Result<Vec<Entry>> {
        let client = self.client().await?;
        register::known(&client, destination).await?;
        let asked = Asked { client: &client, destination, partition, held, limit };
        let mut found = asked.read(include_str!("read_key.sql")).await?;
        if found.len() == limit
            && let Some(last) = found.last()
        {
            let reach = asked.reach(last).await?;
            found.retain(|entry| reach.is_none_or(|reach| entry.position.tick <= reach));
            if found.is_empty() {
                return asked.read(include_str!("read_key_all.sql")).await;
            }
        }
        found.sort_by_key(|entry| entry.position);
        Ok(found)
    }
}

struct Asked<'a> {
    client: &'a Client,
    destination: &'a Name,
    partition: Partition,
    held: &'a HeldKey,
    limit: usize,
}

impl Asked<'_> {
    async fn read(&self, sql: &str) -> Result<Vec<Entry>> {
        let statement = self.client.prepare_cached(sql).await?;
        let HeldKey { key, after, until } = self.held;
        let params: [&(dyn ToSql + Sync); 9] = [
            &self.destination.as_str(),
            &i32::from(self.partition.number()),
            &key.key.as_str(),
            &key.tenant.as_deref(),
            &codec::signed(after.tick),
            &codec::signed(after.seq),
            &codec::signed(until.tick),
            &codec::signed(until.seq),
            &codec::limit(self.limit),
        ];
        let rows = self.client.query(&statement, &params).await?;
        rows.iter().map(|row| codec::entry(row, codec::unsigned(row.try_get(AFTER_MESSAGE)?))).collect()
    }

    /// The first tick that has messages with higher sequence numbers than this one.
    async fn reach(&self, last: &Entry) -> Result<Option<u64>> {
        let statement = self.client.prepare_cached(include_str!("read_key_reach.sql")).await?;
        let from = [codec::signed(self.held.after.tick), codec::signed(last.position.seq)];
        let row = self.client.query_opt(&statement, &[&from[0], &from[1]]).await?;
        row.map(|row| Ok(codec::unsigned(row.try_get(0)?))).transpose()
    }
}
