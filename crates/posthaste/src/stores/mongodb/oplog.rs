//! How far back the oplog reaches. A relay that was away for longer cannot resume its change stream: it polls, which costs no
//! message, and orders plain documents without `recordedAt` as they were stored.

use std::time::Duration;

use mongodb::bson::{Document, doc};
use mongodb::options::{CollectionOptions, ReadConcern, ReadPreference, SelectionCriteria};
use mongodb::{Client, Collection};

use super::codec::number;
use super::db::Db;
use crate::inspect::Problem;

/// A weekend is longer, a night is not.
const SHORT: Duration = Duration::from_secs(24 * 3_600);

/// For how long the oplog is asked.
const PATIENCE: Duration = Duration::from_secs(2);

/// The oplog of the primary.
pub(super) struct Oplog {
    /// From its oldest entry to its newest.
    pub(super) window: Duration,
    /// It drops its oldest entries by now, so the window is all there will be.
    is_full: bool,
}

impl Oplog {
    /// A person should know about a short one, unless it is only young.
    pub(super) fn problem(&self) -> Option<Problem> {
        let minutes = self.window.as_secs() / 60;
        let text = format!(
            "the oplog reaches back {} h {} min: a relay that is away for longer has to look through the collection, and the order \
             of plain documents without `recordedAt` is then that of their storage. Let it keep a day, in mongosh: \
             db.adminCommand({{ replSetResizeOplog: 1, minRetentionHours: 24 }})",
            minutes / 60,
            minutes % 60
        );
        (self.is_full && self.window < SHORT).then(|| Problem::warning(text))
    }
}

/// `None` where it cannot be seen: that takes the role `read` on `local`, and a router has none.
pub(super) async fn see(db: &Db) -> Option<Oplog> {
    tokio::time::timeout(PATIENCE, window(&oplog(db.database.client()))).await.ok()?.ok()?
}

fn oplog(client: &Client) -> Collection<Document> {
    let primary = SelectionCriteria::ReadPreference(ReadPreference::Primary);
    let options = CollectionOptions::builder().selection_criteria(primary).read_concern(ReadConcern::local()).build();
    client.database("local").collection_with_options("oplog.rs", options)
}

/// From its oldest to its newest entry, which are where it begins and ends.
async fn window(oplog: &Collection<Document>) -> mongodb::error::Result<Option<Oplog>> {
    let end = |direction: i32| async move {
        let only = doc! { "ts": 1 };
        let entry = oplog.find_one(doc! {}).sort(doc! { "$natural": direction }).projection(only).await?;
        mongodb::error::Result::Ok(entry.and_then(|entry| entry.get_timestamp("ts").ok()))
    };
    let (Some(oldest), Some(newest)) = (end(1).await?, end(-1).await?) else { return Ok(None) };
    let window = Duration::from_secs(newest.time.saturating_sub(oldest.time).into());
    Ok(Some(Oplog { window, is_full: is_full(oplog).await? }))
}

/// It drops a tenth of its size at a time, or less.
async fn is_full(oplog: &Collection<Document>) -> mongodb::error::Result<bool> {
    let mut cursor = oplog.aggregate([doc! { "$collStats": { "storageStats": {} } }]).await?;
    if !cursor.advance().await? {
        return Ok(false);
    }
    let found = Document::try_from(cursor.current())?;
    let stats = found.get_document("storageStats").ok();
    let bytes = |name: &str| stats.and_then(|stats| number(stats, name));
    Ok(bytes("size").zip(bytes("maxSize")).is_some_and(|(size, most)| size >= most / 10 * 8))
}
