//! Appending what goes together, and waiting until it is where it has to be.

use std::sync::LazyLock;

use super::Redis;
use super::encode::Call;
use super::verdict::{from_client, from_server};
use crate::sink::Error;
use crate::sink::redis_client::Script;

pub(super) static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("append.lua")));

/// What became of a part of a run.
pub(super) struct Appended {
    pub(super) there: usize,
    pub(super) stopped: Option<Error>,
}

impl Redis {
    /// Calls the script. Answers for each part how much of it is there, and what stopped it.
    pub(super) async fn append(&self, call: &Call<'_>) -> Vec<Appended> {
        let all = |stopped: Option<Error>| -> Vec<Appended> {
            let there = |messages| if stopped.is_some() { 0 } else { messages };
            call.parts
                .iter()
                .map(|(_, messages)| Appended { there: there(*messages), stopped: stopped.clone() })
                .collect()
        };
        let called = self.connection.call::<Vec<(usize, usize, String)>>(&APPEND, &call.command(&self.settings)).await;
        let incomplete = match called {
            Ok(incomplete) => incomplete,
            Err(error) => return all(Some(from_client(&error, &self.connection))),
        };
        if let Err(error) = self.replicated().await {
            return all(Some(error));
        }
        let mut appended = all(None);
        for (part, there, said) in incomplete {
            if let Some(stopped) = part.checked_sub(1).and_then(|nth| appended.get_mut(nth)) {
                *stopped = Appended { there, stopped: Some(from_server(&said, &self.connection)) };
            }
        }
        appended
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
