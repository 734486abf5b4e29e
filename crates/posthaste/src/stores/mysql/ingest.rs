//! What was made of a source's events, and where reading goes on.

use mysql_async::params;
use mysql_async::prelude::Queryable;

use super::retry::again;
use super::{MySql, Outbox, connection, mark, partitions};
use crate::crash_point::crash_point;
use crate::error::Result;
use crate::journal::{Ingest, Ingested};
use crate::stores::values::signed;

pub(super) async fn ingest(store: &MySql, ingest: &Ingest) -> Result<Option<Ingested>> {
    let ingested = again!(ingest_once(store, ingest))?;
    store.wake();
    Ok(ingested)
}

async fn ingest_once(store: &MySql, ingest: &Ingest) -> Result<Option<Ingested>> {
    let mut connection = store.connection().await?;
    partitions::known(store, &mut connection).await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let (source, epoch) = (ingest.source.as_str(), signed(ingest.epoch.number()));
    let fence = params! { "source" => source, "worker" => &ingest.worker.0, "epoch" => epoch };
    let held: Option<i64> = transaction.exec_first(include_str!("sql/ingest/fence.sql"), fence).await?;
    if held.is_none() {
        return Ok(None);
    }
    let enqueued = Outbox::new().enqueue(&mut transaction, &ingest.messages).await?;
    let marked = mark::mark(store, &mut transaction, ingest.marking.as_ref()).await?;
    let moved = params! {
        "source" => source,
        "checkpoint" => ingest.checkpoint.as_str(),
        "last_event" => ingest.last_event.as_deref(),
        "events" => signed(ingest.tally.events),
        "stored" => signed(enqueued.stored),
        "duplicates" => signed(enqueued.duplicates),
        "ignored" => signed(ingest.tally.ignored),
        "refused" => signed(ingest.tally.refused),
    };
    transaction.exec_drop(include_str!("sql/ingest/move.sql"), moved).await?;
    crash_point("within_ingest");
    transaction.commit().await?;
    Ok(Some(Ingested { enqueued, marked }))
}
