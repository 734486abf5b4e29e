//! Taking turns at a key, for applications that have nothing else to take turns at.

use std::collections::BTreeSet;

use mongodb::bson::{Document, doc};
use mongodb::{ClientSession, Collection};

use super::Outbox;
use crate::error::Result;
use crate::message::{Message, OrderKey};
use crate::stores::values::tenant;

impl Outbox {
    /// Lets no other transaction that calls this write to one of these messages' keys until the end of the caller's transaction:
    /// of two that meet, MongoDB lets one fail with `TransientTransactionError`, and it is run again from its start. For
    /// applications that do not serialise their writes to one aggregate in another way: call it before reading what the change
    /// depends on.
    pub async fn lock_keys(&self, session: &mut ClientSession, messages: &[Message]) -> Result<()> {
        // Always in one order, so that two that want the same keys do not both fail.
        let scopes: BTreeSet<OrderKey> = messages.iter().filter_map(Message::order_key).collect();
        let keys: Collection<Document> = self.database(session)?.collection("outbox_keys");
        for scope in scopes {
            let one = doc! { "_id": { "t": tenant(&scope), "k": scope.key.as_str() } };
            // A write that changes nothing would be no lock.
            let turn = doc! { "$inc": { "turns": 1i64 }, "$currentDate": { "at": true } };
            keys.update_one(one, turn).upsert(true).session(&mut *session).await?;
        }
        Ok(())
    }
}
