//! Giving a source back.

use rusqlite::named_params;

use super::Sqlite;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, WorkerId};

pub(super) async fn release_source(store: &Sqlite, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
    let (worker, source) = (worker.clone(), source.clone());
    store
        .writing(move |transaction| {
            let given = named_params! { ":source": source.as_str(), ":worker": worker.0, ":held": held };
            transaction.prepare_cached(include_str!("sql/release_source.sql"))?.execute(given)?;
            Ok(())
        })
        .await
}
