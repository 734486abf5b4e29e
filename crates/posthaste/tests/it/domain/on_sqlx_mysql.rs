use posthaste::domain::{Aggregate, Persist};
use sqlx::mysql::{MySqlConnection, MySqlPool};

use super::customer::{Customer, TABLE};
use super::units::{self, Failure};
use crate::stores::mysql::{InDatabase, on};

impl Persist<MySqlConnection> for Customer {
    type Error = Failure;

    async fn persist(&self, db: &mut MySqlConnection) -> Result<(), Failure> {
        let version = i64::try_from(self.events().version())?;
        let done = match version {
            0 => sqlx::query("INSERT INTO customers VALUES (?, ?, 1)").bind(self.id).bind(&self.email),
            _ => sqlx::query("UPDATE customers SET email = ?, version = version + 1 WHERE id = ? AND version = ?")
                .bind(&self.email)
                .bind(self.id)
                .bind(version),
        };
        Ok(self.events().check_version(done.execute(db).await?.rows_affected())?)
    }
}

/// A database of its own, with a journal and the application's table.
async fn shop(server: &str) -> (InDatabase, MySqlPool) {
    let database = on(server).await;
    let pool = MySqlPool::connect(&database.url).await.unwrap();
    sqlx::query(TABLE).execute(&pool).await.unwrap();
    (database, pool)
}

#[tokio::test]
async fn units_of_work_hold_with_sqlx_on_mysql() {
    for server in ["mariadb", "mysql"] {
        let (database, pool) = shop(server).await;
        units::units_of_work_hold(&pool, &database.store).await;
    }
}

#[tokio::test]
async fn an_inbox_holds_with_sqlx_on_mysql() {
    let (_database, pool) = shop("mysql").await;
    units::an_inbox_holds(&pool).await;
}

#[tokio::test]
async fn marks_expire_with_sqlx_on_mysql() {
    let (_database, pool) = shop("mysql").await;
    units::marks_expire_as_others_come(&pool).await;
}

#[tokio::test]
async fn effects_happen_once_with_sqlx_on_mysql() {
    let (_database, pool) = shop("mysql").await;
    units::effects_happen_once(pool).await;
}
