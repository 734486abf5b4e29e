//! Redis: entries of streams, and messages on channels.
//!
//! The runs of a hand-over are one call of a script, so that each arrives as a whole, and what arrived before is not appended again:
//! a run that is sent a second time, because its answer was lost or its worker died, adds only what is missing (`append.lua` says how
//! that is known). Runs that go to different streams take a call each, beside each other; messages of one run that go to different
//! streams take one after another.
//!
//! Delivered is what the master has; with `wait_replicas`, what so many replicas have as well.

use std::fmt;

use async_trait::async_trait;
use futures_util::future::join_all;

use self::encode::Rest;
use self::publish::Appended;
pub use self::settings::Settings;
use crate::sink::redis_client::Connection;
pub use crate::sink::redis_client::Sentinel;
use crate::sink::settings::Problem;
pub use crate::sink::settings::{Tls, Urls};
use crate::sink::{Error, Outcome, Outcomes, Run, Sink, Verdict};

mod answer;
mod encode;
#[cfg(test)]
mod hostile;
mod names;
mod publish;
mod settings;
#[cfg(test)]
mod tests;
mod verdict;

/// While a script runs nobody else is served, so it is not given more than a moment's work.
const RUNS_AT_ONCE: usize = 1_000;

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
        Outcomes::of_one(self, run).await
    }

    fn runs_at_once(&self) -> usize {
        RUNS_AT_ONCE
    }

    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        let rest = |(nth, run)| Rest { nth, run, confirmed: 0 };
        let mut waiting: Vec<Rest<'_>> = runs.iter().enumerate().map(rest).collect();
        while !waiting.is_empty() {
            let (calls, refused) = encode::calls(&self.settings, &waiting);
            for (rest, error) in refused {
                outcomes.answer(rest.nth, Outcome::stopped(rest.confirmed, error));
            }
            let appended = join_all(calls.iter().map(|call| self.append(call))).await;
            let parts = calls.iter().flat_map(|call| &call.parts).zip(appended.into_iter().flatten());
            waiting = parts.filter_map(|((rest, _), appended)| settle(*rest, appended, outcomes)).collect();
        }
        if runs.iter().enumerate().any(|(nth, _)| is_unreachable(outcomes.of(nth))) {
            self.connection.discard().await;
        }
    }

    async fn check(&self) -> Result<(), Error> {
        self.connection.ping().await
    }
}

/// Takes note of what became of the next messages of a run. Returns what is left of it.
fn settle<'a>(rest: Rest<'a>, appended: Appended, outcomes: &mut Outcomes) -> Option<Rest<'a>> {
    let rest = Rest { confirmed: rest.confirmed + appended.there, ..rest };
    match appended.stopped {
        Some(error) => outcomes.answer(rest.nth, Outcome::stopped(rest.confirmed, error)),
        None if rest.confirmed < rest.run.deliveries.len() => return Some(rest),
        None => outcomes.answer(rest.nth, Outcome::delivered(rest.run)),
    }
    None
}

fn is_unreachable(outcome: Option<&Outcome>) -> bool {
    outcome.and_then(|outcome| outcome.error.as_ref()).is_some_and(|error| error.verdict == Verdict::Unreachable)
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
