use std::sync::{Arc, Mutex};

use posthaste::destination::Destination;
use posthaste::sink::Error;
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::testkit::outbox::Outbox;

use super::customer::{Customer, CustomerCreated, CustomerUpdated};

#[test]
fn a_test_sees_exactly_what_an_aggregate_published() {
    let mut customer = Customer::create(7, "a@example.org");
    customer.change_email("b@example.org");
    customer.change_email("c@example.org");
    posthaste::assert_published!(
        customer,
        [
            CustomerCreated { id: 7, email: "a@example.org".into() },
            CustomerUpdated { id: 7, email: "c@example.org".into(), request: Some("r-1".into()) },
        ]
    );
    let messages = customer.events.messages().unwrap();
    assert_eq!(messages[1].correlation_id.as_deref(), Some("r-1"));
    assert_eq!(messages[1].key.as_deref(), Some("customer/7"));
}

#[tokio::test]
async fn a_drain_delivers_in_order_retries_without_waiting_and_holds_what_is_behind_a_dead_one() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let welcome = move |ctx: Context, event: CustomerCreated| {
        noted.lock().unwrap().push((event.id, ctx.attempt));
        async move {
            match (event.id, ctx.attempt) {
                (1, 1) => Err(Error::retry("not yet")),
                (2, _) => Err(Error::reject("never")),
                _ => Ok(()),
            }
        }
    };
    let handlers = Handlers::builder().on_event("welcome", welcome).build().unwrap();
    let destination = Destination::new("app");
    let mut outbox = Outbox::default();
    let (one, mut two) = (Customer::create(1, "a@example.org"), Customer::create(2, "b@example.org"));
    two.change_email("c@example.org");
    outbox.commit(&[&one, &two]).unwrap();
    assert!(one.events.is_empty());
    let drained = outbox.drain(&destination, &handlers).await;
    assert_eq!(*seen.lock().unwrap(), [(1, 1), (1, 2), (2, 1)]);
    let ids = |messages: &[Arc<posthaste::Message>]| -> Vec<_> {
        messages.iter().map(|message| message.aggregate_id.to_string()).collect()
    };
    assert_eq!(ids(&drained.delivered), ["1"]);
    assert_eq!(ids(&drained.waiting), ["2"]);
    assert_eq!((drained.dead.len(), drained.attempts), (1, 3));
    assert_eq!(outbox.drain(&destination, &handlers).await.attempts, 0, "all is settled");
}
