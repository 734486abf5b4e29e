//! A server that takes over from another one.
//!
//! All that a journal is stands in one database, so a replica that becomes the primary has a state that once was: messages, positions,
//! cursors and leases of the same moment. What the old primary committed after it is lost, and with it positions and epochs that relays
//! may still remember. So whoever finds that the journal is on another server than before makes positions jump over all that the old one
//! may have given, and ends all leases; and until that is done no relay can record anything. Then every worker begins anew with what is
//! in the store. What was delivered and not recorded is delivered again; what was delivered and lost stays delivered.

use mysql_async::params;
use mysql_async::prelude::Queryable;

use super::family::with_server;
use super::retry::again;
use super::{MySql, codec, connection};
use crate::error::{Error, Kind, Result};

/// More positions and epochs than a server can give between two moments of a replica.
const JUMP: i64 = 1 << 32;

/// Makes this server the journal's own, unless somebody else just did.
pub(super) async fn cross(store: &MySql) -> Result<()> {
    again!(cross_once(store))
}

async fn cross_once(store: &MySql) -> Result<()> {
    let mut connection = store.connection().await?;
    let lock = with_server(store, include_str!("sql/advance/lock.sql")).await?;
    let seam = with_server(store, include_str!("sql/advance/seam.sql")).await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let state = transaction.exec_first(&lock, ()).await?.ok_or_else(no_journal)?;
    if codec::get::<bool>(&state, "is_same_server")? {
        return Ok(());
    }
    transaction.exec_drop(&seam, params! { "jump" => JUMP }).await?;
    transaction.exec_drop(include_str!("sql/advance/revoke.sql"), params! { "jump" => JUMP }).await?;
    transaction.commit().await?;
    let place = &store.shared.place;
    tracing::warn!(place, "the journal is on another server than before: positions jump, and lanes begin anew");
    Ok(())
}

pub(super) fn no_journal() -> Error {
    Error::new(Kind::Schema, "the database holds no journal: run `posthaste migrate`")
}
