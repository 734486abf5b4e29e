//! Giving a source back.

use super::Postgres;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, WorkerId};
use crate::stores::values::signed;

pub(super) async fn release_source(store: &Postgres, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
    let client = store.client().await?;
    let statement = client.prepare_cached(include_str!("sql/release_source.sql")).await?;
    client.execute(&statement, &[&source.as_str(), &worker.0, &signed(held.number())]).await?;
    Ok(())
}
