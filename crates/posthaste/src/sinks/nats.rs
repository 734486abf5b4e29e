//! NATS JetStream: messages of streams.
//!
//! A run is published as fast as the connection takes it, and then its acknowledgements are awaited in order; the first that does
//! not come, or says no, ends the run. What stands behind it may have been stored all the same. Two things keep the order then:
//!
//! * One connection carries a run from its first message to its last. Nothing is sent on a new one that was meant for the old
//!   (`connection.rs`), so the server has stored all of a run up to some message, and none after it. What was not confirmed is sent
//!   again, in order, and what is there already the server recognises by `Nats-Msg-Id`.
//! * What the server may refuse by itself, a subject it has not taken yet or a message larger than those it has, travels alone
//!   (`proven.rs`).
//!
//! A stream that refuses new messages while it is full, and one on several servers that loses its leader, can still take a
//! message after it has refused the one before. With `fence` it cannot: each message then names the one it follows, and waits
//! for it.

use std::fmt;

use async_trait::async_trait;

use self::connection::Connection;
use self::encode::SubjectRule;
use self::fence::Fence;
use self::proven::Proven;
pub use self::settings::Settings;
use crate::sink::settings::Problem;
pub use crate::sink::settings::{Tls, Urls};
use crate::sink::{Error, Outcome, Run, Sink, Verdict};

mod connection;
mod encode;
mod fence;
mod proven;
mod publish;
mod settings;
#[cfg(test)]
mod tests;
mod verdict;

/// What goes together is waited for together, so that a long burst would keep its first messages waiting.
const RUNS_AT_ONCE: usize = 1_000;

/// Publishes to JetStream.
pub struct Nats {
    settings: Settings,
    connection: Connection,
    proven: Proven,
    fence: Fence,
}

impl Nats {
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        let check = settings.subject.check(&SubjectRule);
        check.map_err(|why| Problem::new("subject", format!("makes a subject that {why}")))?;
        let connection = Connection::new(&settings)?;
        Ok(Self { settings, connection, proven: Proven::default(), fence: Fence::default() })
    }
}

#[async_trait]
impl Sink for Nats {
    async fn deliver(&self, run: &Run) -> Outcome {
        let (context, attempt) = match self.connection.context().await {
            Ok(connected) => connected,
            Err(error) => return Outcome::stopped(0, error),
        };
        match self.publish(&context, run).await {
            (_, None) => Outcome::delivered(run),
            (confirmed, Some(error)) => {
                if error.verdict == Verdict::Unreachable {
                    self.connection.discard(attempt).await;
                }
                Outcome::stopped(confirmed, error)
            }
        }
    }

    /// Beside each other they are one burst: all are sent before the first acknowledgement is awaited.
    fn runs_at_once(&self) -> usize {
        RUNS_AT_ONCE
    }

    async fn check(&self) -> Result<(), Error> {
        let (context, attempt) = self.connection.context().await?;
        let checked = self.connection.check(&context).await;
        if checked.is_err() {
            self.connection.discard(attempt).await;
        }
        checked
    }
}

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nats")
            .field("address", &format_args!("{}", self.connection))
            .field("subject", &self.settings.subject)
            .finish_non_exhaustive()
    }
}
