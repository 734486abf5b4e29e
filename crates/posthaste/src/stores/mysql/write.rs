//! Writing without an application: what the command line does.

use super::retry::again;
use super::{MySql, Outbox, connection, partitions};
use crate::error::Result;
use crate::message::Message;

pub(super) async fn write(store: &MySql, messages: &[Message]) -> Result<Vec<bool>> {
    let stored = again!(write_once(store, messages))?;
    store.wake();
    Ok(stored)
}

/// All messages in one transaction. For each: whether it was stored, or known before by its origin.
async fn write_once(store: &MySql, messages: &[Message]) -> Result<Vec<bool>> {
    let mut connection = store.connection().await?;
    partitions::known(store, &mut connection).await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let outbox = Outbox::new();
    let mut stored = Vec::with_capacity(messages.len());
    if messages.iter().all(|message| message.origin.is_none()) {
        outbox.enqueue(&mut transaction, messages).await?;
        stored.resize(messages.len(), true);
    } else {
        for message in messages {
            stored.push(outbox.enqueue(&mut transaction, std::slice::from_ref(message)).await?.stored == 1);
        }
    }
    transaction.commit().await?;
    Ok(stored)
}
