//! Transactional handlers on a connection that blocks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::domain::inbox::Inbox;
use crate::domain::transactional::verdict;
use crate::message::Message;
use crate::sink::Error;
use crate::sinks::handlers::{Context, Handler};

type Effect = dyn Fn(&Transaction<'_>, &Context, &Message) -> Result<(), Error> + Send + Sync;

/// A handler whose effect happens exactly once: see [`Transactional`](crate::domain::Transactional). One message at a time.
pub struct Transactional {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    connection: Mutex<Connection>,
    effect: Box<Effect>,
    inbox: Inbox,
}

impl Transactional {
    /// `effect` writes to its transaction and to nothing else. The name stays: a renamed handler is a new one. Makes the tables of
    /// the inbox, unless they are there.
    pub fn new(
        name: impl Into<String>,
        connection: Connection,
        effect: impl Fn(&Transaction<'_>, &Context, &Message) -> Result<(), Error> + Send + Sync + 'static,
    ) -> crate::Result<Self> {
        let name = name.into();
        let inbox = Inbox::new(&name);
        inbox.prepare_blocking(&connection)?;
        let connection = Mutex::new(connection);
        Ok(Self { shared: Arc::new(Shared { name, connection, effect: Box::new(effect), inbox }) })
    }
}

impl Shared {
    fn handle(&self, ctx: &Context, message: &Message) -> Result<(), Error> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| verdict(error.into()))?;
        if !self.inbox.once_blocking(&transaction, message.id).map_err(verdict)? {
            return Ok(());
        }
        (self.effect)(&transaction, ctx, message)?;
        transaction.commit().map_err(|error| verdict(error.into()))
    }
}

#[async_trait]
impl Handler for Transactional {
    fn name(&self) -> &str {
        &self.shared.name
    }

    async fn handle(&self, ctx: &Context, message: &Message) -> Result<(), Error> {
        let (shared, ctx, message) = (Arc::clone(&self.shared), ctx.clone(), message.clone());
        let handled = tokio::task::spawn_blocking(move || shared.handle(&ctx, &message)).await;
        match handled {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(Error::retry("the process is shutting down")),
        }
    }
}

impl fmt::Debug for Transactional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Transactional").field(&self.shared.name).finish()
    }
}
