//! The pool of connections, and the next one: connections to a server that says nothing never come back to their pool, which would have no
//! room for others in the end. How they begin depends on the server, so that is asked before there are any.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, Pool};

use super::connection::for_sessions;
use super::family::Family;
use crate::error::Result;
use crate::stores::silence::Silence;

pub(super) struct Pools {
    config: Opts,
    family: OnceLock<Family>,
    newest: Mutex<Option<(Pool, Instant)>>,
}

impl Pools {
    pub(super) fn new(config: Opts) -> Self {
        Self { config, family: OnceLock::new(), newest: Mutex::default() }
    }

    /// Which server it is, unless nobody has asked yet.
    pub(super) fn known_family(&self) -> Option<Family> {
        self.family.get().copied()
    }

    /// Which server it is. It is asked once, and refused if it is none that can hold a journal.
    pub(super) async fn family(&self) -> Result<Family> {
        if let Some(family) = self.known_family() {
            return Ok(family);
        }
        let mut connection = Conn::new(self.config.clone()).await?;
        let named: Option<(String, String)> = connection.query_first("SELECT VERSION(), @@version_comment").await?;
        connection.disconnect().await?;
        let (version, comment) = named.unwrap_or_default();
        let family = Family::of(&version, &comment)?;
        Ok(*self.family.get_or_init(|| family))
    }

    /// The pool of connections that were not given up.
    pub(super) fn newest(&self, family: Family, silence: &Silence) -> Pool {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.as_ref().is_some_and(|(_, made)| silence.gave_up(*made)) {
            *newest = None;
        }
        let (pool, _) = newest.get_or_insert_with(|| (Pool::new(for_sessions(&self.config, family)), Instant::now()));
        pool.clone()
    }

    /// A connection that belongs to no pool, set up like those of one, except that it sees what nobody has committed yet.
    pub(super) async fn uncommitted(&self) -> Result<Conn> {
        let mut connection = Conn::new(for_sessions(&self.config, self.family().await?)).await?;
        connection.query_drop(include_str!("sql/connection/uncommitted.sql")).await?;
        Ok(connection)
    }
}
