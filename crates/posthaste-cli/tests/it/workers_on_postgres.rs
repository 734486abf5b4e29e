//! Three relays on one PostgreSQL.

use posthaste::Message;
use posthaste::stores::postgres::Outbox;
use tokio_postgres::{Client, NoTls};

use crate::application::Application;
use crate::program::Place;
use crate::servers;
use crate::three_workers::{self, PARTITIONS};

pub struct InSchema {
    runtime: tokio::runtime::Runtime,
    client: Client,
    schema: String,
    outbox: Outbox,
}

impl InSchema {
    pub fn new() -> (Place, Self) {
        Self::in_place(three_workers::place_on)
    }

    pub fn url() -> String {
        format!("postgres://postgres@{}/postgres", servers::address("postgres"))
    }

    /// With a folder that is made for the store.
    pub fn in_place(make: impl FnOnce(&str) -> Place) -> (Place, Self) {
        let url = Self::url();
        let schema = format!("it_{}", uuid::Uuid::now_v7().simple());
        let place = make(&format!(
            "{{ type = 'postgres', url = '{url}', partitions = {PARTITIONS}, postgres = {{ schema = '{schema}' }} }}"
        ));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (client, connection) = runtime.block_on(tokio_postgres::connect(&url, NoTls)).unwrap();
        runtime.spawn(connection);
        (place, Self { runtime, client, outbox: Outbox::in_schema(&schema), schema })
    }

    #[cfg(any(feature = "table", all(feature = "kafka", feature = "kurrentdb", feature = "webhook")))]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Runs a statement in which `{schema}` is the schema.
    pub fn execute(&self, sql: &str) {
        self.runtime.block_on(self.client.batch_execute(&sql.replace("{schema}", &self.schema))).unwrap();
    }

    /// What a query answers, in which `{schema}` is the schema.
    #[cfg(any(feature = "kurrentdb", feature = "table"))]
    pub fn query(&self, sql: &str) -> Vec<tokio_postgres::Row> {
        self.runtime.block_on(self.client.query(&sql.replace("{schema}", &self.schema), &[])).unwrap()
    }
}

impl Application for InSchema {
    fn commit(&mut self, messages: &[Message]) {
        self.runtime.block_on(async {
            let transaction = self.client.transaction().await.unwrap();
            self.outbox.enqueue(&transaction, messages).await.unwrap();
            transaction.commit().await.unwrap();
        });
    }
}

impl Drop for InSchema {
    fn drop(&mut self) {
        // A leftover schema is a nuisance, not a failure.
        let drop = format!("SET lock_timeout = '20s'; DROP SCHEMA IF EXISTS {} CASCADE", self.schema);
        let _ = self.runtime.block_on(self.client.batch_execute(&drop));
    }
}

#[test]
fn of_three_workers_one_is_killed_and_one_frozen_past_its_leases_and_nothing_is_settled_by_a_stranger() {
    let (place, application) = InSchema::new();
    three_workers::one_is_killed_and_one_frozen_past_its_leases(place, application);
}
