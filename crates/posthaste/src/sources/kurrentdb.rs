//! EventStoreDB 20.10 and newer, and KurrentDB: a filtered subscription to `$all`, or a persistent subscription.
//!
//! ```text
//!   connection string ─► gossip: who leads? ─► subscribe after the checkpoint ─► events, checkpoints of the server
//!          ▲                                                                          │ any error, a clean end, silence
//!          └────────────── a new connection, from the stored position ◄───────────────┘
//! ```
//!
//! A client of its own, on tonic. Nothing of a connection is kept after an error: a new one finds the new leader. A filtered subscription
//! keeps its position here, in the journal; the server's checkpoints move it over stretches in which nothing matches. A persistent
//! subscription keeps it in the server, which is told of an event after the journal has committed it.

use std::fmt;
use std::sync::Mutex;

use async_trait::async_trait;

use self::connection::Connector;
pub use self::settings::{Filter, Persistent, Refused, Settings, Start};
use crate::sink::settings::Problem;
use crate::source::{Checkpoint, Error, Reading, Source};

mod all;
mod connection;
mod connection_string;
mod event;
#[cfg(test)]
mod hostile;
mod persistent;
mod position;
#[allow(
    dead_code,
    clippy::large_enum_variant,
    reason = "messages as the protocol has them, of which the stand-in uses more than the client"
)]
pub(crate) mod protocol;
mod settings;
mod status;
mod tls;

/// Reads from EventStoreDB or KurrentDB.
pub struct KurrentDb {
    settings: Settings,
    connector: Connector,
    /// The leader that a server named when it was asked and was none.
    leader: Mutex<Option<connection_string::Endpoint>>,
}

impl KurrentDb {
    /// Checks the settings. Connects when it is read.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        settings.check()?;
        Ok(Self { connector: Connector::new(&settings)?, settings, leader: Mutex::new(None) })
    }

    fn hint(&self) -> Option<connection_string::Endpoint> {
        self.leader.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }

    /// What an error of the server means: where a server names the leader, the next reading begins there, at once.
    fn failed(&self, status: &tonic::Status) -> Error {
        let leader = status::leader(status);
        let error = status::error(status);
        match leader {
            Some(leader) => {
                *self.leader.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(leader);
                error.at_once()
            }
            None => error,
        }
    }
}

#[async_trait]
impl Source for KurrentDb {
    async fn read_after(&self, checkpoint: Option<&Checkpoint>) -> Result<Box<dyn Reading>, Error> {
        let node = self.connector.connect(self.hint()).await?;
        match &self.settings.subscription {
            None => {
                let after = checkpoint.map(|checkpoint| position::parse(checkpoint.as_str())).transpose();
                let after = after.map_err(|wrong| Error::new(format_args!("the stored checkpoint {wrong}")))?;
                let opened = all::AllReading::open(&self.settings, node, after).await;
                Ok(Box::new(opened.map_err(|status| self.failed(&status))?))
            }
            Some(subscription) => {
                let opened = persistent::PersistentReading::open(subscription, node).await;
                Ok(Box::new(opened.map_err(|status| self.failed(&status))?))
            }
        }
    }

    async fn check(&self) -> Result<(), Error> {
        let node = self.connector.connect(self.hint()).await?;
        if self.settings.subscription.is_none() {
            // What it is asked is what it will be asked; nobody else is disturbed by that.
            let opened = all::AllReading::open(&self.settings, node, None).await;
            opened.map_err(|status| self.failed(&status))?;
        }
        Ok(())
    }

    fn parse(&self, text: &str) -> Result<Checkpoint, String> {
        match self.settings.subscription {
            None => position::parse(text).map(position::checkpoint),
            Some(_) => Err("the server keeps the position of a persistent subscription: replay it there".into()),
        }
    }
}

impl fmt::Debug for KurrentDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KurrentDb").field("at", &self.connector).finish_non_exhaustive()
    }
}
