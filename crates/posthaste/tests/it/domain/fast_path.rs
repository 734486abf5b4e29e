use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use posthaste::Relay;
use posthaste::destination::Destination;
use posthaste::domain::Changes;
use posthaste::relay::Settings;
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::stores::memory::Memory;
use posthaste::testkit::waiting::until;

use super::customer::{Customer, CustomerCreated};
use crate::relay::meddled::{Meddle, Meddled};

/// A store that notices nothing by itself.
#[derive(Debug)]
struct Deaf;

impl Meddle for Deaf {
    fn hints(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn a_commit_wakes_the_relay_of_the_same_process() {
    let memory = Memory::new();
    let welcomed = Arc::new(AtomicUsize::new(0));
    let count = welcomed.clone();
    let welcome = move |_: Context, _: CustomerCreated| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(()) }
    };
    let handlers = Handlers::builder().on_event("welcome", welcome).build().unwrap();
    // Unless it is woken, this relay looks once an hour.
    let settings = Settings {
        poll_interval: Duration::from_secs(3600),
        lease_ttl: Duration::from_secs(3600),
        ..Settings::default()
    };
    let store = Meddled { inner: Arc::new(memory.clone()), meddle: Arc::new(Deaf) };
    let relay = Relay::builder(Arc::new(store))
        .settings(settings)
        .destination(Destination::new("app"), Arc::new(handlers))
        .build();
    let waker = relay.waker();
    let written = async {
        for id in 1..=3 {
            let customer = Customer::create(id, "a@example.org");
            let mut changes = Changes::default();
            changes.add(&customer);
            changes.wake(waker.clone());
            let mut tx = memory.begin();
            tx.enqueue(&changes.messages().unwrap());
            tx.commit();
            changes.committed();
            until("the customer is welcomed", || welcomed.load(Ordering::SeqCst) == id as usize).await;
        }
    };
    relay.run(written).await.unwrap();
}
