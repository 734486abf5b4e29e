//! Appending what goes together, and waiting until it is where it has to be.

use std::sync::LazyLock;

use super::encode::Call;
use super::verdict::{from_client, from_server};
use super::{Redis, answer};
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
        let said = match self.called(call).await {
            Ok(said) => said,
            Err(error) => return nothing(call, &error),
        };
        let stopped = |said: &String| from_server(said, &self.connection);
        said.iter().map(|part| Appended { there: part.there, stopped: part.stopped.as_ref().map(stopped) }).collect()
    }

    async fn called(&self, call: &Call<'_>) -> Result<Vec<answer::Part>, Error> {
        let messages: Vec<usize> = call.parts.iter().map(|(_, messages)| *messages).collect();
        let command = call.command(&self.settings);
        let said = self.connection.call(&APPEND, &command, |answer| answer::read(answer, &messages)).await?;
        self.replicated().await?;
        Ok(said)
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

/// Of a call that was not answered nothing counts, although something may be there.
fn nothing(call: &Call<'_>, error: &Error) -> Vec<Appended> {
    call.parts.iter().map(|_| Appended { there: 0, stopped: Some(error.clone()) }).collect()
}
