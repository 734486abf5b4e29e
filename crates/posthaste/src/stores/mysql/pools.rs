//! The pool of connections, and the next one: connections to a server that says nothing never come back to their pool, which would have no
//! room for others in the end.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, Pool};

use crate::error::Result;
use crate::stores::silence::Silence;

pub(super) struct Pools {
    config: Opts,
    newest: Mutex<(Pool, Instant)>,
}

impl Pools {
    pub(super) fn new(config: Opts) -> Self {
        Self { newest: Mutex::new((Pool::new(config.clone()), Instant::now())), config }
    }

    /// The pool of connections that were not given up.
    pub(super) fn newest(&self, silence: &Silence) -> Pool {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if silence.gave_up(newest.1) {
            *newest = (Pool::new(self.config.clone()), Instant::now());
        }
        newest.0.clone()
    }

    /// A connection that belongs to no pool, set up like those of one, except that it sees what nobody has committed yet.
    pub(super) async fn uncommitted(&self) -> Result<Conn> {
        let mut connection = Conn::new(self.config.clone()).await?;
        connection.query_drop(include_str!("sql/connection/uncommitted.sql")).await?;
        Ok(connection)
    }
}
