//! What the journal says about itself: the one document of `outbox_state`.

use mongodb::ClientSession;
use mongodb::bson::doc;

use super::codec::{moment, whole};
use super::db::Db;
use super::error;
use crate::error::Result;

/// The `_id` of the one document.
pub(super) const JOURNAL: &str = "journal";

/// The document, and the primary's clock when it was read.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// The newest position there is.
    pub(super) newest: i64,
    /// Up to here the messages' own status was stamped.
    pub(super) stamped: i64,
    /// How often an operator has changed deliveries.
    pub(super) wakes: i64,
    /// The primary's clock.
    pub(super) now: i64,
    sequencer: String,
    free_at: i64,
}

impl State {
    /// Reads it by `_id`.
    pub(super) async fn load(db: &Db, session: &mut ClientSession) -> Result<Self> {
        let only = doc! { "newest": 1, "stamped": 1, "wakes": 1, "sequencer": 1, "now": "$$NOW" };
        let found = db.state.find_one(doc! { "_id": JOURNAL }).projection(only).session(session).await?;
        let found = found.ok_or_else(error::no_journal)?;
        let sequencer = found.get_document("sequencer").ok();
        Ok(Self {
            newest: whole(&found, "newest")?,
            stamped: whole(&found, "stamped")?,
            wakes: whole(&found, "wakes")?,
            now: moment(&found, "now").unwrap_or_default(),
            sequencer: sequencer.and_then(|one| one.get_str("holder").ok()).unwrap_or_default().to_owned(),
            free_at: sequencer.and_then(|one| moment(one, "until")).unwrap_or_default(),
        })
    }

    /// Whether `sequencer` may number messages: it holds the lease, or nobody does.
    pub(super) fn may_be_sequenced_by(&self, sequencer: &str) -> bool {
        self.sequencer == sequencer || self.free_at <= self.now
    }
}
