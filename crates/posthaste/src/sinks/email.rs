//! Mail by SMTP, written by templates over a message and its payload.
//!
//! One mail per message; the server's 250 after the last byte confirms it. A mail to several people is confirmed for each of them on
//! its own: who has it is kept with a delivery that fails for the others, so that nobody gets it again because somebody else did not.
//! `Message-ID` is made from the message's id and is the same at every attempt, so that a mail that arrives twice can be told.

use async_trait::async_trait;

use self::connection::Connections;
use self::encode::Encoder;
pub use self::settings::{Encryption, OneOrMany, Settings};
use crate::sink::settings::Problem;
use crate::sink::{Error, Outcome, Run, Sink};

mod address;
mod attachments;
mod connection;
mod encode;
mod headers;
mod publish;
mod received;
mod server;
mod settings;
mod verdict;

/// A mail server that takes messages.
#[derive(Debug)]
pub struct Email {
    connections: Connections,
    encoder: Encoder,
    max_recipients: usize,
    greylist_wait: std::time::Duration,
    timeout: std::time::Duration,
}

impl Email {
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        if settings.max_recipients == 0 {
            return Err(Problem::new("max_recipients", "is 0: write at least 1"));
        }
        Ok(Self {
            connections: Connections::new(&settings)?,
            max_recipients: settings.max_recipients,
            greylist_wait: settings.greylist_wait,
            timeout: settings.timeout,
            encoder: Encoder::new(settings)?,
        })
    }
}

#[async_trait]
impl Sink for Email {
    async fn deliver(&self, run: &Run) -> Outcome {
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            let (result, progress) = self.send(run, delivery).await;
            if let Err(error) = result {
                let outcome = Outcome::stopped(confirmed, error);
                return progress.into_iter().fold(outcome, Outcome::with_progress);
            }
        }
        Outcome::delivered(run)
    }

    /// Connects, encrypts, logs in and quits.
    async fn check(&self) -> Result<(), Error> {
        self.connections.check().await
    }
}

#[cfg(test)]
mod tests;
