//! Connections of deadpool-postgres, which keep statements that were prepared once, and those of the relay.

use async_trait::async_trait;
use tokio_postgres::types::{ToSql, Type};

use super::tokio_postgres::Connection;
use super::tokio_postgres::private::Sealed;
use crate::error::Result;
use crate::stores::postgres::session::Transaction;

impl Sealed for deadpool_postgres::ClientWrapper {}
impl Sealed for deadpool_postgres::Client {}
impl Sealed for deadpool_postgres::Transaction<'_> {}
impl Sealed for Transaction<'_> {}

#[async_trait]
impl Connection for deadpool_postgres::ClientWrapper {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)], keep: bool) -> Result<u64> {
        if !keep {
            return Ok(self.execute_typed(sql, params).await?);
        }
        let statement = self.prepare_cached(sql).await?;
        Ok(self.execute(&statement, &values(params)).await?)
    }
}

#[async_trait]
impl Connection for deadpool_postgres::Client {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)], keep: bool) -> Result<u64> {
        (**self).run(sql, params, keep).await
    }
}

#[async_trait]
impl Connection for deadpool_postgres::Transaction<'_> {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)], keep: bool) -> Result<u64> {
        if !keep {
            return Ok(self.execute_typed(sql, params).await?);
        }
        let statement = self.prepare_cached(sql).await?;
        Ok(self.execute(&statement, &values(params)).await?)
    }
}

/// The relay's own transactions know by themselves whether there is a pooler.
#[async_trait]
impl Connection for Transaction<'_> {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)], _: bool) -> Result<u64> {
        self.execute_typed(sql, params).await
    }
}

fn values<'a>(params: &[(&'a (dyn ToSql + Sync), Type)]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|(value, _)| *value).collect()
}
