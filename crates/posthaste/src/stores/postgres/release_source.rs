//! Giving a source back.

use super::Postgres;
use super::session::Statements;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, WorkerId};
use crate::stores::values::signed;

pub(super) async fn release_source(store: &Postgres, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
    let client = store.client().await?;
    client
        .execute(include_str!("sql/release_source.sql"), &[&source.as_str(), &worker.0, &signed(held.number())])
        .await?;
    Ok(())
}
