use posthaste::domain::{Aggregate, Persist};
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Outbox, Postgres, SCHEMA};
use sqlx::postgres::{PgConnection, PgPool};

use super::a_database_of_its_own;
use super::customer::{Customer, TABLE};
use super::units::{self, Failure};

impl Persist<PgConnection> for Customer {
    type Error = Failure;

    async fn persist(&self, db: &mut PgConnection) -> Result<(), Failure> {
        let version = i64::try_from(self.events().version())?;
        let done = match version {
            0 => sqlx::query("INSERT INTO customers VALUES ($1, $2, 1)").bind(self.id).bind(&self.email),
            _ => sqlx::query("UPDATE customers SET email = $2, version = version + 1 WHERE id = $1 AND version = $3")
                .bind(self.id)
                .bind(&self.email)
                .bind(version),
        };
        Ok(self.events().check_version(done.execute(db).await?.rows_affected())?)
    }
}

/// A database of its own, with a journal and the application's table.
async fn shop() -> (Postgres, PgPool) {
    shop_in_schema(SCHEMA).await
}

/// The same with the journal in another schema.
async fn shop_in_schema(schema: &str) -> (Postgres, PgPool) {
    let url = a_database_of_its_own().await;
    let mut options = Options::new(&url);
    options.schema = schema.into();
    let store = Postgres::open(options).unwrap();
    store.migrate().await.unwrap();
    let pool = PgPool::connect(&url).await.unwrap();
    sqlx::query(TABLE).execute(&pool).await.unwrap();
    (store, pool)
}

#[tokio::test]
async fn units_of_work_hold_with_sqlx_on_postgres() {
    let (store, pool) = shop().await;
    units::units_of_work_hold(&pool, &store).await;
}

#[tokio::test]
async fn an_inbox_holds_with_sqlx_on_postgres() {
    let (_, pool) = shop().await;
    units::an_inbox_holds(&pool).await;
}

#[tokio::test]
async fn marks_expire_with_sqlx_on_postgres() {
    let (_, pool) = shop().await;
    units::marks_expire_as_others_come(&pool).await;
}

#[tokio::test]
async fn effects_happen_once_with_sqlx_on_postgres() {
    let (_, pool) = shop().await;
    units::effects_happen_once(pool.clone()).await;
    units::an_effect_that_passes_over_an_error_is_not_taken_for_done(pool).await;
}

#[tokio::test]
async fn outbox_and_inbox_may_be_in_another_schema_with_sqlx_on_postgres() {
    let (store, pool) = shop_in_schema("the shop").await;
    units::another_schema_holds(pool, &store, &Outbox::in_schema("the shop"), "the shop").await;
}
