//! Handlers with the engine that keeps their progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use posthaste::destination::Destination;
use posthaste::retry::{Backoff, Policy};
use posthaste::sink::Error;
use posthaste::sinks::handlers::{Handlers, handler_fn};
use posthaste::stores::memory::Memory;
use posthaste::{Message, Relay};

/// However a handler fails: with an error, by a hang until the relay cuts it off, by a panic.
#[tokio::test]
async fn a_sibling_that_succeeded_is_called_once() {
    let (sibling, failing) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (sibling_calls, failing_calls) = (sibling.clone(), failing.clone());
    let handlers = Handlers::builder()
        .on(
            "order.created",
            handler_fn("sibling", move |_, _| {
                sibling.fetch_add(1, Ordering::SeqCst);
                async { Ok(()) }
            }),
        )
        .on(
            "order.created",
            handler_fn("failing", move |_, _| {
                let call = failing.fetch_add(1, Ordering::SeqCst);
                async move {
                    match call {
                        0 => Err(Error::retry("not yet")),
                        1 => std::future::pending().await,
                        2 => panic!("not like this"),
                        _ => Ok(()),
                    }
                }
            }),
        )
        .build()
        .unwrap();
    deliver_one(handlers).await;
    assert_eq!(failing_calls.load(Ordering::SeqCst), 4);
    assert_eq!(sibling_calls.load(Ordering::SeqCst), 1);
}

/// Runs a relay until the one message in its journal is delivered.
async fn deliver_one(handlers: Handlers) {
    let store = Memory::new();
    let mut transaction = store.begin();
    transaction.enqueue(&[Message::builder("order.created", "order", "1").build().unwrap()]);
    transaction.commit();

    let policy = Policy { backoff: Backoff::List(vec![Duration::ZERO]), ..Policy::default() };
    let mut destination = Destination::new("app").policy(policy);
    destination.timeout = Duration::from_millis(50);
    let relay = Relay::builder(Arc::new(store)).destination(destination, Arc::new(handlers)).build();
    let monitor = relay.monitor();
    let delivered = async move {
        while monitor.snapshot().destinations.first().is_none_or(|app| app.delivered == 0) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), relay.run(delivered)).await.expect("delivered in time").unwrap();
}
