//! A database of one test.

use std::net::SocketAddr;
use std::time::Duration;

use posthaste::Result;
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Postgres};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use crate::servers;
use crate::stores::ledger::Event;

#[derive(Debug, Clone)]
pub(super) struct Database {
    /// `host:port` of the server, or of whoever stands before it.
    address: String,
    name: String,
}

impl Database {
    /// On the server that all tests share. `name` tells whose it is; what an earlier run left is removed.
    pub(super) async fn new(name: &str) -> Self {
        Self::on(&servers::address("postgres"), name).await
    }

    pub(super) async fn on(address: &str, name: &str) -> Self {
        let server = Self { address: address.into(), name: "postgres".into() };
        let client = server.connect().await.unwrap();
        client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let database = Self { name: name.into(), ..server };
        database.store().migrate().await.unwrap();
        database
    }

    /// The same database behind a proxy.
    pub(super) fn through(&self, proxy: SocketAddr) -> Self {
        Self { address: proxy.to_string(), ..self.clone() }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address.parse().unwrap()
    }

    pub(super) fn url(&self) -> String {
        format!("postgres://postgres@{}/{}", self.address, self.name)
    }

    /// A store as one worker has it.
    pub(super) fn store(&self) -> Postgres {
        Postgres::open(Options::new(self.url())).unwrap()
    }

    /// A connection of an application.
    #[expect(clippy::disallowed_methods, reason = "this is how the client is used")]
    pub(super) async fn connect(&self) -> Result<Client, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// A connection, as soon as there is one to be had.
    pub(super) async fn connect_at_last(&self) -> Client {
        loop {
            match tokio::time::timeout(Duration::from_secs(5), self.connect()).await {
                Ok(Ok(client)) => return client,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    /// Every event that was committed, in the order of its order.
    pub(super) async fn committed(&self) -> Vec<Event> {
        let client = self.connect_at_last().await;
        let sql = "SELECT id, aggregate_id, convert_from(payload, 'UTF8')::bigint AS number FROM posthaste.outbox ORDER BY number";
        let rows = client.query(sql, &[]).await.unwrap();
        let event =
            |row: &tokio_postgres::Row| Event { id: row.get::<_, Uuid>(0), order: row.get(1), number: row.get(2) };
        rows.iter().map(event).collect()
    }
}
