//! The sink suite on in-process handlers.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::{Message, MessageId};
use posthaste::sink::{Error, Sink};
use posthaste::sinks::handlers::{Context, Handler, Handlers};
use tokio::sync::watch;

posthaste::sink_suite!(fresh);

async fn fresh() -> HandlersUnderTest {
    HandlersUnderTest::default()
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Mood {
    #[default]
    Fine,
    Down,
    Stalled,
}

/// A handler that keeps what it gets, and can be told to misbehave.
#[derive(Clone, Default)]
struct Ledger {
    arrived: Arc<Mutex<Vec<Arrived>>>,
    refused: Arc<Mutex<HashSet<MessageId>>>,
    mood: watch::Sender<Mood>,
}

#[async_trait]
impl Handler for Ledger {
    fn name(&self) -> &str {
        "ledger"
    }

    async fn handle(&self, _: &Context, message: &Message) -> Result<(), Error> {
        let mut mood = self.mood.subscribe();
        let _ = mood.wait_for(|mood| *mood != Mood::Stalled).await;
        self.check().await?;
        if self.refused.lock().unwrap().contains(&message.id) {
            return Err(Error::reject("the ledger is closed for this account"));
        }
        self.arrived.lock().unwrap().push(Arrived::from(message));
        Ok(())
    }

    async fn check(&self) -> Result<(), Error> {
        match *self.mood.borrow() {
            Mood::Down => Err(Error::unreachable("the ledger is down")),
            _ => Ok(()),
        }
    }
}

struct HandlersUnderTest {
    ledger: Ledger,
    sink: Arc<Handlers>,
}

impl Default for HandlersUnderTest {
    fn default() -> Self {
        let ledger = Ledger::default();
        let sink = Handlers::builder().on("account.*", ledger.clone()).build().unwrap();
        Self { ledger, sink: Arc::new(sink) }
    }
}

#[async_trait]
impl SinkUnderTest for HandlersUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.ledger.arrived.lock().unwrap().clone()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Err(Impossible("handlers are given no credential"))
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        self.ledger.refused.lock().unwrap().insert(message.id);
        Ok(())
    }

    async fn stop(&self) -> Result<(), Impossible> {
        self.ledger.mood.send_replace(Mood::Down);
        Ok(())
    }

    async fn start(&self) {
        self.ledger.mood.send_replace(Mood::Fine);
    }

    async fn stall(&self) -> Result<(), Impossible> {
        self.ledger.mood.send_replace(Mood::Stalled);
        Ok(())
    }

    async fn resume(&self) {
        self.ledger.mood.send_replace(Mood::Fine);
    }
}
