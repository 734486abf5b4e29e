//! Poolers that give each transaction any connection to the server, as PgBouncer does in transaction mode. Nothing outlives a
//! transaction there: no setting, no statement that was prepared, and not even the server, which may have failed over meanwhile.
//!
//! So every statement runs in a transaction of its own, which begins with the settings and makes sure that it is still the server of
//! before. Its three parts are sent at once: it takes one round trip, and it ends even if nobody waits for it. Statements have no name,
//! so that none is left behind.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::join3;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, RowStream};

use super::error::ANOTHER_SERVER;
use super::identity::Server;
use crate::error::Result;

pub(super) mod detect;

/// The types of the parameters of each statement, asked for once.
pub(super) type Types = Mutex<HashMap<String, Arc<[Type]>>>;

type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// How statements run behind a pooler.
pub(super) struct Pooled {
    /// The settings of a transaction, and the check that it runs on the right server.
    settings: String,
    begin: String,
    types: Arc<Types>,
    /// It leads to another server than before.
    is_astray: AtomicBool,
}

impl Pooled {
    /// `session` is what sets up a session of our own.
    pub(super) fn new(session: &str, server: &Server, types: Arc<Types>) -> Self {
        let check = match server.tells() {
            true => include_str!("sql/connection/same_server.sql")
                .replace("{server}", &format!("{} {}", server.system, server.timeline)),
            false => String::new(),
        };
        let settings = format!("{}{check}", session.replace("SET ", "SET LOCAL "));
        Self { begin: format!("BEGIN; {settings}"), settings, types, is_astray: AtomicBool::new(false) }
    }

    /// Sets up a transaction that has just begun.
    pub(super) async fn set_up(&self, client: &Client) -> Result<()> {
        self.begun(client.batch_execute(&self.settings).await)
    }

    /// Whether the server behind the pooler is another one than when the connection was made.
    pub(super) fn is_astray(&self) -> bool {
        self.is_astray.load(Ordering::Relaxed)
    }

    fn begun(&self, begun: Result<(), tokio_postgres::Error>) -> Result<()> {
        Ok(begun.inspect_err(|error| {
            if error.code().is_some_and(|code| code.code() == ANOTHER_SERVER) {
                self.is_astray.store(true, Ordering::Relaxed);
            }
        })?)
    }

    pub(super) async fn query(&self, client: &Client, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let typed = self.typed(client, sql, params).await?;
        self.alone(client, client.query_typed(sql, &typed)).await
    }

    pub(super) async fn execute(&self, client: &Client, sql: &str, params: Params<'_>) -> Result<u64> {
        let typed = self.typed(client, sql, params).await?;
        self.alone(client, client.execute_typed(sql, &typed)).await
    }

    /// Rows as they come.
    pub(super) async fn rows(&self, client: &Client, sql: &str, params: Params<'_>) -> Result<RowStream> {
        let typed = self.typed(client, sql, params).await?;
        // Whether a transaction that has only read can be ended needs no answer; the question is sent all the same.
        let end = async { client.batch_execute("COMMIT").now_or_never() };
        let (begun, rows, _) = join3(client.batch_execute(&self.begin), client.query_typed_raw(sql, typed), end).await;
        self.begun(begun)?;
        Ok(rows?)
    }

    /// Each of the three is sent when it is polled first, which is in this order and before any answer.
    async fn alone<T>(
        &self,
        client: &Client,
        statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let (begun, done, ended) =
            join3(client.batch_execute(&self.begin), statement, client.batch_execute("COMMIT")).await;
        self.begun(begun)?;
        let done = done?;
        ended?;
        Ok(done)
    }

    /// Parameters with their types, in a transaction of their own if they are not known yet.
    async fn typed<'a>(
        &self,
        client: &Client,
        sql: &str,
        params: Params<'a>,
    ) -> Result<Vec<(&'a (dyn ToSql + Sync), Type)>> {
        if let Some(known) = self.known(sql) {
            return Ok(paired(params, &known));
        }
        let end = RollsBack(client);
        self.begun(client.batch_execute(&self.begin).await)?;
        let paired = self.typed_within(client, sql, params).await;
        drop(end);
        paired
    }

    /// As [`Pooled::typed`], within a transaction that is open.
    pub(super) async fn typed_within<'a>(
        &self,
        client: &Client,
        sql: &str,
        params: Params<'a>,
    ) -> Result<Vec<(&'a (dyn ToSql + Sync), Type)>> {
        if let Some(known) = self.known(sql) {
            return Ok(paired(params, &known));
        }
        // Its name goes with it, which is before the end of the transaction.
        let types: Arc<[Type]> = client.prepare(sql).await?.params().into();
        self.types.lock().unwrap_or_else(PoisonError::into_inner).insert(sql.to_owned(), Arc::clone(&types));
        Ok(paired(params, &types))
    }

    fn known(&self, sql: &str) -> Option<Arc<[Type]>> {
        self.types.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned()
    }
}

fn paired<'a>(params: Params<'a>, types: &[Type]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    params.iter().copied().zip(types.iter().cloned()).collect()
}

/// Ends a transaction when it goes, without waiting for the answer.
struct RollsBack<'a>(&'a Client);

impl Drop for RollsBack<'_> {
    fn drop(&mut self) {
        // The question is sent when it is polled.
        let _ = self.0.batch_execute("ROLLBACK").now_or_never();
    }
}
