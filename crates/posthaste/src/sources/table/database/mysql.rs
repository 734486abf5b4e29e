//! MySQL and MariaDB.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder, Params, Value};

use super::Catalogue;
use crate::Secret;
use crate::error::{Error, Kind, Result};
use crate::source::{self, Place};
use crate::sources::table::row::Row;
use crate::sources::table::statement::Statement;

const COLUMNS: &str = include_str!("sql/mysql.sql");

pub(crate) struct Mysql {
    connection: Conn,
    place: String,
    server: Place,
}

impl Mysql {
    pub(super) async fn connect(url: &Secret) -> Result<Self> {
        // The cause would repeat parts of the URL, and with them the password.
        let options = Opts::from_url(url.expose()).map_err(|_| {
            let text = "the url cannot be understood: write mysql://user:password@host:3306/database";
            Error::new(Kind::Invalid, text)
        })?;
        let database = options.db_name().unwrap_or_default();
        let place = format!("mysql://{}:{}/{database}", options.ip_or_hostname(), options.tcp_port());
        let server = Place::server("mysql", options.ip_or_hostname(), options.tcp_port());
        let options = OptsBuilder::from_opts(options).prefer_socket(false).stmt_cache_size(0);
        let mut connection = Conn::new(options).await?;
        connection.query_drop("SET time_zone = '+00:00'").await?;
        connection.query_drop("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED").await?;
        Ok(Self { connection, place, server })
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn server(&self) -> Place {
        self.server.clone()
    }

    pub(super) async fn columns(&mut self, schema: &str, table: &str) -> Result<Catalogue> {
        let rows: Vec<(String, String, String, String)> =
            self.connection.exec(COLUMNS, (schema, schema, table, table)).await?;
        Ok(rows.into_iter().map(|(schema, table, column, kind)| [schema, table, column, kind]).collect())
    }

    pub(super) async fn query(&mut self, statement: &Statement) -> Result<Vec<Row>> {
        let rows: Vec<mysql_async::Row> =
            self.connection.exec(statement.sql.as_str(), params(&statement.params)).await?;
        let cell = |value| match value {
            Value::NULL => None,
            Value::Bytes(bytes) => Some(bytes),
            other => Some(other.as_sql(true).into_bytes()),
        };
        Ok(rows.into_iter().map(|row| row.unwrap().into_iter().map(cell).collect()).collect())
    }

    pub(super) async fn execute(&mut self, statement: &source::Statement) -> Result<()> {
        Ok(self.connection.exec_drop(statement.sql.as_str(), params(&statement.params)).await?)
    }
}

fn params(params: &[String]) -> Params {
    match params.is_empty() {
        true => Params::Empty,
        false => Params::Positional(params.iter().map(|value| Value::from(value.as_str())).collect()),
    }
}
