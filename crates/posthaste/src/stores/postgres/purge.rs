//! Removing what everyone is done with.
//!
//! Whole segments go at once, which costs next to nothing however many messages they have. Message by message only where that is
//! asked for: when less than a day is to be kept, or for what was written while there was no segment for it.

use std::time::Duration;

use deadpool_postgres::Client;

use super::{Postgres, codec, segments, upkeep};
use crate::error::Result;
use crate::journal::Purged;

/// Messages removed in one transaction.
const PER_TRANSACTION: usize = 500;

impl Postgres {
    pub(super) async fn purge_up_to(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        let client = self.client().await?;
        upkeep::now(&client).await?;
        let mut purged = Purged { messages: segments::drop_old(&client, older_than).await?, more: false };
        let rest_only = older_than >= segments::LENGTH;
        while purged.messages < limit as u64 {
            let wanted = PER_TRANSACTION.min(limit - usize::try_from(purged.messages).unwrap_or(limit));
            let removed = remove(&client, older_than, wanted, rest_only).await?;
            purged.messages += removed;
            if removed < wanted as u64 {
                break;
            }
        }
        purged.more = purged.messages >= limit as u64 && purgeable(&client, older_than, 1, rest_only).await? > 0;
        Ok(purged)
    }

    pub(super) async fn count_purgeable(&self, older_than: Duration) -> Result<u64> {
        let client = self.client().await?;
        let rest_only = older_than >= segments::LENGTH;
        let single = purgeable(&client, older_than, usize::MAX, rest_only).await?;
        Ok(if rest_only { single + segments::count_old(&client, older_than).await? } else { single })
    }
}

async fn purgeable(client: &Client, older_than: Duration, limit: usize, rest_only: bool) -> Result<u64> {
    let statement = client.prepare_cached(include_str!("purge_find.sql")).await?;
    let found = client.query_one(&statement, &[&codec::micros(older_than), &rest_only, &codec::limit(limit)]).await?;
    Ok(codec::unsigned(found.try_get(0)?))
}

async fn remove(client: &Client, older_than: Duration, limit: usize, rest_only: bool) -> Result<u64> {
    let statement = client.prepare_cached(include_str!("purge_message.sql")).await?;
    let removed = client.query_one(&statement, &[&codec::micros(older_than), &rest_only, &codec::limit(limit)]).await?;
    Ok(codec::unsigned(removed.try_get(0)?))
}
