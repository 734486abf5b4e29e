//! Taking a journal over whose database is another one than it was, or went back in time.

use super::Postgres;
use super::session::Statements;
use crate::error::{Error, Kind, Result};

/// A person has looked at a journal that was refused: from here on it belongs to this database. All relays are to be stopped before,
/// and started after.
pub(super) async fn accept(store: &Postgres) -> Result<()> {
    let mut client = store.client().await?;
    let found = store.shared.identity.server().ok_or_else(|| Error::new(Kind::Unavailable, "no server was found"))?;
    let transaction = client.unhurried().await?;
    transaction.execute(include_str!("sql/accept/found.sql"), &[&found.system, &found.timeline]).await?;
    transaction.batch_execute(include_str!("sql/accept/journal.sql")).await?;
    transaction.commit().await
}
