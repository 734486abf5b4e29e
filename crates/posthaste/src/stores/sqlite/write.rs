//! Writing without an application: what the command line does.

use super::{Outbox, Sqlite};
use crate::error::Result;
use crate::message::Message;

pub(super) async fn write(store: &Sqlite, messages: &[Message]) -> Result<Vec<bool>> {
    let messages = messages.to_vec();
    let stored = store.writing(move |transaction| {
        let outbox = Outbox::new();
        let one = |message| Ok(outbox.enqueue(transaction, std::slice::from_ref(message))?.stored == 1);
        messages.iter().map(one).collect::<Result<Vec<bool>>>()
    });
    let stored = stored.await?;
    store.wake();
    Ok(stored)
}
