//! How to use a database.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::SCHEMA;
use crate::duration;
use crate::journal::PARTITIONS;
use crate::secret::Secret;

/// How to use a database: [`Options::new`], then set what is to be different.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Options {
    /// `postgres://user:password@host:5432/database?sslmode=verify-full`, or the same as `host=… user=…`.
    #[serde(skip)]
    pub url: Secret,
    /// Used in place of the password in the URL.
    pub password: Option<Secret>,
    /// A file with the password, read for each new connection.
    pub password_file: Option<PathBuf>,
    /// A program with its arguments that prints the password, run for each new connection.
    pub password_command: Vec<String>,
    /// The schema of the journal.
    pub schema: String,
    /// Connections of one relay, at most. With `listen` there is one more.
    pub connections: usize,
    /// Be woken by `NOTIFY posthaste` (the schema's name), if a writer sends it; polling goes on.
    pub listen: bool,
    /// What stands between the relay and the server.
    pub pooler: Pooler,
    /// How long the server may say nothing before its connections are given up and made anew. A statement that was slow gets twice as
    /// long the next time.
    #[serde(with = "duration")]
    pub answer_timeout: Duration,
    /// The certificates (PEM) to trust, in place of the system's.
    pub root_certificates: Option<PathBuf>,
    /// The certificate (PEM) to show to a server that asks for one.
    pub client_certificate: Option<PathBuf>,
    /// The key (PEM) of that certificate.
    pub client_key: Option<PathBuf>,
    /// Partitions of a journal that is yet to be made; an existing one keeps what it has.
    #[serde(skip)]
    pub partitions: u16,
}

/// What stands between a relay and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Pooler {
    /// Found out for each connection. A pooler in session mode is taken for one in transaction mode, which works, slower.
    #[default]
    Auto,
    /// Nothing, or what keeps one connection to the server for each of ours, as poolers in session mode do.
    None,
    /// A pooler that gives each transaction any connection to the server.
    Transaction,
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
            password_file: None,
            password_command: Vec::new(),
            schema: SCHEMA.into(),
            connections: 4,
            listen: false,
            pooler: Pooler::Auto,
            answer_timeout: Duration::from_secs(5),
            root_certificates: None,
            client_certificate: None,
            client_key: None,
            partitions: PARTITIONS,
        }
    }
}

/// Shows neither the URL nor the password, nor how to come by it.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("schema", &self.schema)
            .field("connections", &self.connections)
            .field("listen", &self.listen)
            .field("pooler", &self.pooler)
            .field("answer_timeout", &self.answer_timeout)
            .field("partitions", &self.partitions)
            .finish_non_exhaustive()
    }
}
