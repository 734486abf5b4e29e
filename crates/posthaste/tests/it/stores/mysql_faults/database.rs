//! A database of one test.

use std::net::SocketAddr;
use std::time::Duration;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Options};

use crate::servers;
use crate::stores::ledger::Event;

#[derive(Debug, Clone)]
pub(super) struct Database {
    /// `host:port` of the server, or of whoever stands before it.
    address: String,
    name: String,
}

impl Database {
    /// On the MariaDB that all tests share. `name` tells whose it is; what an earlier run left is removed.
    pub(super) async fn new(name: &str) -> Self {
        Self::on(&servers::address("mariadb"), name).await
    }

    pub(super) async fn on(address: &str, name: &str) -> Self {
        let mut connection = Conn::from_url(format!("mysql://root@{address}")).await.unwrap();
        connection.query_drop(format!("DROP DATABASE IF EXISTS {name}")).await.unwrap();
        connection.query_drop(format!("CREATE DATABASE {name}")).await.unwrap();
        connection.disconnect().await.unwrap();
        let database = Self { address: address.into(), name: name.into() };
        database.store().migrate().await.unwrap();
        database
    }

    /// The same database behind a proxy, or on a server that has a copy of it.
    pub(super) fn through(&self, address: impl ToString) -> Self {
        Self { address: address.to_string(), ..self.clone() }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address.parse().unwrap()
    }

    pub(super) fn url(&self) -> String {
        format!("mysql://root@{}/{}", self.address, self.name)
    }

    /// A store as one worker has it.
    pub(super) fn store(&self) -> MySql {
        MySql::open(Options::new(self.url())).unwrap()
    }

    /// A connection of an application.
    pub(super) async fn connect(&self) -> mysql_async::Result<Conn> {
        Conn::from_url(self.url()).await
    }

    /// A connection, as soon as there is one to be had.
    pub(super) async fn connect_at_last(&self) -> Conn {
        loop {
            match tokio::time::timeout(Duration::from_secs(5), self.connect()).await {
                Ok(Ok(connection)) => return connection,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    /// Every event that was committed, in the order of its order.
    pub(super) async fn committed(&self) -> Vec<Event> {
        let mut connection = self.connect_at_last().await;
        let sql = "SELECT id, aggregate_id, CAST(CONVERT(payload USING utf8mb4) AS SIGNED) AS number FROM outbox ORDER BY number";
        let rows: Vec<(String, String, i64)> = connection.query(sql).await.unwrap();
        let event = |(id, order, number): (String, String, i64)| Event { id: id.parse().unwrap(), order, number };
        rows.into_iter().map(event).collect()
    }
}
