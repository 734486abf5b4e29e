//! Giving leases back.

use mysql_async::params;
use mysql_async::prelude::Queryable;

use super::retry::again;
use super::{MySql, codec};
use crate::error::Result;
use crate::journal::{Lease, WorkerId};

pub(super) async fn release(store: &MySql, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
    again!(release_once(store, worker, held, leaving))
}

async fn release_once(store: &MySql, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
    let mut connection = store.connection().await?;
    if !held.is_empty() {
        let sql = include_str!("sql/release/give_back.sql").replace("{leases}", &codec::leases(held));
        codec::uncached(&mut connection, sql, params! { "worker" => &worker.0 }).await?;
    }
    if leaving {
        connection.exec_drop(include_str!("sql/release/leave.sql"), params! { "worker" => &worker.0 }).await?;
        let sequencer = params! { "sequencer" => store.shared.sequencer.name() };
        connection.exec_drop(include_str!("sql/release/sequencer.sql"), sequencer).await?;
    }
    Ok(())
}
