//! The journal in parts of a day: made ahead, dropped as a whole.

use std::time::Duration;

use super::codec;
use super::pool::Client;
use super::session::Statements;
use crate::error::Result;
use crate::stores::values::unsigned;

/// The day of a segment.
pub(super) const LENGTH: Duration = Duration::from_secs(24 * 3_600);

/// Makes the segments of the days to come.
pub(super) async fn add(client: &Client) -> Result<()> {
    client.execute(include_str!("sql/segments/add.sql"), &[]).await?;
    Ok(())
}

/// Drops what nothing keeps of the segments that are old enough, and returns how many messages went with them.
pub(super) async fn drop_old(client: &Client, older_than: Duration) -> Result<u64> {
    let mut messages = 0;
    for row in client.query(include_str!("sql/segments/old.sql"), &[&codec::micros(older_than)]).await? {
        let segment: String = row.try_get("segment")?;
        let dropped: Option<i64> =
            client.query_one(include_str!("sql/segments/drop.sql"), &[&segment]).await?.try_get("messages")?;
        messages += unsigned(dropped.unwrap_or(0));
    }
    Ok(messages)
}

/// How many messages [`drop_old`] would remove.
pub(super) async fn count_old(client: &Client, older_than: Duration) -> Result<u64> {
    Ok(unsigned(
        client
            .query_one(include_str!("sql/segments/count.sql"), &[&codec::micros(older_than)])
            .await?
            .try_get("messages")?,
    ))
}
