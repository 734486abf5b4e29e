//! Writing in a transaction of the store's own.

use super::MongoDb;
use super::retry::in_transaction;
use crate::error::Result;
use crate::message::Message;

pub(super) async fn write(store: &MongoDb, messages: &[Message]) -> Result<Vec<bool>> {
    let db = store.db();
    in_transaction!(db, session => store.outbox().enqueue_each(&mut session, messages))
}
