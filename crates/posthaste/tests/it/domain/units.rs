//! What holds with every driver that does not block.

use std::fmt::Debug;

use posthaste::domain::{Begin, Conflict, Inbox, Persist, Transaction, UnitOfWork};
use posthaste::inspect::Inspect;
use posthaste::journal::Position;
use posthaste::message::{MessageId, OrderKey};

use super::customer::Customer;
use super::written;

pub(super) type Failure = Box<dyn std::error::Error + Send + Sync>;
type ConnectionOf<P> = <<P as Begin>::Transaction as Transaction>::Connection;

/// State and events together, in order over several aggregates, cleared after the commit and not before; versions compared.
pub(super) async fn units_of_work_hold<P: Begin>(pool: &P, inspect: &dyn Inspect)
where
    Customer: Persist<ConnectionOf<P>, Error = Failure>,
    P::Transaction: Debug,
{
    let (mut one, mut other) = (Customer::create(1, "a@example.org"), Customer::create(2, "b@example.org"));
    one.change_email("c@example.org");
    other.change_email("d@example.org");

    let mut unit = UnitOfWork::new(pool.begin_transaction().await.unwrap());
    unit.save(&one).await.unwrap();
    drop(unit);
    assert_eq!(one.events.len(), 2, "rolled back");

    let mut unit = UnitOfWork::new(pool.begin_transaction().await.unwrap()).correlation_id("c-1").tenant("acme");
    unit.save(&other).await.unwrap();
    unit.save(&one).await.unwrap();
    assert_eq!(unit.commit().await.unwrap().stored, 4);
    assert!(one.events.is_empty() && other.events.is_empty());
    let expected = ["customer.created.v1", "customer.created.v1", "customer.updated.v1", "customer.updated.v1"];
    assert_eq!(written(inspect).await, expected);

    let mut stale = Customer::loaded(1, "a@example.org", 7);
    stale.change_email("e@example.org");
    let mut unit = UnitOfWork::new(pool.begin_transaction().await.unwrap());
    let refused = unit.save(&stale).await.unwrap_err();
    assert_eq!(refused.downcast_ref(), Some(&Conflict { version: 7 }));
}

/// A message is seen once per consumer, and only if its transaction commits; what is late is dropped on request.
pub(super) async fn an_inbox_holds<P: Begin>(pool: &P) {
    let (inbox, elsewhere) = (Inbox::new("billing"), Inbox::new("mail"));
    let begin = || async { pool.begin_transaction().await.unwrap() };
    let mut tx = begin().await;
    inbox.prepare(tx.connection()).await.unwrap();
    inbox.prepare(tx.connection()).await.unwrap();
    tx.commit().await.unwrap();

    let message = MessageId::generate();
    let mut tx = begin().await;
    assert!(inbox.once(tx.connection(), message).await.unwrap());
    drop(tx);
    let mut tx = begin().await;
    assert!(inbox.once(tx.connection(), message).await.unwrap(), "the first one was rolled back");
    assert!(!inbox.once(tx.connection(), message).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = begin().await;
    assert!(!inbox.once(tx.connection(), message).await.unwrap());
    assert!(elsewhere.once(tx.connection(), message).await.unwrap(), "another consumer");
    inbox.forget(tx.connection(), message).await.unwrap();
    assert!(inbox.once(tx.connection(), message).await.unwrap(), "forgotten");
    tx.commit().await.unwrap();

    let key = OrderKey { tenant: Some("acme".into()), key: "customer/1".into() };
    let mut seen = Vec::new();
    for position in [5, 3, 5, 6] {
        let mut tx = begin().await;
        let (id, position) = (MessageId::generate(), Position { tick: 1, seq: position });
        seen.push(inbox.once_in_order(tx.connection(), id, &key, position).await.unwrap());
        tx.commit().await.unwrap();
    }
    assert_eq!(seen, [true, false, false, true]);

    // Everything is older than a retention of nothing, so each mark that comes removes older ones.
    let hasty = Inbox::new("billing").retention(std::time::Duration::ZERO);
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    for _ in 0..10 {
        let mut tx = begin().await;
        assert!(hasty.once(tx.connection(), MessageId::generate()).await.unwrap());
        tx.commit().await.unwrap();
    }
    let mut tx = begin().await;
    assert!(inbox.once(tx.connection(), message).await.unwrap(), "long forgotten");
}
