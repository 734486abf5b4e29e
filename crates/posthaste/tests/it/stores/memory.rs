use std::sync::Arc;

use async_trait::async_trait;
use posthaste::conformance::store_suite::{OpenTransaction, StoreUnderTest};
use posthaste::journal::Enqueued;
use posthaste::store::Store;
use posthaste::stores::memory::{Memory, Transaction};
use posthaste::{Message, Result};

posthaste::store_suite!(fresh);

pub(crate) struct InMemory(Memory);

pub(crate) async fn fresh() -> InMemory {
    InMemory(Memory::new())
}

#[async_trait]
impl StoreUnderTest for InMemory {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.0.clone())
    }

    async fn reopen(&self) -> Result<Arc<dyn Store>> {
        Ok(self.store())
    }

    async fn begin(&self, messages: Vec<Message>) -> Result<Box<dyn OpenTransaction>> {
        let mut transaction = self.0.begin();
        transaction.enqueue(&messages);
        Ok(Box::new(Open(transaction)))
    }
}

struct Open(Transaction);

#[async_trait]
impl OpenTransaction for Open {
    async fn commit(self: Box<Self>) -> Result<Enqueued> {
        Ok(self.0.commit())
    }

    async fn roll_back(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
