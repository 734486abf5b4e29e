use std::time::Duration;

use futures_util::TryStreamExt;
use mongodb::bson::{Document, doc};
use posthaste::domain::{Aggregate, Begin, Inbox, Persist, UnitOfWork};
use posthaste::message::MessageId;
use posthaste::stores::mongodb::{Options, Outbox, Transaction};

use super::customer::Customer;
use super::units::{self, Failure};
use crate::servers;
use crate::stores::mongodb::Database;

impl Persist<Transaction> for Customer {
    type Error = Failure;

    async fn persist(&self, tx: &mut Transaction) -> Result<(), Failure> {
        let customers = tx.database().collection::<Document>("customers");
        let version = i64::try_from(self.events().version())?;
        if version == 0 {
            let customer = doc! { "_id": self.id, "email": &self.email, "version": 1i64 };
            customers.insert_one(customer).session(tx.session()).await?;
            return Ok(());
        }
        let change = doc! { "$set": { "email": &self.email }, "$inc": { "version": 1i64 } };
        let loaded = doc! { "_id": self.id, "version": version };
        let changed = customers.update_one(loaded, change).session(tx.session()).await?;
        Ok(self.events().check_version(changed.matched_count)?)
    }
}

async fn shop() -> Database {
    shop_with(Options::default()).await
}

async fn shop_with(options: Options) -> Database {
    let shop = Database::with(&servers::address("mongodb"), options).await;
    shop.database().create_collection("customers").await.unwrap();
    shop
}

#[tokio::test(flavor = "multi_thread")]
async fn units_of_work_hold_on_mongodb() {
    let shop = shop().await;
    units::units_of_work_hold(&shop.store, &shop.store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_of_work_takes_a_session_of_the_applications_own_client() {
    let shop = shop().await;
    let customer = Customer::create(1, "a@example.org");
    let mut session = shop.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let mut unit = UnitOfWork::new(shop.store.outbox().in_session(session).unwrap());
    unit.save(&customer).await.unwrap();
    assert_eq!(unit.commit().await.unwrap().stored, 1);
    assert_eq!(shop.documents("customers").count_documents(doc! {}).await.unwrap(), 1);
    assert_eq!(shop.documents("outbox_events").count_documents(doc! {}).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn units_of_work_and_inboxes_are_in_the_collections_of_choice() {
    let mut options = Options::default();
    options.collection = "shop_events".into();
    options.inbox = "shop_inbox".into();
    let shop = shop_with(options).await;
    units::units_of_work_hold(&shop.store, &shop.store).await;
    units::an_inbox_holds(&shop.store).await;
    assert!(shop.documents("shop_inbox").count_documents(doc! {}).await.unwrap() > 0);
    assert!(shop.documents("shop_inbox_order").count_documents(doc! {}).await.unwrap() > 0);
    let names = shop.database().list_collection_names().await.unwrap();
    let usual = |name: &&String| ["outbox_events", "inbox", "inbox_order"].contains(&name.as_str());
    assert_eq!(names.iter().find(usual), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_of_work_needs_a_client_and_the_name_of_the_collection() {
    let mut options = Options::default();
    options.collection = "shop_events".into();
    let shop = shop_with(options).await;
    let mut session = shop.client.start_session().await.unwrap();
    session.start_transaction().await.unwrap();
    let outbox = Outbox::in_collection("shop_events");
    let mut unit = UnitOfWork::new(outbox.in_session(session).unwrap());
    let customer = Customer::create(1, "a@example.org");
    unit.save(&customer).await.unwrap();
    assert_eq!(unit.commit().await.unwrap().stored, 1);
    assert_eq!(shop.documents("shop_events").count_documents(doc! {}).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inbox_holds_on_mongodb() {
    units::an_inbox_holds(&shop().await.store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_transactions_that_note_the_same_message_on_mongodb_one_commits() {
    let shop = shop().await;
    let (inbox, message) = (Inbox::new("billing"), MessageId::generate());
    let (mut one, mut other) = (shop.store.begin().await.unwrap(), shop.store.begin().await.unwrap());
    inbox.prepare(&mut one).await.unwrap();
    assert!(inbox.once(&mut one, message).await.unwrap());
    let refused = inbox.once(&mut other, message).await.unwrap_err();
    assert!(refused.is_temporary(), "{refused}");
    one.commit().await.unwrap();
    let mut later = shop.store.begin_transaction().await.unwrap();
    assert!(!inbox.once(&mut later, message).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_mark_on_mongodb_says_when_the_server_may_remove_it() {
    let shop = shop().await;
    let inbox = Inbox::new("billing").retention(Duration::from_secs(3600));
    let mut tx = shop.store.begin().await.unwrap();
    inbox.prepare(&mut tx).await.unwrap();
    assert!(inbox.once(&mut tx, MessageId::generate()).await.unwrap());
    tx.commit().await.unwrap();
    let mark = shop.documents("inbox").find_one(doc! {}).await.unwrap().expect("there is a mark");
    let at = |name| mark.get_datetime(name).unwrap().timestamp_millis();
    assert_eq!(at("expireAt") - at("seenAt"), 3_600_000);
    let indexes: Vec<_> = shop.documents("inbox").list_indexes().await.unwrap().try_collect().await.unwrap();
    let expiring = indexes.iter().filter_map(|index| index.options.as_ref()?.expire_after);
    assert_eq!(expiring.collect::<Vec<_>>(), [Duration::ZERO]);
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_happen_once_on_mongodb() {
    let shop = shop().await;
    units::effects_happen_once(shop.store.clone()).await;
    units::an_effect_that_passes_over_an_error_is_not_taken_for_done(shop.store.clone()).await;
}
