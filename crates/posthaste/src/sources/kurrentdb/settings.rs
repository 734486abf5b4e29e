//! What can be set.

use serde::Deserialize;

use crate::Secret;
use crate::sink::settings::Problem;

/// Where from, and which events.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// `esdb://user:password@host:2113?tls=true`, `esdb+discover://…` for a cluster, or the same with `kurrentdb`.
    #[serde(default)]
    pub connection_string: Secret,
    /// Which events the server sends; everything but its own unless given.
    #[serde(default)]
    pub filter: Filter,
    /// Where a source starts that was never read.
    #[serde(default)]
    pub start: Start,
    /// Whether a link is followed to the event that it points to.
    #[serde(default = "yes")]
    pub resolve_links: bool,
    /// The server says how far it got after so many events that it looked at.
    #[serde(default = "a_thousand")]
    pub checkpoint_every: u32,
    /// Reads a persistent subscription and not `$all`.
    #[serde(default)]
    pub subscription: Option<Persistent>,
}

impl Settings {
    /// Everything in `$all`.
    pub fn new(connection_string: impl Into<Secret>) -> Self {
        Self {
            connection_string: connection_string.into(),
            filter: Filter::default(),
            start: Start::default(),
            resolve_links: true,
            checkpoint_every: a_thousand(),
            subscription: None,
        }
    }

    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.checkpoint_every == 0 {
            return Err(Problem::new("checkpoint_every", "must be at least 1"));
        }
        let filter = &self.filter;
        let given = [
            !filter.event_type_prefix.is_empty(),
            filter.event_type_regex.is_some(),
            !filter.stream_prefix.is_empty(),
            filter.stream_regex.is_some(),
        ];
        if given.into_iter().filter(|given| *given).count() > 1 {
            let text = "names more than one of event_type_prefix, event_type_regex, stream_prefix and stream_regex: the server \
                takes one";
            return Err(Problem::new("filter", text));
        }
        if self.subscription.is_some() && given.contains(&true) {
            let text = "is given beside `subscription`: what a persistent subscription gets is set where it was made";
            return Err(Problem::new("filter", text));
        }
        Ok(())
    }
}

/// Which events the server sends: by one of these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// Those whose type begins with one of these.
    pub event_type_prefix: Vec<String>,
    /// Those whose type matches.
    pub event_type_regex: Option<String>,
    /// Those of streams whose name begins with one of these.
    pub stream_prefix: Vec<String>,
    /// Those of streams whose name matches.
    pub stream_regex: Option<String>,
}

/// Where a source starts that was never read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// With the first event.
    #[default]
    Beginning,
    /// With what is written from now on.
    End,
}

/// A persistent subscription, which was made in the server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Persistent {
    /// The name of the group.
    pub group: String,
    /// The stream that it is to; `$all` unless given.
    #[serde(default)]
    pub stream: Option<String>,
    /// Events that the server sends before it hears of the first.
    #[serde(default = "a_thousand")]
    pub buffer: u32,
    /// What the server does with an event that nothing could be made of.
    #[serde(default)]
    pub refused: Refused,
}

impl Persistent {
    /// To `$all`.
    pub fn new(group: impl Into<String>) -> Self {
        Self { group: group.into(), stream: None, buffer: a_thousand(), refused: Refused::default() }
    }

    /// To one stream.
    #[must_use]
    pub fn stream(mut self, stream: impl Into<String>) -> Self {
        self.stream = Some(stream.into());
        self
    }
}

/// What the server does with an event that nothing could be made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Refused {
    /// Sets it aside, to be replayed.
    #[default]
    Park,
    /// Passes over it.
    Skip,
}

fn yes() -> bool {
    true
}

fn a_thousand() -> u32 {
    1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_one_thing() {
        let mut settings = Settings::new("esdb://a");
        settings.filter.event_type_prefix = vec!["payment.".into()];
        assert!(settings.check().is_ok());
        settings.filter.stream_regex = Some("^payment-".into());
        assert_eq!(settings.check().unwrap_err().setting, "filter");
        let mut settings = Settings::new("esdb://a");
        settings.checkpoint_every = 0;
        assert_eq!(settings.check().unwrap_err().setting, "checkpoint_every");
    }
}
