//! Giving leases back.

use super::session::Statements;
use super::{Postgres, codec};
use crate::error::Result;
use crate::journal::{Lease, WorkerId};

pub(super) async fn release(store: &Postgres, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
    let client = store.client().await?;
    let (partitions, epochs) = codec::leases(held);
    client.execute(include_str!("sql/release.sql"), &[&worker.0, &partitions, &epochs, &leaving]).await?;
    Ok(())
}
