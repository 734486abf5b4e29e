//! Being told: news of the relay itself, as messages of the types `posthaste.*`, through the same engine to any destination.
//!
//! ```text
//!   Overview ──conditions──► what is wrong now ──Watcher──► notices ──write──► journal ──engine──► Slack, mail, webhook
//! ```
//!
//! A condition is wrong with one destination, or with all: an outage of 100,000 messages is one condition. It is told when it has lasted,
//! told again at growing intervals, and told once more when it is over. What was told last stands in the journal itself, and each notice
//! names the one before it as its origin, so that of many workers exactly one tells it, also after a restart.

use std::time::Duration;

use jiff::Timestamp;

use crate::destination::Name;

pub use self::conditions::{Condition, conditions};
pub use self::notice::{Last, Notice};
pub use self::quiet::Quiet;
pub use self::watch::{test_notice, watch};
pub use self::watcher::Watcher;

mod conditions;
mod notice;
mod quiet;
mod watch;
mod watcher;

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Deliveries are dead.
    Dead,
    /// Messages wait behind a dead one.
    Blocked,
    /// A destination is paused.
    Paused,
    /// A destination is out of reach.
    Outage,
    /// Messages wait for too long.
    Lag,
    /// Nobody delivers.
    NoWorker,
    /// A source has stopped at an event that nothing can be made of, or cannot be read.
    Source,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Dead, Self::Blocked, Self::Paused, Self::Outage, Self::Lag, Self::NoWorker, Self::Source];

    /// As it stands in types of messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dead => "dead",
            Self::Blocked => "blocked",
            Self::Paused => "paused",
            Self::Outage => "outage",
            Self::Lag => "lag",
            Self::NoWorker => "no_worker",
            Self::Source => "source",
        }
    }

    /// How bad it is.
    pub fn severity(self) -> Severity {
        match self {
            Self::Dead | Self::Outage | Self::NoWorker | Self::Source => Severity::Error,
            Self::Blocked | Self::Paused | Self::Lag => Severity::Warning,
        }
    }
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It can wait until the morning.
    Warning,
    /// Messages do not arrive.
    Error,
}

impl Severity {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a notice says about its condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// It is there.
    Began,
    /// It is still there.
    Still,
    /// It is over.
    Over,
}

impl Phase {
    const ALL: [Self; 3] = [Self::Began, Self::Still, Self::Over];

    /// As it stands in types of messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Began => "began",
            Self::Still => "still",
            Self::Over => "over",
        }
    }
}

/// What a condition is about: its kind, and the destination unless it concerns all.
pub type Subject = (Kind, Option<Name>);

/// Who is told, and of what.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// The destinations that get notices. None is told about itself.
    pub to: Vec<Name>,
    /// How often to look.
    pub interval: Duration,
    /// How long deliveries are dead before it is told, and so on for the others; a kind that is not here is not told.
    pub after: std::collections::BTreeMap<Kind, Duration>,
    /// Messages that have waited for longer are late.
    pub lag_over: Duration,
    /// How long to wait before a condition is told again; the intervals grow.
    pub remind_after: Duration,
    /// More notices in an hour wait until it is over.
    pub max_per_hour: usize,
    /// When to keep quiet.
    pub quiet: Option<Quiet>,
}

impl Settings {
    /// The usual settings: everything is told to these destinations.
    pub fn new(to: Vec<Name>) -> Self {
        let minute = Duration::from_secs(60);
        let after = Kind::ALL.map(|kind| match kind {
            Kind::Dead => (kind, Duration::ZERO),
            Kind::Blocked => (kind, 15 * minute),
            Kind::Paused | Kind::Outage | Kind::Lag | Kind::NoWorker | Kind::Source => (kind, minute),
        });
        Self {
            to,
            interval: Duration::from_secs(15),
            after: after.into(),
            lag_over: 5 * minute,
            remind_after: 30 * minute,
            max_per_hour: 30,
            quiet: None,
        }
    }
}

fn elapsed(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
