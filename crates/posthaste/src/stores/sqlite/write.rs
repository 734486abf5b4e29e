//! Writing without an application: what the command line does.

use super::{Sqlite, enqueue};
use crate::error::Result;
use crate::message::Message;

/// Writes all messages in one transaction. For each: whether it was stored, or known before by its origin.
pub(super) async fn write(store: &Sqlite, messages: &[Message]) -> Result<Vec<bool>> {
    let messages = messages.to_vec();
    let stored = store.writing(move |transaction| {
        let one = |message| Ok(enqueue::enqueue(transaction, std::slice::from_ref(message))?.stored == 1);
        messages.iter().map(one).collect::<Result<Vec<bool>>>()
    });
    let stored = stored.await?;
    store.wake();
    Ok(stored)
}
