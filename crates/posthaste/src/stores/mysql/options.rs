//! How to use a database.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::duration;
use crate::journal::PARTITIONS;
use crate::secret::Secret;

/// How to use a database: [`Options::new`], then set what is to be different.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Options {
    /// `mysql://user:password@host:3306/database`, with `?require_ssl=true` for TLS that checks who answers.
    #[serde(skip)]
    pub url: Secret,
    /// Used in place of the password in the URL.
    pub password: Option<Secret>,
    /// Connections of one relay, at most.
    pub connections: usize,
    /// How long the server may say nothing before its connections are given up and made anew. What was merely slow gets twice as long the
    /// next time.
    #[serde(with = "duration")]
    pub answer_timeout: Duration,
    /// The certificates (PEM) to trust, in place of the built-in ones.
    pub root_certificates: Option<PathBuf>,
    /// Partitions of a journal that is yet to be made; an existing one keeps what it has.
    #[serde(skip)]
    pub partitions: u16,
}

impl Options {
    /// The database at this URL, with everything else as usual.
    pub fn new(url: impl Into<Secret>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            url: Secret::new(""),
            password: None,
            connections: 4,
            answer_timeout: Duration::from_secs(5),
            root_certificates: None,
            partitions: PARTITIONS,
        }
    }
}

/// Shows neither the URL nor the password.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("connections", &self.connections)
            .field("answer_timeout", &self.answer_timeout)
            .field("partitions", &self.partitions)
            .finish_non_exhaustive()
    }
}
