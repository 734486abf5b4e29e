//! Redis: entries of streams, and messages on channels.
//!
//! A run is one call of a script, so that it arrives as a whole, and what arrived before is not appended again: a run that is
//! sent a second time, because its answer was lost or its worker died, adds only what is missing (`append.lua` says how that is
//! known). Messages of one run that go to different streams take a call each, one after another.
//!
//! Delivered is what the master has; with `wait_replicas`, what so many replicas have as well.

use std::fmt;

use async_trait::async_trait;

use self::encode::Batch;
pub use self::settings::Settings;
use self::verdict::from_client;
use crate::sink::redis_client::Connection;
pub use crate::sink::redis_client::Sentinel;
use crate::sink::settings::Problem;
pub use crate::sink::settings::{Tls, Urls};
use crate::sink::{Error, Outcome, Run, Sink, Verdict};

mod encode;
mod names;
mod publish;
mod settings;
#[cfg(test)]
mod tests;
mod verdict;

/// Appends to streams and publishes to channels.
pub struct Redis {
    settings: Settings,
    connection: Connection,
}

impl Redis {
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        settings.check()?;
        let connection = Connection::new(&settings.address())?;
        Ok(Self { settings, connection })
    }
}

#[async_trait]
impl Sink for Redis {
    async fn deliver(&self, run: &Run) -> Outcome {
        let mut confirmed = 0;
        while confirmed < run.deliveries.len() {
            let batch = match Batch::start(&self.settings, run, &run.deliveries[confirmed..]) {
                Ok(batch) => batch,
                Err(error) => return Outcome::stopped(confirmed, error),
            };
            let (there, stopped) = self.append(&batch).await;
            confirmed += there;
            if let Some(error) = stopped {
                if error.verdict == Verdict::Unreachable {
                    self.connection.discard().await;
                }
                return Outcome::stopped(confirmed, error);
            }
        }
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), Error> {
        let pinged = self.connection.query::<String>(&redis::cmd("PING")).await;
        pinged.map(|_| ()).map_err(|error| from_client(&error, &self.connection))
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { stream, channel, .. } = &self.settings;
        f.debug_struct("Redis")
            .field("address", &format_args!("{}", self.connection))
            .field("stream", stream)
            .field("channel", channel)
            .finish_non_exhaustive()
    }
}
