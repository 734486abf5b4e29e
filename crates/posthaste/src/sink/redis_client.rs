//! Redis as sinks use it: one connection for all runs, scripts that are loaded when they are missing, and what an error means.

use std::time::Duration;

use serde::Deserialize;

pub(crate) use self::connection::Connection;
pub(crate) use self::verdict::from_client;
#[cfg(feature = "redis")]
pub(crate) use self::verdict::from_server;
use crate::Secret;
use crate::sink::settings::{Tls, Urls};

mod client;
mod connection;
#[cfg(test)]
pub(crate) mod fake;
mod verdict;

/// Where a server is, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address<'a> {
    pub(crate) url: &'a Urls,
    /// Whether the addresses are nodes of a cluster.
    pub(crate) cluster: bool,
    /// Given, the addresses are those of sentinels.
    pub(crate) sentinel: Option<&'a Sentinel>,
    pub(crate) tls: Option<&'a Tls>,
    pub(crate) connect_timeout: Duration,
    pub(crate) response_timeout: Duration,
}

/// How to ask sentinels. User, password and database in the addresses are those of the server that they point to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentinel {
    /// The name of the master, as in `sentinel monitor NAME`.
    pub master: String,
    /// Of the sentinels themselves.
    #[serde(default)]
    pub user: Option<String>,
    /// Of the sentinels themselves.
    #[serde(default)]
    pub password: Option<Secret>,
}

/// A script, and the name by which a server that knows it is asked to run it.
#[derive(Debug)]
pub(crate) struct Script {
    source: &'static str,
    hash: String,
}

impl Script {
    pub(crate) fn new(source: &'static str) -> Self {
        Self { source, hash: redis::Script::new(source).get_hash().to_owned() }
    }

    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }
}
