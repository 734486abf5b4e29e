//! BullMQ: messages as jobs, delivered when a worker has completed them.
//!
//! BullMQ executes and the outbox decides: a job has one attempt, and what fails is tried again by the policy of its destination. The id of a
//! job is made of message and destination, so that a message whose job is waiting or running gets no second one, whichever relay asks; it
//! waits for the one that is there. What was completed does not run again for as long as BullMQ keeps it.
//!
//! The jobs are written by scripts of our own (`add.lua`), in the form that workers of BullMQ 5 and 6 read.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use self::connection::Queues;
pub use self::settings::{Mode, Payload, Settings};
use crate::sink::redis_client::Connection;
pub use crate::sink::redis_client::Sentinel;
use crate::sink::settings::Problem;
pub use crate::sink::settings::{Tls, Urls};
use crate::sink::{Error, Outcome, Run, Sink};

mod connection;
mod encode;
mod events;
mod names;
mod publish;
mod queue;
mod settings;
mod surroundings;
#[cfg(test)]
mod tests;
mod verdict;

/// Makes jobs of messages.
pub struct Bullmq {
    settings: Settings,
    commands: Arc<Connection>,
    queues: Queues,
}

impl Bullmq {
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        settings.check()?;
        let commands = Arc::new(Connection::new(&settings.address())?);
        Ok(Self { queues: Queues::new(&settings, commands.clone()), settings, commands })
    }
}

#[async_trait]
impl Sink for Bullmq {
    async fn deliver(&self, run: &Run) -> Outcome {
        match self.settings.mode {
            Mode::HandOff => self.hand_off(run).await,
            Mode::FireAndForget => self.leave(run).await,
        }
    }

    async fn check(&self) -> Result<(), Error> {
        self.commands.ping().await
    }

    async fn describe(&self) -> Vec<String> {
        self.surroundings().await
    }

    fn resumes(&self) -> bool {
        self.settings.mode == Mode::HandOff
    }
}

impl fmt::Debug for Bullmq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { queue, mode, .. } = &self.settings;
        f.debug_struct("Bullmq")
            .field("address", &format_args!("{}", self.commands))
            .field("queue", queue)
            .field("mode", mode)
            .finish_non_exhaustive()
    }
}
