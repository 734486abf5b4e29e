use posthaste::domain::{Aggregate, Persist, UnitOfWork};
use posthaste::stores::postgres::{Options, Postgres};
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

impl Persist<tokio_postgres::Transaction<'_>> for Customer {
    type Error = Failure;

    async fn persist(&self, db: &mut tokio_postgres::Transaction<'_>) -> Result<(), Failure> {
        let rows = db.execute("INSERT INTO customers VALUES ($1, $2, 1)", &[&self.id, &self.email]).await?;
        Ok(self.events().check_version(rows)?)
    }
}

/// A database of its own, with a journal and the application's table.
async fn shop() -> (Postgres, PgPool, String) {
    let url = a_database_of_its_own().await;
    let store = Postgres::open(Options { url: url.clone(), ..Options::default() }).unwrap();
    store.migrate().await.unwrap();
    let pool = PgPool::connect(&url).await.unwrap();
    sqlx::query(TABLE).execute(&pool).await.unwrap();
    (store, pool, url)
}

#[tokio::test]
async fn units_of_work_hold_with_sqlx_on_postgres() {
    let (store, pool, _) = shop().await;
    units::units_of_work_hold(&pool, &store).await;
}

#[tokio::test]
async fn an_inbox_holds_with_sqlx_on_postgres() {
    let (_, pool, _) = shop().await;
    units::an_inbox_holds(&pool).await;
}

#[tokio::test]
async fn units_of_work_hold_with_tokio_postgres() {
    let (_store, pool, url) = shop().await;
    let (mut client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    let application = async {
        let customer = Customer::create(1, "a@example.org");
        let mut unit = UnitOfWork::new(client.transaction().await.unwrap());
        unit.save(&customer).await.unwrap();
        drop(unit);
        assert_eq!(customer.events.len(), 1);
        let mut unit = UnitOfWork::new(client.transaction().await.unwrap());
        unit.save(&customer).await.unwrap();
        assert_eq!(unit.commit().await.unwrap().stored, 1);
        assert!(customer.events.is_empty());
    };
    tokio::select! {
        ended = connection => panic!("the connection has ended: {ended:?}"),
        () = application => {}
    }
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM customers").fetch_one(&pool).await.unwrap();
    assert_eq!(kept, 1);
}
