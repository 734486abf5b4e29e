use posthaste::domain::{Aggregate, Persist};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqlitePool};

use super::customer::{Customer, TABLE};
use super::units::{self, Failure};
use crate::stores::sqlite::{OnDisk, fresh};

impl Persist<SqliteConnection> for Customer {
    type Error = Failure;

    async fn persist(&self, db: &mut SqliteConnection) -> Result<(), Failure> {
        let version = i64::try_from(self.events().version())?;
        let done = match version {
            0 => sqlx::query("INSERT INTO customers VALUES (?1, ?2, 1)").bind(self.id).bind(&self.email),
            _ => sqlx::query("UPDATE customers SET email = ?2, version = version + 1 WHERE id = ?1 AND version = ?3")
                .bind(self.id)
                .bind(&self.email)
                .bind(version),
        };
        Ok(self.events().check_version(done.execute(db).await?.rows_affected())?)
    }
}

async fn shop() -> (OnDisk, SqlitePool) {
    let disk = fresh().await;
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(disk.file())).await.unwrap();
    sqlx::query(TABLE).execute(&pool).await.unwrap();
    (disk, pool)
}

#[tokio::test]
async fn units_of_work_hold_with_sqlx_on_sqlite() {
    let (disk, pool) = shop().await;
    units::units_of_work_hold(&pool, &disk.store).await;
}

#[tokio::test]
async fn an_inbox_holds_with_sqlx_on_sqlite() {
    let (_disk, pool) = shop().await;
    units::an_inbox_holds(&pool).await;
}

#[tokio::test]
async fn marks_expire_with_sqlx_on_sqlite() {
    let (_disk, pool) = shop().await;
    units::marks_expire_as_others_come(&pool).await;
}

#[tokio::test]
async fn effects_happen_once_with_sqlx_on_sqlite() {
    let (_disk, pool) = shop().await;
    units::effects_happen_once(pool).await;
}
