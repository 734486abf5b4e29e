use deadpool_postgres::{Client, Manager, Pool};
use posthaste::domain::{Aggregate, Persist, UnitOfWork};
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Outbox, Postgres, SCHEMA};
use tokio_postgres::types::ToSql;
use tokio_postgres::{GenericClient, NoTls};

use super::a_database_of_its_own;
use super::customer::{Customer, TABLE};
use super::units::{self, Failure};

impl Persist<tokio_postgres::Transaction<'_>> for Customer {
    type Error = Failure;

    async fn persist(&self, db: &mut tokio_postgres::Transaction<'_>) -> Result<(), Failure> {
        write(self, db).await
    }
}

impl Persist<Client> for Customer {
    type Error = Failure;

    async fn persist(&self, db: &mut Client) -> Result<(), Failure> {
        write(self, &***db).await
    }
}

async fn write(customer: &Customer, db: &(impl GenericClient + Sync)) -> Result<(), Failure> {
    let version = i64::try_from(customer.events().version())?;
    let (sql, params): (_, &[&(dyn ToSql + Sync)]) = match version {
        0 => ("INSERT INTO customers VALUES ($1, $2, 1)", &[&customer.id, &customer.email]),
        _ => (
            "UPDATE customers SET email = $2, version = version + 1 WHERE id = $1 AND version = $3",
            &[&customer.id, &customer.email, &version],
        ),
    };
    Ok(customer.events().check_version(db.execute(sql, params).await?)?)
}

/// A database of its own, with a journal and the application's table.
async fn shop() -> (Postgres, Pool) {
    shop_in_schema(SCHEMA).await
}

/// The same with the journal in another schema.
async fn shop_in_schema(schema: &str) -> (Postgres, Pool) {
    let url = a_database_of_its_own().await;
    let mut options = Options::new(&url);
    options.schema = schema.into();
    let store = Postgres::open(options).unwrap();
    store.migrate().await.unwrap();
    let pool = Pool::builder(Manager::new(url.parse().unwrap(), NoTls)).max_size(2).build().unwrap();
    pool.get().await.unwrap().batch_execute(TABLE).await.unwrap();
    (store, pool)
}

#[tokio::test]
async fn units_of_work_hold_with_a_pool_of_tokio_postgres() {
    let (store, pool) = shop().await;
    units::units_of_work_hold(&pool, &store).await;
}

#[tokio::test]
async fn an_inbox_holds_with_a_pool_of_tokio_postgres() {
    let (_, pool) = shop().await;
    units::an_inbox_holds(&pool).await;
    units::marks_expire_as_others_come(&pool).await;
}

#[tokio::test]
async fn effects_happen_once_with_a_pool_of_tokio_postgres() {
    let (_, pool) = shop().await;
    units::effects_happen_once(pool.clone()).await;
    units::an_effect_that_passes_over_an_error_is_not_taken_for_done(pool).await;
}

#[tokio::test]
async fn a_pooled_transaction_that_is_dropped_leaves_nothing_behind() {
    use posthaste::domain::{Begin, Transaction};

    let (_, pool) = shop().await;
    pool.resize(1);
    let mut tx = pool.begin_transaction().await.unwrap();
    Customer::create(1, "a@example.org").persist(tx.connection()).await.unwrap();
    drop(tx);
    let client = pool.get().await.unwrap();
    let row = client.query_one("SELECT count(*), pg_current_xact_id_if_assigned() IS NULL FROM customers", &[]).await;
    let row = row.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, bool>(1)), (0, true));
}

#[tokio::test]
async fn outbox_and_inbox_may_be_in_another_schema_with_a_pool_of_tokio_postgres() {
    let (store, pool) = shop_in_schema("the shop").await;
    units::another_schema_holds(pool, &store, &Outbox::in_schema("the shop"), "the shop").await;
}

#[tokio::test]
async fn a_unit_of_work_on_a_client_of_tokio_postgres_writes_to_the_outbox_it_is_given() {
    let (store, pool) = shop_in_schema("the shop").await;
    let mut client = pool.get().await.unwrap();
    let client: &mut tokio_postgres::Client = &mut client;
    let customer = Customer::create(1, "a@example.org");
    let transaction = client.transaction().await.unwrap();
    let mut unit = UnitOfWork::new(transaction).outbox(&Outbox::in_schema("the shop"));
    unit.save(&customer).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(super::written(&store).await, ["customer.created.v1"]);
}

#[tokio::test]
async fn units_of_work_hold_with_a_client_of_tokio_postgres() {
    let (_store, pool) = shop().await;
    let mut client = pool.get().await.unwrap();
    let client: &mut tokio_postgres::Client = &mut client;
    let customer = Customer::create(1, "a@example.org");
    let mut unit = UnitOfWork::new(client.transaction().await.unwrap());
    unit.save(&customer).await.unwrap();
    drop(unit);
    assert_eq!(customer.events.len(), 1);
    let mut unit = UnitOfWork::new(client.transaction().await.unwrap());
    unit.save(&customer).await.unwrap();
    assert_eq!(unit.commit().await.unwrap().stored, 1);
    assert!(customer.events.is_empty());
    let kept: i64 = client.query_one("SELECT count(*) FROM customers", &[]).await.unwrap().get(0);
    assert_eq!(kept, 1);
}
