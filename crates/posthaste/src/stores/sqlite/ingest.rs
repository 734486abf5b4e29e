//! What was made of a source's events, and where reading goes on.

use rusqlite::{Transaction, named_params};

use super::{Outbox, Sqlite, codec};
use crate::error::Result;
use crate::journal::{Enqueued, Ingest};
use crate::stores::values::signed;

pub(super) async fn ingest(store: &Sqlite, ingest: &Ingest) -> Result<Option<Enqueued>> {
    let ingest = ingest.clone();
    let ingested = store.with_writer(move |writer| {
        let transaction = writer.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let enqueued = Outbox::new().enqueue(&transaction, &ingest.messages)?;
        // What was stored is undone with the transaction if the source is no longer held.
        if !move_on(&transaction, &ingest, enqueued)? {
            return Ok(None);
        }
        transaction.commit()?;
        Ok(Some(enqueued))
    });
    let ingested = ingested.await?;
    store.wake();
    Ok(ingested)
}

/// Whether the source is still held.
fn move_on(transaction: &Transaction<'_>, ingest: &Ingest, enqueued: Enqueued) -> Result<bool> {
    let mut statement = transaction.prepare_cached(include_str!("sql/ingest.sql"))?;
    let moved = statement.execute(named_params! {
        ":source": ingest.source.as_str(),
        ":worker": ingest.worker.0,
        ":epoch": ingest.epoch,
        ":checkpoint": ingest.checkpoint.as_str(),
        ":now": codec::now(),
        ":last_event": ingest.last_event,
        ":events": signed(ingest.tally.events),
        ":stored": signed(enqueued.stored),
        ":duplicates": signed(enqueued.duplicates),
        ":ignored": signed(ingest.tally.ignored),
        ":refused": signed(ingest.tally.refused),
    })?;
    Ok(moved == 1)
}
