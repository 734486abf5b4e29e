//! Taking a journal over whose database is another one than it was, or went back in time.

use super::Postgres;
use crate::error::Result;

/// A person has looked at a journal that was refused: from here on it belongs to this database. All relays are to be stopped before,
/// and started after.
pub(super) async fn accept(store: &Postgres) -> Result<()> {
    let mut client = store.client().await?;
    let transaction = client.transaction().await?;
    transaction.batch_execute(include_str!("sql/accept.sql")).await?;
    Ok(transaction.commit().await?)
}
