use mysql_async::prelude::Queryable;
use mysql_async::{Pool, Transaction};
use posthaste::domain::{Aggregate, Effect, Persist, Transactional};
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::testkit::outbox::Outbox;
use posthaste::{Destination, Message, sink};

use super::customer::{Customer, TABLE};
use super::units::{self, Failure};
use crate::stores::mysql::{InDatabase, fresh};

impl Persist<Transaction<'_>> for Customer {
    type Error = Failure;

    async fn persist(&self, db: &mut Transaction<'_>) -> Result<(), Failure> {
        let version = i64::try_from(self.events().version())?;
        let done = match version {
            0 => db.exec_iter("INSERT INTO customers VALUES (?, ?, 1)", (self.id, &self.email)).await?,
            _ => {
                let sql = "UPDATE customers SET email = ?, version = version + 1 WHERE id = ? AND version = ?";
                db.exec_iter(sql, (&self.email, self.id, version)).await?
            }
        };
        let rows = done.affected_rows();
        done.drop_result().await?;
        Ok(self.events().check_version(rows)?)
    }
}

/// A database of its own, with a journal and the application's table.
async fn shop() -> (InDatabase, Pool) {
    let database = fresh().await;
    let pool = Pool::from_url(&database.url).unwrap();
    pool.get_conn().await.unwrap().query_drop(TABLE).await.unwrap();
    (database, pool)
}

#[tokio::test]
async fn units_of_work_hold_with_mysql_async() {
    let (database, pool) = shop().await;
    units::units_of_work_hold(&pool, &database.store).await;
}

#[tokio::test]
async fn an_inbox_holds_with_mysql_async() {
    let (_database, pool) = shop().await;
    units::an_inbox_holds(&pool).await;
    units::marks_expire_as_others_come(&pool).await;
}

#[tokio::test]
async fn effects_happen_once_with_mysql_async() {
    let (_database, pool) = shop().await;
    units::effects_happen_once(pool).await;
}

/// As a deadlock does, which is what the server's error would have said.
struct Undoing;

impl Effect<Transaction<'static>> for Undoing {
    fn name(&self) -> &str {
        "undoing"
    }

    async fn apply(&self, db: &mut Transaction<'static>, _: &Context, _: &Message) -> Result<(), sink::Error> {
        db.query_drop("ROLLBACK").await.map_err(sink::Error::retry)
    }
}

#[tokio::test]
async fn an_effect_whose_transaction_was_undone_is_not_taken_for_done() {
    let (_database, pool) = shop().await;
    let handler = Transactional::new(pool, Undoing);
    handler.prepare().await.unwrap();
    let handlers = Handlers::builder().on("*", handler).build().unwrap();
    let mut outbox = Outbox::default();
    outbox.commit(&[&Customer::create(2, "b@example.org")]).unwrap();
    let drained = outbox.drain(&Destination::new("app"), &handlers).await;
    assert_eq!(drained.delivered.len(), 0, "{drained:?}");
}
