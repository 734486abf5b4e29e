//! Giving leases back.

use rusqlite::named_params;

use super::Sqlite;
use crate::error::Result;
use crate::journal::{Lease, WorkerId};

pub(super) async fn release(store: &Sqlite, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
    let (worker, held) = (worker.clone(), held.to_vec());
    store
        .writing(move |transaction| {
            let mut give_back = transaction.prepare_cached(include_str!("sql/release/give_back.sql"))?;
            for Lease { partition, epoch, .. } in held {
                give_back.execute(named_params! { ":partition": partition, ":epoch": epoch, ":worker": worker.0 })?;
            }
            if leaving {
                let gone = named_params! { ":worker": worker.0 };
                transaction.prepare_cached(include_str!("sql/release/leave.sql"))?.execute(gone)?;
            }
            Ok(())
        })
        .await
}
