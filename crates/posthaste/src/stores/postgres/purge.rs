//! Removing what every destination is done with.
//!
//! Whole segments go at once, which costs next to nothing however many messages they have. Single messages are removed only where
//! that is asked for: when less than a day is to be kept, or for what was written while there was no segment for it.

use std::time::Duration;

use super::pool::Client;
use super::session::Statements;
use super::{Postgres, codec, segments, upkeep};
use crate::error::Result;
use crate::journal::Purged;
use crate::stores::values::{signed, unsigned};

/// Messages removed in one transaction.
const PER_TRANSACTION: usize = 500;

pub(super) async fn purge(store: &Postgres, older_than: Duration, limit: usize) -> Result<Purged> {
    let client = store.client().await?;
    upkeep::run(&client).await?;
    let mut purged = Purged { messages: segments::drop_old(&client, older_than).await?, more: false };
    let single = Single::of(&client, older_than);
    while purged.messages < limit as u64 {
        let wanted = PER_TRANSACTION.min(limit - usize::try_from(purged.messages).unwrap_or(limit));
        let removed = single.remove(wanted).await?;
        purged.messages += removed;
        if removed < wanted as u64 {
            break;
        }
    }
    purged.more = purged.messages >= limit as u64 && single.count(1).await? > 0;
    Ok(purged)
}

pub(super) async fn purgeable(store: &Postgres, older_than: Duration) -> Result<u64> {
    let client = store.client().await?;
    let single = Single::of(&client, older_than);
    let messages = single.count(usize::MAX).await?;
    Ok(if single.rest_only { messages + segments::count_old(&client, older_than).await? } else { messages })
}

/// Messages that go one by one.
struct Single<'a> {
    client: &'a Client,
    older_than: Duration,
    /// Only those that lie in no segment, because segments go as a whole.
    rest_only: bool,
}

impl<'a> Single<'a> {
    fn of(client: &'a Client, older_than: Duration) -> Self {
        Self { client, older_than, rest_only: older_than >= segments::LENGTH }
    }

    async fn count(&self, limit: usize) -> Result<u64> {
        self.run(include_str!("sql/purge/find.sql"), limit).await
    }

    async fn remove(&self, limit: usize) -> Result<u64> {
        self.run(include_str!("sql/purge/message.sql"), limit).await
    }

    async fn run(&self, sql: &str, limit: usize) -> Result<u64> {
        let (older_than, limit) = (codec::micros(self.older_than), signed(limit));
        let row = self.client.query_one(sql, &[&older_than, &self.rest_only, &limit]).await?;
        Ok(unsigned(row.try_get("messages")?))
    }
}
