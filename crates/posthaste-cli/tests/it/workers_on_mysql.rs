//! Three relays on one MariaDB, and on one MySQL.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, TxOpts};
use posthaste::Message;
use posthaste::stores::mysql::Outbox;

use crate::application::Application;
use crate::program::Place;
use crate::servers;
use crate::three_workers::{self, PARTITIONS};

pub struct InDatabase {
    runtime: tokio::runtime::Runtime,
    connection: Conn,
    server: String,
    name: String,
}

impl InDatabase {
    fn new(server: &str) -> (Place, Self) {
        Self::in_place(server, three_workers::place_on)
    }

    /// With a folder that is made for the store.
    pub fn in_place(server: &str, make: impl FnOnce(&str) -> Place) -> (Place, Self) {
        let server = format!("mysql://root@{}", servers::address(server));
        let name = format!("it_{}", uuid::Uuid::now_v7().simple());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let connection = runtime.block_on(async {
            let mut connection = Conn::from_url(&server).await?;
            connection.query_drop(format!("CREATE DATABASE {name}")).await?;
            connection.query_drop(format!("USE {name}")).await?;
            Ok::<_, mysql_async::Error>(connection)
        });
        let place = make(&format!(
            "{{ type = 'mysql', url = '{server}/{name}', partitions = {PARTITIONS}, mysql = {{ connections = 3 }} }}"
        ));
        (place, Self { connection: connection.unwrap(), runtime, server, name })
    }

    #[cfg(feature = "table")]
    pub fn url(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }

    #[cfg(feature = "table")]
    pub fn execute(&mut self, sql: &str) {
        self.runtime.block_on(self.connection.query_drop(sql)).unwrap();
    }

    /// Two numbers, of one moment.
    #[cfg(feature = "table")]
    pub fn pair(&mut self, sql: &str) -> (i64, i64) {
        self.runtime.block_on(self.connection.query_first(sql)).unwrap().unwrap()
    }
}

impl Application for InDatabase {
    fn commit(&mut self, messages: &[Message]) {
        self.runtime.block_on(async {
            let mut transaction = self.connection.start_transaction(TxOpts::default()).await.unwrap();
            Outbox::new().enqueue(&mut transaction, messages).await.unwrap();
            transaction.commit().await.unwrap();
        });
    }
}

impl Drop for InDatabase {
    fn drop(&mut self) {
        // A leftover database is a nuisance, not a failure.
        let drop = format!("DROP DATABASE {}", self.name);
        let _ = self.runtime.block_on(self.connection.query_drop(drop));
    }
}

#[test]
fn of_three_workers_on_mariadb_one_is_killed_and_one_frozen_and_nothing_is_settled_by_a_stranger() {
    let (place, application) = InDatabase::new("mariadb");
    three_workers::one_is_killed_and_one_frozen_past_its_leases(place, application);
}

#[test]
fn of_three_workers_on_mysql_one_is_killed_and_one_frozen_and_nothing_is_settled_by_a_stranger() {
    let (place, application) = InDatabase::new("mysql");
    three_workers::one_is_killed_and_one_frozen_past_its_leases(place, application);
}
