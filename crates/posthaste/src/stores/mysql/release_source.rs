//! Giving a source back.

use mysql_async::params;
use mysql_async::prelude::Queryable;

use super::MySql;
use super::retry::again;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, WorkerId};
use crate::stores::values::signed;

pub(super) async fn release_source(store: &MySql, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
    again!(release_once(store, worker, source, held))
}

async fn release_once(store: &MySql, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
    let given = params! { "source" => source.as_str(), "worker" => &worker.0, "held" => signed(held.number()) };
    Ok(store.connection().await?.exec_drop(include_str!("sql/release_source.sql"), given).await?)
}
