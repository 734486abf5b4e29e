//! The resume token: where the change stream goes on after a restart, so that plain documents that were written meanwhile are
//! numbered in the order of their commits.
//!
//! It is kept only when everything the stream told up to it has its position, so nothing that still matters lies before it.
//! Losing it loses no message.

use std::time::Duration;

use mongodb::bson::{self, doc};
use mongodb::change_stream::event::ResumeToken;
use tokio::time::Instant;

use super::super::db::Db;
use super::super::{MongoDb, codec};
use crate::error::Result;

/// Between two writes of a token that moved, busy or idle.
const INTERVAL: Duration = Duration::from_secs(2);

/// What this store has last written.
#[derive(Debug, Default)]
pub(super) struct Saved {
    at: Option<Instant>,
    token: Option<ResumeToken>,
}

impl Saved {
    /// Whether a token is to be written now; if so, takes note of it.
    fn is_due(&mut self, token: &ResumeToken) -> bool {
        let is_new = self.token.as_ref() != Some(token);
        let is_due = is_new && self.at.is_none_or(|at| at.elapsed() >= INTERVAL);
        if is_due {
            *self = Self { at: Some(Instant::now()), token: Some(token.clone()) };
        }
        is_due
    }
}

/// Keeps a token. As good as nothing depends on it, so a failure is no reason to stop: the next one will do.
pub(in crate::stores::mongodb) async fn keep(store: &MongoDb, token: Option<ResumeToken>) {
    let Some(token) = token.filter(|token| store.shared.change_stream.saved().is_due(token)) else { return };
    let Ok(token) = bson::serialize_to_bson(&token) else { return };
    // Of many workers, all of whom may be idle, one writes. Half of what each waits by itself: none that comes a moment too early
    // has to wait for another turn.
    let is_due = doc! { "$lt": ["$at", { "$subtract": ["$$NOW", codec::millis(INTERVAL / 2)] }] };
    let keep = doc! { "$set": {
        "token": { "$cond": [&is_due, { "$literal": token }, "$token"] },
        "at": { "$cond": [&is_due, "$$NOW", "$at"] },
    } };
    let of = doc! { "_id": store.collection() };
    let _ = store.db().tokens.update_one(of, vec![keep]).upsert(true).await;
}

/// The token that was last kept, by `_id`.
pub(super) async fn load(db: &Db) -> Result<Option<ResumeToken>> {
    let found = db.tokens.find_one(doc! { "_id": &db.options.collection }).await?;
    let token = found.and_then(|found| found.get("token").cloned());
    Ok(token.and_then(|token| bson::deserialize_from_bson(token).ok()))
}
