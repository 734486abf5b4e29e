//! The application's side: messages written together, or not at all.

use std::sync::Arc;

use super::Memory;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::telemetry::Writing;

/// An application's transaction. Nothing of it is visible before [`Transaction::commit`]; dropping it rolls it back.
#[derive(Debug)]
#[must_use = "dropping a transaction rolls it back"]
pub struct Transaction {
    memory: Memory,
    messages: Vec<Message>,
}

impl Transaction {
    pub(super) fn new(memory: Memory) -> Self {
        Self { memory, messages: Vec::new() }
    }

    /// Adds messages to the transaction.
    pub fn enqueue(&mut self, messages: &[Message]) {
        self.messages.extend_from_slice(messages);
    }

    /// Makes everything visible at once; repeats of an origin are found here, because another transaction may have won.
    pub fn commit(self) -> Enqueued {
        let messages: Vec<_> = self.messages.into_iter().map(Arc::new).collect();
        let writing = Writing::begin(&messages);
        let enqueued = self.memory.core().append(messages.iter().cloned());
        writing.tell(Ok(enqueued));
        self.memory.announce();
        enqueued
    }
}
