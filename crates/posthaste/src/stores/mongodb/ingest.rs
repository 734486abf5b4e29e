//! What was made of a source's events, and where reading goes on.

use mongodb::ClientSession;
use mongodb::bson::{Document, doc};

use super::MongoDb;
use super::codec::{epoch, signed};
use super::retry::in_transaction;
use crate::error::Result;
use crate::journal::{Ingest, Ingested, Marked};

pub(super) async fn ingest(store: &MongoDb, ingest: &Ingest) -> Result<Option<Ingested>> {
    let db = store.db();
    in_transaction!(db, session => record(store, &mut session, ingest))
}

/// Everything, or nothing and `None` if the source is no longer held. The update names the epoch, so of it and a takeover one fails.
async fn record(store: &MongoDb, session: &mut ClientSession, ingest: &Ingest) -> Result<Option<Ingested>> {
    let fence = doc! { "_id": ingest.source.as_str(), "worker": &ingest.worker.0, "epoch": epoch(ingest.epoch) };
    let sources = &store.db().sources;
    let moved = sources.update_one(fence.clone(), vec![moved(ingest)]).session(&mut *session).await?;
    if moved.matched_count == 0 {
        return Ok(None);
    }
    let enqueued = store.outbox().enqueue(session, &ingest.messages).await?;
    let counts = doc! { "$inc": {
        "events": signed(ingest.tally.events),
        "stored": signed(enqueued.stored),
        "duplicates": signed(enqueued.duplicates),
        "ignored": signed(ingest.tally.ignored),
        "refused": signed(ingest.tally.refused),
    } };
    sources.update_one(fence, counts).session(session).await?;
    Ok(Some(Ingested { enqueued, marked: Marked::No }))
}

fn moved(ingest: &Ingest) -> Document {
    let mut set = doc! { "checkpoint": { "$literal": ingest.checkpoint.as_str() }, "movedAt": "$$NOW" };
    if let Some(last) = &ingest.last_event {
        set.insert("lastEvent", doc! { "$literal": last });
    }
    doc! { "$set": set }
}
