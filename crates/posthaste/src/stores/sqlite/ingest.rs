//! What was made of a source's events, and where reading goes on.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior, named_params};

use super::{Outbox, Sqlite, codec, mark};
use crate::crash_point::crash_point;
use crate::error::Result;
use crate::journal::{Enqueued, Ingest, Ingested};
use crate::stores::values::signed;

pub(super) async fn ingest(store: &Sqlite, ingest: &Ingest) -> Result<Option<Ingested>> {
    let (ingest, path) = (ingest.clone(), store.shared.path.clone());
    let ingested = store.with_writer(move |writer| {
        // The log is told that it was stored, and may forget it: a power failure must not undo it.
        writer.pragma_update(None, "synchronous", "FULL")?;
        let ingested = in_transaction(writer, &ingest, &path);
        writer.pragma_update(None, "synchronous", "NORMAL")?;
        ingested
    });
    let ingested = ingested.await?;
    store.wake();
    Ok(ingested)
}

fn in_transaction(writer: &mut Connection, ingest: &Ingest, path: &Path) -> Result<Option<Ingested>> {
    let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let enqueued = Outbox::new().enqueue(&transaction, &ingest.messages)?;
    let marked = mark::mark(&transaction, path, ingest.marking.as_ref())?;
    // What was stored is undone with the transaction if the source is no longer held.
    if !move_on(&transaction, ingest, enqueued)? {
        return Ok(None);
    }
    crash_point("within_ingest");
    transaction.commit()?;
    Ok(Some(Ingested { enqueued, marked }))
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
