//! Appending a batch, and waiting until it is where it has to be.

use std::sync::LazyLock;

use super::Redis;
use super::encode::Batch;
use super::verdict::{from_client, from_server};
use crate::sink::Error;
use crate::sink::redis_client::Script;

pub(super) static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("append.lua")));

impl Redis {
    /// Appends as many as go together. Answers how many of them are there, and what stopped it.
    pub(super) async fn append(&self, batch: &Batch) -> (usize, Option<Error>) {
        let (there, stopped) = match self.connection.call::<(usize, String)>(&APPEND, &batch.command).await {
            Ok(answer) => answer,
            Err(error) => return (0, Some(from_client(&error, &self.connection))),
        };
        if let Err(error) = self.replicated().await {
            return (0, Some(error));
        }
        (there, (!stopped.is_empty()).then(|| from_server(&stopped, &self.connection)))
    }

    /// Waits until as many replicas as wanted have all that was written so far.
    async fn replicated(&self) -> Result<(), Error> {
        let wanted = self.settings.wait_replicas;
        if wanted == 0 {
            return Ok(());
        }
        let mut wait = redis::cmd("WAIT");
        wait.arg(wanted).arg(self.settings.wait_timeout.as_millis() as u64);
        match self.connection.query::<u32>(&wait).await {
            Ok(have) if have >= wanted => Ok(()),
            Ok(have) => Err(Error::unreachable(format_args!(
                "{}: {have} of {wanted} replicas have it after {:?}",
                self.connection, self.settings.wait_timeout
            ))),
            Err(error) => Err(from_client(&error, &self.connection)),
        }
    }
}
