//! In-process handlers, by event type.
//!
//! One message, several handlers, each with its own progress. All handlers of a message run one after another in the order of
//! their registration; one that fails does not keep the later ones from running. The message counts as delivered when all
//! have succeeded. Until then the names of those that have are kept with the parked delivery (`progress`), so that the next
//! attempt runs only the rest.
//!
//! A later message of the key is not handled before all handlers are done with the earlier one. Handlers that must not wait
//! for each other belong into separate `Handlers`, each behind a destination of its own.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use self::publish::Unfinished;
use self::unhandled::Unhandled;
use crate::destination::Name;
use crate::journal::Position;
use crate::message::Message;
use crate::rules::route::matches;
use crate::sink::{Delivery, Error, Outcome, Run, Sink};

pub use self::builder::Builder;
pub use self::cancellation::Cancellation;
pub use self::closure::{Closure, handler_fn};

mod builder;
mod cancellation;
mod closure;
mod progress;
mod publish;
mod unhandled;
mod verdict;

/// What a handler may want to know beside the message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Context {
    /// The destination that the handlers belong to.
    pub destination: Name,
    /// Where the message stands in the journal.
    pub position: Position,
    /// Counts from one. Attempts belong to the message: a handler may see its first message at attempt three.
    pub attempt: u32,
    /// The hand-over to answer for, where the destination has a `callback_timeout`.
    pub hand_over: Option<String>,
    /// As the message has it.
    pub correlation_id: Option<String>,
    /// As the message has it.
    pub tenant: Option<String>,
    /// When the call counts as failed and is dropped.
    pub deadline: Instant,
    /// Tells work that goes on elsewhere when nobody waits for it any more.
    pub cancellation: Cancellation,
}

impl Context {
    fn of(run: &Run, delivery: &Delivery, deadline: Instant, cancellation: Cancellation) -> Self {
        Self {
            destination: run.destination.clone(),
            position: delivery.position,
            attempt: delivery.attempt,
            hand_over: delivery.hand_over.clone(),
            correlation_id: delivery.message.correlation_id.clone().map(String::from),
            tenant: delivery.message.tenant.clone().map(String::from),
            deadline,
            cancellation,
        }
    }
}

/// Reacts to events of this process.
///
/// Called at least once for each message: a crash, a timeout or a lost lease can repeat a call that succeeded, so a handler
/// drops what it has seen, by the message's id, or does nothing that hurts when done twice.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Progress is kept under this name, over restarts too: two handlers never share one, and a renamed handler is a new one.
    fn name(&self) -> &str;

    /// `Err` with [`Error::retry`] asks for another attempt, with [`Error::reject`] for none. [`Error::unreachable`] says that
    /// nothing can be handled now (a database is down): the destination pauses until [`Handler::check`] succeeds.
    async fn handle(&self, ctx: &Context, message: &Message) -> Result<(), Error>;

    /// Whether what the handler depends on can be reached.
    async fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A registry of handlers, as a sink.
pub struct Handlers {
    registered: Vec<Registered>,
    timeout: Duration,
    unhandled: Unhandled,
}

struct Registered {
    patterns: Vec<String>,
    handler: Box<dyn Handler>,
}

impl Registered {
    fn takes(&self, message: &Message) -> bool {
        self.patterns.iter().any(|pattern| matches(pattern, &message.event_type))
    }
}

impl Handlers {
    /// Registers handlers.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

#[async_trait]
impl Sink for Handlers {
    async fn deliver(&self, run: &Run) -> Outcome {
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            if let Err(Unfinished { error, done }) = self.handle(run, delivery).await {
                let known = |name: &str| self.registered.iter().any(|r| r.handler.name() == name);
                return Outcome::stopped(confirmed, error).with_progress(progress::encode(&done, known));
            }
        }
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), Error> {
        for Registered { handler, .. } in &self.registered {
            handler
                .check()
                .await
                .map_err(|error| Error::new(error.verdict, format_args!("{}: {error}", handler.name())))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.registered.iter().map(|r| (r.handler.name(), &r.patterns))).finish()
    }
}

#[cfg(test)]
mod tests;
