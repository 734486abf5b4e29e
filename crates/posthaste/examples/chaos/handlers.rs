//! An application that handles messages itself: a relay in its own process, whose handler notes each message in a table. The note and
//! the mark that the message is handled are one transaction, so a message is noted exactly once, whatever dies.

use std::sync::Arc;
use std::time::Duration;

use posthaste::relay::Settings;
use posthaste::retry::{Backoff, Policy};
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::store::Store;
use posthaste::{Destination, Message, Relay, sink};
use serde::Deserialize;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::Failure;
use crate::applications::StoreAt;

mod mongodb;
mod mysql;
mod postgres;
mod sqlite;

/// How such an application runs.
#[derive(Debug, Deserialize)]
pub(crate) struct Handling {
    store: StoreAt,
    destination: String,
    lease_ms: u64,
}

/// The name of the handler.
const HANDLER: &str = "notes";
/// How long a store may take to be opened.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between a failure and the next try.
const PAUSE: Duration = Duration::from_millis(200);
/// One in so many first attempts fails after its note was written, which must then not be there.
const FAILING: u64 = 41;

impl Handling {
    /// Until SIGTERM.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = terminated.recv() => Ok(()),
            (store, handlers) = self.open() => {
                let relay = Relay::builder(store).settings(self.settings());
                let relay = relay.destination(self.destination(), Arc::new(handlers)).build();
                let until = async {
                    let _ = terminated.recv().await;
                };
                Ok(relay.run(until).await?)
            }
        }
    }

    /// The store may be away for a while.
    async fn open(&self) -> (Arc<dyn Store>, Handlers) {
        loop {
            match timeout(PATIENCE, self.store.handlers()).await {
                Ok(Ok(opened)) => return opened,
                Ok(Err(error)) => eprintln!("{error}"),
                Err(_) => eprintln!("the store does not answer"),
            }
            sleep(PAUSE).await;
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            lease_ttl: Duration::from_millis(self.lease_ms),
            poll_interval: Duration::from_millis(50),
            window_messages: 200,
            ..Settings::default()
        }
    }

    /// Attempts are spent by the faults, so there are plenty of them.
    fn destination(&self) -> Destination {
        let delays = [100, 500, 1_000].map(Duration::from_millis).to_vec();
        let policy = Policy { max_attempts: 100_000, backoff: Backoff::List(delays), ..Policy::default() };
        Destination::new(self.destination.as_str()).policy(policy).timeout(Duration::from_secs(10)).max_in_flight(8)
    }
}

impl StoreAt {
    /// The journal, and handlers that note what comes in the same database.
    async fn handlers(&self) -> Result<(Arc<dyn Store>, Handlers), Failure> {
        match self {
            Self::Sqlite(path) => sqlite::open(path),
            Self::Postgres(url) => postgres::open(url).await,
            Self::Mysql(url) => mysql::open(url).await,
            Self::Mongodb(url) => mongodb::open(url).await,
        }
    }
}

/// What is noted of a message.
struct Note {
    id: String,
    key: String,
    number: i64,
}

impl Note {
    /// The payload of a message begins with its key and its number.
    fn of(message: &Message) -> Result<Self, sink::Error> {
        let place = message.payload.split(|byte| *byte == b'|').next().map(String::from_utf8_lossy);
        let place = place.as_deref().and_then(|place| place.split_once(' '));
        let (key, number) = place.ok_or_else(|| sink::Error::reject("not a message of this run"))?;
        let number = number.parse().map_err(sink::Error::reject)?;
        Ok(Self { id: message.id.to_string(), key: key.to_owned(), number })
    }

    /// Called when the note is written, and before it is committed.
    fn fails_at_times(&self, context: &Context) -> Result<(), sink::Error> {
        let fails = context.attempt == 1 && (self.number as u64).is_multiple_of(FAILING);
        if fails { Err(sink::Error::retry("fails at its first attempt")) } else { Ok(()) }
    }
}
