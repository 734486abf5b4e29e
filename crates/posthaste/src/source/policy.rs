//! How a source is read.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::destination::Name;

/// What becomes of an event that nothing can be made of. It is said in each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// Nothing more is read until a person has seen to it: mends the mapping and resumes the source.
    #[default]
    Stop,
    /// It is counted and passed over. It stays in the log that it came from.
    Skip,
    /// It is stored as it is, as a message of the type `posthaste.source.refused` with the reason, for whoever takes that.
    Dead,
}

impl OnError {
    /// Its name in configs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Skip => "skip",
            Self::Dead => "dead",
        }
    }
}

impl fmt::Display for OnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for OnError {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Stop, Self::Skip, Self::Dead];
        let found = all.into_iter().find(|policy| policy.as_str() == text);
        found.ok_or_else(|| format!("is `{text}`: write `stop`, `skip` or `dead`"))
    }
}

/// A source as a relay reads it: its name and its policy. The log behind the name is given to the relay separately.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feed {
    /// Unique among the sources of a journal; its checkpoint is kept under it.
    pub name: Name,
    /// What becomes of an event that nothing can be made of.
    pub on_error: OnError,
    /// Events that are stored with one transaction.
    pub max_batch: usize,
    /// Events in memory, read and not stored yet. The source is not read beyond it.
    pub window: usize,
    /// Bytes in memory, read and not stored yet.
    pub window_bytes: usize,
    /// A checkpoint with nothing to store waits this long for something to go with.
    pub checkpoint_interval: Duration,
    /// The first rest after an error; each one that follows is twice as long.
    pub retry_min: Duration,
    /// The longest rest after an error.
    pub retry_max: Duration,
}

impl Feed {
    /// A source with the usual policy.
    pub fn new(name: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            on_error: OnError::default(),
            max_batch: 1_000,
            window: 4_000,
            window_bytes: 32 << 20,
            checkpoint_interval: Duration::from_secs(1),
            retry_min: Duration::from_millis(100),
            retry_max: Duration::from_secs(30),
        }
    }

    /// With this policy about events that nothing can be made of.
    #[must_use]
    pub fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }

    /// With so many events in a transaction, at least one.
    #[must_use]
    pub fn max_batch(mut self, events: usize) -> Self {
        self.max_batch = events.max(1);
        self
    }

    /// With so many events and bytes in memory at most.
    #[must_use]
    pub fn window(mut self, events: usize, bytes: usize) -> Self {
        (self.window, self.window_bytes) = (events.max(1), bytes.max(1));
        self
    }

    /// With rests between these after errors.
    #[must_use]
    pub fn retry(mut self, min: Duration, max: Duration) -> Self {
        (self.retry_min, self.retry_max) = (min, max.max(min));
        self
    }
}
