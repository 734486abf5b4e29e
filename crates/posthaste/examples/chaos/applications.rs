//! The application's side of each store: a table of keys with a number each, counted up in the transaction that writes the message.
//!
//! The row of a key is locked while it is counted up. So the order of commits within a key is the order of its numbers, and the
//! last number says how many messages of the key were committed, also when nobody heard of a commit.

use posthaste::Message;
use serde::Deserialize;

use crate::Failure;

mod mongodb;
mod mysql;
mod postgres;
mod sqlite;

/// Makes the message for a step of a key.
pub(crate) type Make<'a> = &'a (dyn Fn(&str, u64) -> Result<Message, Failure> + Send + Sync);

/// Is shown the id, the key and the number of a message.
pub(crate) type Show<'a> = &'a mut (dyn FnMut(&str, &str, u64) + Send);

#[async_trait::async_trait]
pub(crate) trait Application: Send {
    /// Creates the tables.
    async fn prepare(&mut self) -> Result<(), Failure>;

    /// Counts these keys up and writes a message for each, in one transaction.
    async fn write(&mut self, keys: &[String], make: Make<'_>) -> Result<(), Failure>;

    /// How far each key came.
    async fn numbers(&mut self) -> Result<Vec<(String, u64)>, Failure>;

    /// Shows what was handled, in its order within each key.
    async fn handled(&mut self, show: Show<'_>) -> Result<(), Failure>;
}

/// Where the journal is, and with it the application's own table.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", content = "at", rename_all = "snake_case")]
pub(crate) enum StoreAt {
    Sqlite(String),
    Postgres(String),
    Mysql(String),
    Mongodb(String),
}

impl StoreAt {
    pub(crate) async fn open(&self) -> Result<Box<dyn Application>, Failure> {
        Ok(match self {
            Self::Sqlite(path) => Box::new(sqlite::OnSqlite::open(path)?),
            Self::Postgres(url) => Box::new(postgres::OnPostgres::open(url).await?),
            Self::Mysql(url) => Box::new(mysql::OnMysql::open(url).await?),
            Self::Mongodb(url) => Box::new(mongodb::OnMongodb::open(url).await?),
        })
    }
}
