//! Writing without an application: what the command line does.

use super::Postgres;
use crate::error::Result;
use crate::message::Message;

/// Writes all messages in one transaction. For each: whether it was stored, or known before by its origin.
pub(super) async fn write(store: &Postgres, messages: &[Message]) -> Result<Vec<bool>> {
    let mut client = store.client().await?;
    let transaction = client.transaction().await?;
    let outbox = store.outbox();
    let mut stored = Vec::with_capacity(messages.len());
    if messages.iter().all(|message| message.origin.is_none()) {
        outbox.enqueue(&transaction, messages).await?;
        stored.resize(messages.len(), true);
    } else {
        for message in messages {
            stored.push(outbox.enqueue(&transaction, std::slice::from_ref(message)).await?.stored == 1);
        }
    }
    transaction.commit().await?;
    store.wake();
    Ok(stored)
}
