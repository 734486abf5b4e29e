//! What holds with every driver that does not block.

use std::fmt::Debug;
use std::time::Duration;

use posthaste::domain::{
    Begin, Conflict, Connection, Effect, HasOutbox, Inbox, Persist, Transaction, Transactional, UnitOfWork, decode,
};
use posthaste::inspect::Inspect;
use posthaste::journal::{Journal, Position};
use posthaste::message::{MessageId, OrderKey};
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::testkit::outbox::Outbox;
use posthaste::testkit::waiting::eventually;
use posthaste::{Destination, Message, sink};

use super::customer::{Customer, CustomerCreated};
use super::written;

pub(super) type Failure = Box<dyn std::error::Error + Send + Sync>;
type ConnectionOf<P> = <<P as Begin>::Transaction as Transaction>::Connection;

/// State and events together, in order over several aggregates, cleared after the commit and not before; versions compared.
pub(super) async fn units_of_work_hold<P: Begin>(pool: &P, store: &(impl Inspect + Journal))
where
    Customer: Persist<ConnectionOf<P>, Error = Failure>,
    P::Transaction: Debug,
{
    let (mut one, mut other) = (Customer::create(1, "a@example.org"), Customer::create(2, "b@example.org"));
    one.change_email("c@example.org");
    other.change_email("d@example.org");

    let mut unit = UnitOfWork::new(pool.begin_transaction().await.unwrap());
    unit.save(&one).await.unwrap();
    unit.rollback().await.unwrap();
    assert_eq!(one.events.len(), 2, "rolled back");

    let mut unit = UnitOfWork::new(pool.begin_transaction().await.unwrap()).correlation_id("c-1").tenant("acme");
    unit.save(&other).await.unwrap();
    unit.save(&one).await.unwrap();
    assert_eq!(unit.commit().await.unwrap().stored, 4);
    assert!(one.events.is_empty() && other.events.is_empty());
    let expected = ["customer.created.v1", "customer.created.v1", "customer.updated.v1", "customer.updated.v1"];
    assert_eq!(written(store).await, expected);

    let mut stale = Customer::loaded(1, "a@example.org", 7);
    stale.change_email("e@example.org");
    let mut unit = UnitOfWork::new(pool.begin_transaction().await.unwrap());
    let refused = unit.save(&stale).await.unwrap_err();
    assert_eq!(refused.downcast_ref(), Some(&Conflict { version: 7 }));
    unit.rollback().await.unwrap();
    assert_eq!(stale.events.len(), 1);
}

/// Events go to the outbox that a unit of work is given, and marks to the schema of the inbox; without them both fail here, because
/// the usual schema has no journal.
#[cfg(feature = "postgres")]
pub(super) async fn another_schema_holds<P: Begin>(
    pool: P,
    store: &(impl Inspect + Journal),
    outbox: &<P::Transaction as HasOutbox>::Outbox,
    schema: &str,
) where
    Customer: Persist<ConnectionOf<P>, Error = Failure>,
    P::Transaction: Debug,
{
    let customer = Customer::create(1, "a@example.org");
    let mut unit = UnitOfWork::new(pool.begin_transaction().await.unwrap());
    unit.save(&customer).await.unwrap();
    unit.commit().await.expect_err("there is no journal in the usual schema");

    let mut unit = UnitOfWork::new(pool.begin_transaction().await.unwrap()).outbox(outbox);
    unit.save(&customer).await.unwrap();
    assert_eq!(unit.commit().await.unwrap().stored, 1);
    assert_eq!(written(store).await, ["customer.created.v1"]);

    let (message, inbox) = (MessageId::generate(), Inbox::new("billing").in_schema(schema));
    let mut tx = pool.begin_transaction().await.unwrap();
    inbox.prepare(tx.connection()).await.unwrap();
    assert!(inbox.once(tx.connection(), message).await.unwrap());
    assert!(!inbox.once(tx.connection(), message).await.unwrap());
    let key = OrderKey { tenant: None, key: "customer/1".into() };
    let (other, first) = (MessageId::generate(), Position { tick: 1, seq: 1 });
    assert!(inbox.once_in_order(tx.connection(), other, &key, first).await.unwrap());
    inbox.forget(tx.connection(), message).await.unwrap();
    assert!(inbox.once(tx.connection(), message).await.unwrap(), "forgotten");
    tx.commit().await.unwrap();

    let mut tx = pool.begin_transaction().await.unwrap();
    let elsewhere = Inbox::new("billing").once(tx.connection(), message).await;
    elsewhere.expect_err("there are no tables of an inbox where the application's tables are");
}

/// A message is seen once per consumer, and only if its transaction commits; what is late is dropped on request.
pub(super) async fn an_inbox_holds<P: Begin>(pool: &P) {
    let (inbox, elsewhere) = (Inbox::new("billing"), Inbox::new("mail"));
    let begin = || async { pool.begin_transaction().await.unwrap() };
    let prepare = || async {
        let mut tx = begin().await;
        inbox.prepare(tx.connection()).await.unwrap();
        tx.commit().await.unwrap();
    };
    tokio::join!(prepare(), prepare());
    prepare().await;

    let message = MessageId::generate();
    let mut tx = begin().await;
    assert!(inbox.once(tx.connection(), message).await.unwrap());
    tx.rollback().await.unwrap();
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
}

/// Each mark that comes removes expired ones of the same consumer, and of no other.
pub(super) async fn marks_expire_as_others_come<P: Begin>(pool: &P) {
    let (hasty, patient) = (Inbox::new("hasty").retention(Duration::ZERO), Inbox::new("patient"));
    let once = |inbox: Inbox, message: MessageId| async move {
        let mut tx = pool.begin_transaction().await.unwrap();
        let first = inbox.once(tx.connection(), message).await.unwrap();
        tx.commit().await.unwrap();
        first
    };
    let mut tx = pool.begin_transaction().await.unwrap();
    hasty.prepare(tx.connection()).await.unwrap();
    tx.commit().await.unwrap();
    let message = MessageId::generate();
    assert!(once(hasty.clone(), message).await);
    assert!(once(patient.clone(), message).await);
    // Everything is older than a retention of nothing, as soon as the clock has moved.
    eventually("the mark expires", || async {
        once(hasty.clone(), MessageId::generate()).await;
        Ok(once(hasty.clone(), message).await)
    })
    .await
    .unwrap();
    assert!(!once(patient, message).await, "another consumer's mark stays");
}

/// Writes the customer, and fails at the first attempt.
struct SignUp;

impl<C: Connection> Effect<C> for SignUp
where
    Customer: Persist<C, Error = Failure>,
{
    fn name(&self) -> &str {
        "sign-up"
    }

    async fn apply(&self, connection: &mut C, ctx: &Context, message: &Message) -> Result<(), sink::Error> {
        let event: CustomerCreated = decode(message)?;
        let customer = Customer::create(event.id, &event.email);
        customer.persist(connection).await.map_err(sink::Error::retry)?;
        if ctx.attempt == 1 { Err(sink::Error::retry("not yet")) } else { Ok(()) }
    }
}

/// Passes over an error of the database.
struct Careless;

impl<C: Connection> Effect<C> for Careless
where
    Customer: Persist<C, Error = Failure>,
{
    fn name(&self) -> &str {
        "careless"
    }

    async fn apply(&self, connection: &mut C, _: &Context, message: &Message) -> Result<(), sink::Error> {
        let event: CustomerCreated = decode(message)?;
        let customer = Customer::create(event.id, &event.email);
        customer.persist(connection).await.map_err(sink::Error::retry)?;
        assert!(customer.persist(connection).await.is_err(), "there is one with this id");
        Ok(())
    }
}

/// An effect is undone with a failed attempt, and there once however often its message arrives: a second one would be refused,
/// because the customer is there.
pub(super) async fn effects_happen_once<P: Begin + 'static>(pool: P)
where
    Customer: Persist<ConnectionOf<P>, Error = Failure>,
{
    let handler = Transactional::new(pool, SignUp);
    handler.prepare().await.unwrap();
    let handlers = Handlers::builder().on("*", handler).build().unwrap();
    let mut outbox = Outbox::default();
    outbox.commit(&[&Customer::create(1, "a@example.org")]).unwrap();
    let drained = outbox.drain(&Destination::new("first"), &handlers).await;
    assert_eq!((drained.delivered.len(), drained.attempts), (1, 2), "{drained:?}");
    let drained = outbox.drain(&Destination::new("again"), &handlers).await;
    assert_eq!((drained.delivered.len(), drained.attempts), (1, 1), "{drained:?}");
}

/// Where an error ends the transaction: the effect is gone, so the message is not taken for delivered.
pub(super) async fn an_effect_that_passes_over_an_error_is_not_taken_for_done<P: Begin + 'static>(pool: P)
where
    Customer: Persist<ConnectionOf<P>, Error = Failure>,
{
    let handler = Transactional::new(pool, Careless);
    handler.prepare().await.unwrap();
    let handlers = Handlers::builder().on("*", handler).build().unwrap();
    let mut outbox = Outbox::default();
    outbox.commit(&[&Customer::create(2, "b@example.org")]).unwrap();
    let drained = outbox.drain(&Destination::new("app"), &handlers).await;
    assert_eq!(drained.delivered.len(), 0, "{drained:?}");
}
