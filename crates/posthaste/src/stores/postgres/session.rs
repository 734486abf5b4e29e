//! A connection of the relay, and the statements that run on it: each prepared once, or behind a pooler without a name.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;

use deadpool_postgres::ClientWrapper;
use futures_util::TryStreamExt;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{IsolationLevel, Row, RowStream};

use super::pooler::Pooled;
use crate::error::{Error, Kind, Result};
use crate::stores::silence::Silence;

pub(super) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// What runs statements: a session each by itself, a transaction all of them together.
pub(super) trait Statements: Sync {
    fn query(&self, sql: &str, params: Params<'_>) -> impl Future<Output = Result<Vec<Row>>> + Send;

    /// How many rows it touched.
    fn execute(&self, sql: &str, params: Params<'_>) -> impl Future<Output = Result<u64>> + Send;

    fn query_opt(&self, sql: &str, params: Params<'_>) -> impl Future<Output = Result<Option<Row>>> + Send {
        async move { Ok(self.query(sql, params).await?.into_iter().next()) }
    }

    fn query_one(&self, sql: &str, params: Params<'_>) -> impl Future<Output = Result<Row>> + Send {
        async move {
            let nothing = || Error::new(Kind::Corrupt, "the database gave no row where there must be one");
            self.query_opt(sql, params).await?.ok_or_else(nothing)
        }
    }
}

/// A connection.
pub(super) struct Session {
    client: ClientWrapper,
    pooled: Option<Pooled>,
    silence: Arc<Silence>,
}

impl Session {
    pub(super) fn new(client: ClientWrapper, pooled: Option<Pooled>, silence: Arc<Silence>) -> Self {
        Self { client, pooled, silence }
    }

    /// Whether it is good for another use.
    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed() && !self.pooled.as_ref().is_some_and(Pooled::is_astray)
    }

    /// Gives out rows as they come, until `take` has enough.
    pub(super) async fn each(
        &self,
        sql: &str,
        params: Params<'_>,
        mut take: impl FnMut(&Row) -> Result<ControlFlow<()>> + Send,
    ) -> Result<()> {
        self.silence
            .limits(sql, async {
                let mut rows = pin!(self.rows(sql, params).await?);
                while let Some(row) = rows.try_next().await? {
                    if take(&row)?.is_break() {
                        break;
                    }
                }
                Ok(())
            })
            .await
    }

    async fn rows(&self, sql: &str, params: Params<'_>) -> Result<RowStream> {
        match &self.pooled {
            Some(pooled) => pooled.rows(&self.client, sql, params).await,
            None => {
                let statement = self.client.prepare_cached(sql).await?;
                Ok(self.client.query_raw(&statement, params.iter().copied()).await?)
            }
        }
    }

    /// A transaction of the engine, whose statements have a time limit.
    pub(super) async fn transaction(&mut self) -> Result<Transaction<'_>> {
        let silence = Arc::clone(&self.silence);
        let mut transaction = silence.limits("BEGIN", self.begin(false)).await?;
        transaction.silence = Some(silence);
        Ok(transaction)
    }

    /// A transaction that somebody waits for, however long it takes.
    pub(super) async fn unhurried(&mut self) -> Result<Transaction<'_>> {
        self.begin(false).await
    }

    /// A transaction in which nothing changes: all of its statements see the same. Somebody waits for it.
    pub(super) async fn snapshot(&mut self) -> Result<Transaction<'_>> {
        self.begin(true).await
    }

    async fn begin(&mut self, is_snapshot: bool) -> Result<Transaction<'_>> {
        let Self { client, pooled, .. } = self;
        let mut builder = client.build_transaction();
        if is_snapshot {
            builder = builder.read_only(true).isolation_level(IsolationLevel::RepeatableRead);
        }
        let transaction = builder.start().await?;
        if let Some(pooled) = pooled {
            pooled.set_up(transaction.client()).await?;
        }
        Ok(Transaction { inner: transaction, pooled: pooled.as_ref(), silence: None })
    }
}

impl Statements for Session {
    async fn query(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        self.silence
            .limits(sql, async {
                match &self.pooled {
                    Some(pooled) => pooled.query(&self.client, sql, params).await,
                    None => Ok(self.client.query(&self.client.prepare_cached(sql).await?, params).await?),
                }
            })
            .await
    }

    async fn execute(&self, sql: &str, params: Params<'_>) -> Result<u64> {
        self.silence
            .limits(sql, async {
                match &self.pooled {
                    Some(pooled) => pooled.execute(&self.client, sql, params).await,
                    None => Ok(self.client.execute(&self.client.prepare_cached(sql).await?, params).await?),
                }
            })
            .await
    }
}

/// An open transaction; rolled back when it goes, unless it was committed.
pub(super) struct Transaction<'a> {
    inner: deadpool_postgres::Transaction<'a>,
    pooled: Option<&'a Pooled>,
    /// Set if its statements have a time limit.
    silence: Option<Arc<Silence>>,
}

impl Transaction<'_> {
    /// Statements without parameters, one after the other.
    pub(super) async fn batch_execute(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        self.inner.batch_execute(sql).await
    }

    /// A statement whose parameters have their types with them.
    pub(super) async fn execute_typed(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)]) -> Result<u64> {
        if self.pooled.is_some() {
            return limited(self.silence.as_deref(), sql, async { Ok(self.inner.execute_typed(sql, params).await?) })
                .await;
        }
        let values: Vec<_> = params.iter().map(|(value, _)| *value).collect();
        self.execute(sql, &values).await
    }

    /// As [`Transaction::batch_execute`], with a time limit.
    pub(super) async fn batch_in_time(&self, sql: &str) -> Result<()> {
        limited(self.silence.as_deref(), sql, async { Ok(self.inner.batch_execute(sql).await?) }).await
    }

    /// A statement in somebody else's words, which are not kept. What the server says to it is for the caller to judge.
    pub(super) async fn execute_once(
        &self,
        sql: &str,
        params: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Result<u64, tokio_postgres::Error>> {
        limited(self.silence.as_deref(), "foreign", async { Ok(self.inner.execute_typed(sql, params).await) }).await
    }

    pub(super) async fn commit(self) -> Result<()> {
        let Self { inner, silence, .. } = self;
        limited(silence.as_deref(), "COMMIT", async { Ok(inner.commit().await?) }).await
    }
}

impl Statements for Transaction<'_> {
    async fn query(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        limited(self.silence.as_deref(), sql, async {
            match self.pooled {
                Some(pooled) => {
                    let typed = pooled.typed_within(self.inner.client(), sql, params).await?;
                    Ok(self.inner.query_typed(sql, &typed).await?)
                }
                None => Ok(self.inner.query(&self.inner.prepare_cached(sql).await?, params).await?),
            }
        })
        .await
    }

    async fn execute(&self, sql: &str, params: Params<'_>) -> Result<u64> {
        limited(self.silence.as_deref(), sql, async {
            match self.pooled {
                Some(pooled) => {
                    let typed = pooled.typed_within(self.inner.client(), sql, params).await?;
                    Ok(self.inner.execute_typed(sql, &typed).await?)
                }
                None => Ok(self.inner.execute(&self.inner.prepare_cached(sql).await?, params).await?),
            }
        })
        .await
    }
}

async fn limited<T>(silence: Option<&Silence>, sql: &str, run: impl Future<Output = Result<T>>) -> Result<T> {
    match silence {
        Some(silence) => silence.limits(sql, run).await,
        None => run.await,
    }
}
