use posthaste::domain::blocking::Persist;
use posthaste::domain::{Aggregate, Conflict, UnitOfWork};
use posthaste::stores::sqlite::{self, Options};
use rusqlite::{Connection, Transaction};

use super::customer::{Customer, TABLE};
use super::written;
use crate::stores::sqlite::{OnDisk, fresh};

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Persist for Customer {
    type Error = Failure;

    fn persist(&self, tx: &Transaction<'_>) -> Result<(), Failure> {
        let version = self.events().version();
        let rows = match version {
            0 => tx.execute("INSERT INTO customers VALUES (?1, ?2, 1)", (self.id, &self.email))?,
            _ => tx.execute(
                "UPDATE customers SET email = ?2, version = version + 1 WHERE id = ?1 AND version = ?3",
                (self.id, &self.email, version),
            )?,
        };
        Ok(self.events().check_version(rows as u64)?)
    }
}

async fn shop() -> (OnDisk, Connection) {
    let disk = fresh().await;
    let db = sqlite::connect(disk.file(), &Options::default()).unwrap();
    db.execute(TABLE, []).unwrap();
    (disk, db)
}

#[tokio::test]
async fn state_and_events_are_written_together_and_the_buffer_is_empty_after_the_commit() {
    let (disk, mut db) = shop().await;
    let mut customer = Customer::create(1, "a@example.org");
    customer.change_email("b@example.org");
    customer.change_email("c@example.org");
    let mut unit = UnitOfWork::begin(&mut db).unwrap();
    unit.save(&customer).unwrap();
    assert_eq!(customer.events.len(), 2, "not before the commit");
    assert_eq!(unit.commit().unwrap().stored, 2);
    assert!(customer.events.is_empty());
    assert_eq!(written(&disk.store).await, ["customer.created.v1", "customer.updated.v1"]);
    let email: String = db.query_row("SELECT email FROM customers", [], |row| row.get(0)).unwrap();
    assert_eq!(email, "c@example.org");
}

#[tokio::test]
async fn a_unit_of_work_that_is_rolled_back_keeps_the_events_for_the_next_one() {
    let (disk, mut db) = shop().await;
    let customer = Customer::create(1, "a@example.org");
    let mut unit = UnitOfWork::begin(&mut db).unwrap();
    unit.save(&customer).unwrap();
    drop(unit);
    assert_eq!(customer.events.len(), 1);
    assert_eq!(written(&disk.store).await, [""; 0]);
    let mut unit = UnitOfWork::begin(&mut db).unwrap();
    unit.save(&customer).unwrap();
    assert_eq!(unit.commit().unwrap().stored, 1);
}

#[tokio::test]
async fn whoever_saves_a_version_that_is_gone_is_told_and_writes_nothing() {
    let (disk, mut db) = shop().await;
    let mut first = Customer::create(1, "a@example.org");
    let mut unit = UnitOfWork::begin(&mut db).unwrap();
    unit.save(&first).unwrap();
    unit.commit().unwrap();
    let mut second = Customer::loaded(1, "a@example.org", 1);
    first.change_email("first@example.org");
    second.change_email("second@example.org");
    let mut unit = UnitOfWork::begin(&mut db).unwrap();
    unit.save(&first).unwrap();
    unit.commit().unwrap();
    let mut unit = UnitOfWork::begin(&mut db).unwrap();
    let refused = unit.save(&second).unwrap_err();
    assert_eq!(refused.downcast_ref(), Some(&Conflict { version: 1 }));
    drop(unit);
    assert_eq!(second.events.len(), 1);
    assert_eq!(written(&disk.store).await.len(), 2);
}
