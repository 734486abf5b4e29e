//! What was made of a source's events, and where reading goes on.

use tokio_postgres::types::ToSql;

use super::session::Statements;
use super::{Postgres, mark};
use crate::crash_point::crash_point;
use crate::error::Result;
use crate::journal::{Ingest, Ingested};
use crate::stores::values::signed;

pub(super) async fn ingest(store: &Postgres, ingest: &Ingest) -> Result<Option<Ingested>> {
    let mut client = store.client().await?;
    let transaction = client.transaction().await?;
    let enqueued = store.outbox().enqueue(&transaction, &ingest.messages).await?;
    let marked = mark::mark(store, &transaction, ingest.marking.as_ref()).await?;
    let (source, checkpoint) = (ingest.source.as_str(), ingest.checkpoint.as_str());
    let tally = [ingest.tally.events, ingest.tally.ignored, ingest.tally.refused].map(signed);
    let (epoch, stored, duplicates) =
        (signed(ingest.epoch.number()), signed(enqueued.stored), signed(enqueued.duplicates));
    let values: [&(dyn ToSql + Sync); 10] = [
        &source,
        &ingest.worker.0,
        &epoch,
        &checkpoint,
        &ingest.last_event,
        &tally[0],
        &stored,
        &duplicates,
        &tally[1],
        &tally[2],
    ];
    // What was stored is undone with the transaction if the source is no longer held.
    if transaction.execute(include_str!("sql/ingest.sql"), &values).await? == 0 {
        return Ok(None);
    }
    crash_point("within_ingest");
    transaction.commit().await?;
    store.wake();
    Ok(Some(Ingested { enqueued, marked }))
}
