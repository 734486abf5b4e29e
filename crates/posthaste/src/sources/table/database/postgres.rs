//! PostgreSQL. Nothing is prepared under a name, so that a pooler may stand in between.

use deadpool_postgres::ClientWrapper;
use tokio_postgres::types::{ToSql, Type};

use super::Catalogue;
use crate::Secret;
use crate::error::Result;
use crate::source;
use crate::sources::table::row::Row;
use crate::sources::table::statement::Statement;
use crate::stores::postgres::{Options, connect};

const COLUMNS: &str = include_str!("sql/postgres.sql");

/// What a session needs: times in UTC, and no statement that outlasts whoever asked.
const SESSION: &str = "SET TIME ZONE 'UTC'; SET statement_timeout = '10s'";

pub(crate) struct Postgres {
    client: ClientWrapper,
    place: String,
}

impl Postgres {
    pub(super) async fn connect(url: &Secret) -> Result<Self> {
        let (client, place) = connect(&Options::new(url.clone())).await?;
        client.batch_execute(SESSION).await?;
        Ok(Self { client, place })
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) async fn columns(&self, schema: &str, table: &str) -> Result<Catalogue> {
        let params: [(&(dyn ToSql + Sync), Type); 2] = [(&schema, Type::TEXT), (&table, Type::TEXT)];
        let rows = self.client.query_typed(COLUMNS, &params).await?;
        rows.iter().map(|row| Ok([row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?])).collect()
    }

    pub(super) async fn query(&self, statement: &Statement) -> Result<Vec<Row>> {
        let rows = self.client.query_typed(&statement.sql, &params(&statement.params)).await?;
        let cells =
            |row: &tokio_postgres::Row| -> Result<Row> { (0..row.len()).map(|at| Ok(row.try_get(at)?)).collect() };
        rows.iter().map(cells).collect()
    }

    pub(super) async fn execute(&self, statement: &source::Statement) -> Result<()> {
        self.client.execute_typed(&statement.sql, &params(&statement.params)).await?;
        Ok(())
    }
}

fn params(params: &[String]) -> Vec<(&(dyn ToSql + Sync), Type)> {
    params.iter().map(|value| (value as &(dyn ToSql + Sync), Type::TEXT)).collect()
}
