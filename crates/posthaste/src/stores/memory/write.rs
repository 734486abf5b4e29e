//! Writing without a transaction of the caller's.

use super::Memory;
use crate::message::Message;

/// For each message: whether it was stored, or known before.
pub(super) fn write(store: &Memory, messages: &[Message]) -> Vec<bool> {
    let mut core = store.core();
    let stored = messages.iter().map(|message| core.append([message.clone()]).stored == 1).collect();
    drop(core);
    store.announce();
    stored
}
