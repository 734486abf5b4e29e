//! What waits behind a held key.
//!
//! The index has a key's messages in the order of their sequence numbers, while they are to be delivered by tick first. Nearly
//! always that is the same, so as many as are requested are taken from the index, and only those are kept that no message further
//! on can come before. If that leaves none, all of the key's messages are put in order.

use tokio_postgres::types::ToSql;

use super::pool::Client;
use super::session::Statements;
use super::{Postgres, codec, register};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, Entry, HeldKey, Partition};
use crate::stores::statement::with_columns;
use crate::stores::values::{signed, unsigned};

pub(super) async fn read_key(
    store: &Postgres,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Batch> {
    let client = store.client().await?;
    register::check_known(&client, destination).await?;
    let request = Request { client: &client, destination, partition, held, limit };
    let mut found = request.read(with_columns!(codec::COLUMNS, "sql/read_key/by_index.sql")).await?;
    let Some(last) = found.last().filter(|_| found.len() >= limit) else {
        found.sort_by_key(|entry| entry.position);
        return Ok(Batch { entries: found, upto: held.until });
    };
    if let Some(reach) = request.reach(last).await? {
        found.retain(|entry| entry.position.tick <= reach);
    }
    found.sort_by_key(|entry| entry.position);
    if let Some(last) = found.last() {
        return Ok(Batch { upto: last.position, entries: found });
    }
    let all = request.read(with_columns!(codec::COLUMNS, "sql/read_key/all.sql")).await?;
    Ok(Batch::limited(all, limit, held.until))
}

struct Request<'a> {
    client: &'a Client,
    destination: &'a Name,
    partition: Partition,
    held: &'a HeldKey,
    limit: usize,
}

impl Request<'_> {
    async fn read(&self, sql: &str) -> Result<Vec<Entry>> {
        let HeldKey { key, after, until } = self.held;
        let params: [&(dyn ToSql + Sync); 9] = [
            &self.destination.as_str(),
            &i32::from(self.partition.number()),
            &key.key.as_str(),
            &key.tenant.as_deref(),
            &signed(after.tick),
            &signed(after.seq),
            &signed(until.tick),
            &signed(until.seq),
            &signed(self.limit),
        ];
        let rows = self.client.query(sql, &params).await?;
        rows.iter().map(|row| codec::entry(row, unsigned(row.try_get("tick")?))).collect()
    }

    /// The first tick that has messages with higher sequence numbers than this one.
    async fn reach(&self, last: &Entry) -> Result<Option<u64>> {
        let from = [signed(self.held.after.tick), signed(last.position.seq)];
        let row = self.client.query_opt(include_str!("sql/read_key/reach.sql"), &[&from[0], &from[1]]).await?;
        row.map(|row| Ok(unsigned(row.try_get("n")?))).transpose()
    }
}
