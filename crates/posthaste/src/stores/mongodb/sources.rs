//! Sources as people see them.

use mongodb::ClientSession;
use mongodb::bson::{Document, doc};

use super::MongoDb;
use super::codec::{self, moment, text, unsigned, whole};
use super::db::{Db, found_in};
use super::retry::in_snapshot;
use super::state::State;
use crate::error::Result;
use crate::inspect::SourceStatus;
use crate::source::Checkpoint;
use crate::stores::values::{source_report, timestamp};

pub(super) async fn sources(store: &MongoDb) -> Result<Vec<SourceStatus>> {
    let db = store.db();
    in_snapshot!(db, session => find(db, &mut session, doc! {}))
}

/// Every source that matches, by name.
pub(super) async fn find(db: &Db, session: &mut ClientSession, which: Document) -> Result<Vec<SourceStatus>> {
    let now = State::load(db, session).await?.now;
    let find = db.sources.find(which).sort(doc! { "_id": 1 }).session(&mut *session).await?;
    found_in(find, session).await?.iter().map(|source| status(source, now)).collect()
}

fn status(source: &Document, now: i64) -> Result<SourceStatus> {
    let count = |name| whole(source, name).map(unsigned);
    let worker = source.get_str("worker").ok().map(str::to_owned);
    Ok(SourceStatus {
        name: text(source, "_id")?,
        paused: source.get_bool("paused").unwrap_or_default(),
        checkpoint: source.get_str("checkpoint").ok().map(Checkpoint::stored),
        held: worker.is_some() && moment(source, "expiresAt").is_some_and(|until| until > now),
        worker,
        epoch: codec::decode_epoch(source)?,
        events: count("events")?,
        stored: count("stored")?,
        duplicates: count("duplicates")?,
        ignored: count("ignored")?,
        refused: count("refused")?,
        last_event: source.get_str("lastEvent").ok().map(str::to_owned),
        moved_at: moment(source, "movedAt").map(timestamp),
        report: source_report(source.get_str("report").ok()),
    })
}
