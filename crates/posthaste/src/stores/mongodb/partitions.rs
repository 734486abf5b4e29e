//! How many partitions the journal has, and whether it is one that this library can use.

use mongodb::Database;
use mongodb::bson::{Document, doc};

use super::codec::whole;
use super::state::JOURNAL;
use super::{MongoDb, error};
use crate::error::Result;
use crate::stores::version;

/// The version of the journal that this library makes and reads.
pub(super) const VERSION: i64 = 1;

/// The number of partitions of a journal of the right version. Fixed for ever, so it is asked once.
pub(super) async fn partitions(store: &MongoDb) -> Result<u16> {
    if let Some(partitions) = store.shared.partitions.get() {
        return Ok(*partitions);
    }
    let partitions = require(&store.db().database).await?;
    Ok(*store.shared.partitions.get_or_init(|| partitions))
}

/// Fails unless the database holds a journal of the right version; the number of its partitions.
pub(super) async fn require(database: &Database) -> Result<u16> {
    refuse_single_server(database).await?;
    let found = find(database).await?.ok_or_else(error::no_journal)?;
    version::usable(found.version, VERSION)?;
    Ok(found.partitions)
}

/// What a journal says about how it was made.
pub(super) struct Found {
    pub(super) version: i64,
    pub(super) partitions: u16,
}

/// `None` where there is no journal.
pub(super) async fn find(database: &Database) -> Result<Option<Found>> {
    let state = database.collection::<Document>("outbox_state");
    let Some(state) = state.find_one(doc! { "_id": JOURNAL }).await? else { return Ok(None) };
    let partitions = u16::try_from(whole(&state, "partitions")?).unwrap_or(u16::MAX);
    Ok(Some(Found { version: whole(&state, "version")?, partitions }))
}

/// Fails if the server is not part of a replica set: it has no transactions and no change stream.
pub(super) async fn refuse_single_server(database: &Database) -> Result<()> {
    let hello = database.run_command(doc! { "hello": 1 }).await?;
    let is_router = hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid");
    if is_router || hello.contains_key("setName") { Ok(()) } else { Err(error::no_replica_set()) }
}
