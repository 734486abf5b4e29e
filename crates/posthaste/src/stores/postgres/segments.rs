//! The journal in parts of a day: made ahead, dropped as a whole.

use std::time::Duration;

use deadpool_postgres::Client;

use super::codec;
use crate::error::Result;
use crate::stores::values::unsigned;

/// The day of a segment.
pub(super) const LENGTH: Duration = Duration::from_secs(24 * 3_600);

/// Makes the segments of the days to come.
pub(super) async fn add(client: &Client) -> Result<()> {
    let statement = client.prepare_cached(include_str!("sql/segments/add.sql")).await?;
    client.execute(&statement, &[]).await?;
    Ok(())
}

/// Drops what nothing keeps of the segments that are old enough, and returns how many messages went with them.
pub(super) async fn drop_old(client: &Client, older_than: Duration) -> Result<u64> {
    let old = client.prepare_cached(include_str!("sql/segments/old.sql")).await?;
    let drop = client.prepare_cached(include_str!("sql/segments/drop.sql")).await?;
    let mut messages = 0;
    for row in client.query(&old, &[&codec::micros(older_than)]).await? {
        let segment: String = row.try_get("segment")?;
        let dropped: Option<i64> = client.query_one(&drop, &[&segment]).await?.try_get("messages")?;
        messages += unsigned(dropped.unwrap_or(0));
    }
    Ok(messages)
}

/// How many messages [`drop_old`] would remove.
pub(super) async fn count_old(client: &Client, older_than: Duration) -> Result<u64> {
    let statement = client.prepare_cached(include_str!("sql/segments/count.sql")).await?;
    Ok(unsigned(client.query_one(&statement, &[&codec::micros(older_than)]).await?.try_get("messages")?))
}
