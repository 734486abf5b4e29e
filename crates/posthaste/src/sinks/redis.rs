//! Redis: entries of streams, and messages on channels.
//!
//! A run is one call of a script, so that it arrives as a whole, and what arrived before is not appended again: a run that is
//! sent a second time, because its answer was lost or its worker died, adds only what is missing (`append.lua` says how that is
//! known). Messages of one run that go to different streams take a call each, one after another.
//!
//! Delivered is what the master has; with `wait_replicas`, what so many replicas have as well.

use std::fmt;

use async_trait::async_trait;

use self::batch::Batch;
use self::link::Link;
use self::names::{ChannelRule, StreamRule};
pub use self::settings::{Sentinel, Settings, Tls, Urls};
use self::verdict::{from_client, from_server};
use crate::sink::{Error, Outcome, Run, Sink, Verdict};
use crate::sinks::format::Format;
use crate::sinks::settings::Misfit;

mod batch;
mod link;
mod names;
mod settings;
#[cfg(test)]
mod tests;
mod verdict;
mod way;

/// Appends to streams and publishes to channels.
pub struct Redis {
    settings: Settings,
    link: Link,
}

impl Redis {
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Misfit> {
        check(&settings)?;
        let link = Link::new(&settings)?;
        Ok(Self { settings, link })
    }

    /// Appends as many as go together. Answers how many of them are there, and what stopped it.
    async fn append(&self, batch: &Batch) -> (usize, Option<Error>) {
        let (there, stopped) = match self.link.call::<(usize, String)>(&batch.command).await {
            Ok(answer) => answer,
            Err(error) => return (0, Some(from_client(&error, &self.link))),
        };
        if let Err(error) = self.replicated().await {
            return (0, Some(error));
        }
        (there, (!stopped.is_empty()).then(|| from_server(&stopped, &self.link)))
    }

    /// Waits until as many replicas as wanted have all that was written so far.
    async fn replicated(&self) -> Result<(), Error> {
        let wanted = self.settings.wait_replicas;
        if wanted == 0 {
            return Ok(());
        }
        let mut wait = redis::cmd("WAIT");
        wait.arg(wanted).arg(self.settings.wait_timeout.as_millis() as u64);
        match self.link.query::<u32>(&wait).await {
            Ok(have) if have >= wanted => Ok(()),
            Ok(have) => Err(Error::unreachable(format_args!(
                "{}: {have} of {wanted} replicas have it after {:?}",
                self.link, self.settings.wait_timeout
            ))),
            Err(error) => Err(from_client(&error, &self.link)),
        }
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
                    self.link.leave().await;
                }
                return Outcome::stopped(confirmed, error);
            }
        }
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), Error> {
        let pinged = self.link.query::<String>(&redis::cmd("PING")).await;
        pinged.map(|_| ()).map_err(|error| from_client(&error, &self.link))
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { stream, channel, .. } = &self.settings;
        f.debug_struct("Redis")
            .field("address", &format_args!("{}", self.link))
            .field("stream", stream)
            .field("channel", channel)
            .finish_non_exhaustive()
    }
}

fn check(settings: &Settings) -> Result<(), Misfit> {
    let Settings { stream, channel, .. } = settings;
    if stream.is_none() && channel.is_none() {
        return Err(Misfit::new("stream", "is missing: write a name such as \"{aggregate_type}\", or a `channel`"));
    }
    if stream.is_none() && !settings.allow_lossy {
        let says = "is not set, and a channel alone loses what is published while nobody listens: \
            add a `stream`, or write allow_lossy = true if that is fine";
        return Err(Misfit::new("allow_lossy", says));
    }
    if stream.is_none() && settings.format == Format::CloudEventsBinary {
        return Err(Misfit::new("format", "cannot be cloudevents-binary without a stream: a channel has no headers"));
    }
    let checked = |setting, checked: Option<Result<(), String>>| match checked {
        Some(Err(why)) => Err(Misfit::new(setting, format!("makes a name that {why}"))),
        _ => Ok(()),
    };
    checked("stream", stream.as_ref().map(|template| template.check(&StreamRule)))?;
    checked("channel", channel.as_ref().map(|template| template.check(&ChannelRule)))?;
    if settings.repeats_known_for.is_zero() {
        return Err(Misfit::new("repeats_known_for", "is zero: write at least 1s"));
    }
    if settings.fields.contains_key(batch::BODY) {
        return Err(Misfit::new(
            "fields",
            format!("has `{}`, the name of the message itself: take another", batch::BODY),
        ));
    }
    if settings.cluster && settings.sentinel.is_some() {
        return Err(Misfit::new("sentinel", "and `cluster` exclude each other: a cluster needs no sentinels"));
    }
    Ok(())
}
