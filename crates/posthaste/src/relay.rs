//! The engine: walks the journal for every destination and delivers.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use self::sources::{ReadSource, Sources};
use self::store_calls::StoreClient;
use self::worker::Worker;
use crate::destination::{Destination, check_dead_letters};
use crate::error::{Error, Kind, Result};
use crate::sink::Sink;
use crate::source::{Feed, Mapper, Source};
use crate::store::Store;

pub use self::telemetry::{AttemptSpan, Histogram, Monitor, PossibleDuplicates, SourceFigures, Tally, Tracer};
pub use self::waker::Waker;
pub use crate::engine::{DestinationSnapshot, Snapshot};
pub use crate::settings::Settings;

mod deliveries;
mod jobs;
mod sources;
mod store_calls;
mod tail;
mod telemetry;
mod waker;
mod worker;

/// How often a store that cannot be reached at the start is tried.
const STORE_RETRY: Duration = Duration::from_secs(1);

/// A relay, ready to run.
#[derive(Debug)]
pub struct Relay {
    store: Arc<dyn Store>,
    settings: Settings,
    destinations: Vec<(Destination, Arc<dyn Sink>)>,
    sources: Vec<ReadSource>,
    monitor: Monitor,
    tracer: Option<Arc<dyn Tracer>>,
    waker: Waker,
}

/// Collects what a [`Relay`] needs.
#[derive(Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    store: Arc<dyn Store>,
    settings: Settings,
    destinations: Vec<(Destination, Arc<dyn Sink>)>,
    sources: Vec<ReadSource>,
    monitor: Monitor,
    tracer: Option<Arc<dyn Tracer>>,
}

impl Builder {
    /// Sets how the worker behaves, over all destinations.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Goes on with the figures of a relay that ran before in this process.
    pub fn monitor(mut self, monitor: Monitor) -> Self {
        self.monitor = monitor;
        self
    }

    /// Makes a span of every attempt.
    pub fn tracer(mut self, tracer: Arc<dyn Tracer>) -> Self {
        self.tracer = Some(tracer);
        self
    }

    /// Adds a destination and the sink behind it.
    pub fn destination(mut self, destination: Destination, sink: Arc<dyn Sink>) -> Self {
        self.destinations.push((destination, sink));
        self
    }

    /// Adds a source, the log behind it and what makes messages of its events. Of many workers one reads it.
    pub fn source(mut self, feed: Feed, source: Arc<dyn Source>, mapper: Arc<dyn Mapper>) -> Self {
        self.sources.push(ReadSource { feed, source, mapper });
        self
    }

    /// The relay; nothing runs before [`Relay::run`].
    pub fn build(self) -> Relay {
        Relay {
            store: self.store,
            settings: self.settings,
            destinations: self.destinations,
            sources: self.sources,
            monitor: self.monitor,
            tracer: self.tracer,
            waker: Waker::default(),
        }
    }
}

impl Relay {
    /// Collects what a relay on this store needs.
    pub fn builder(store: Arc<dyn Store>) -> Builder {
        Builder {
            store,
            settings: Settings::default(),
            destinations: Vec::new(),
            sources: Vec::new(),
            monitor: Monitor::default(),
            tracer: None,
        }
    }

    /// A view of the running relay, for live displays and metrics; cheap to clone.
    pub fn monitor(&self) -> Monitor {
        self.monitor.clone()
    }

    /// Lets the application wake the relay after a commit; see [`UnitOfWork::waking`](crate::domain::UnitOfWork::waking).
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Runs until `until` is ready, then stops gracefully: finishes what is in flight up to a limit, commits, gives the
    /// leases back. Fails only for what waiting cannot mend (no journal, wrong version); a lost store is waited for.
    pub async fn run(self, until: impl Future<Output = ()> + Send) -> Result<()> {
        let Self { store, settings, destinations, sources, monitor, tracer, waker } = self;
        settings.check()?;
        destinations.iter().try_for_each(|(destination, _)| destination.check())?;
        let known: Vec<Destination> = destinations.iter().map(|(dest, _)| dest.clone()).collect();
        check_dead_letters(&known).map_err(|(name, wrong)| {
            Error::new(Kind::Invalid, format!("destination `{name}`: dead_letters_to {wrong}"))
        })?;
        let mut until = pin!(until.fuse());
        tokio::select! {
            biased;
            () = tokio::time::sleep(settings.start_delay) => {}
            () = &mut until => return Ok(()),
        }
        let partitions = loop {
            match prepare(store.as_ref(), &known).await {
                Ok(partitions) => break partitions,
                Err(error) if !error.is_temporary() => return Err(error),
                Err(error) => tracing::warn!(%error, "the store cannot be reached; trying again"),
            }
            tokio::select! {
                () = tokio::time::sleep(STORE_RETRY) => {}
                () = &mut until => return Ok(()),
            }
        };
        let reading = Sources::start(sources, &store, &settings, &monitor);
        let jobs = jobs::carry_out(store.clone(), settings.worker.clone());
        let mut client = StoreClient::new(store, waker, settings.worker.clone(), settings.lease_ttl, monitor.clone());
        if destinations.len() > 1 {
            client = client.sharing(settings.window_bytes);
        }
        let worker = Worker::new(client, &settings, destinations, partitions, monitor, tracer);
        let until = async {
            until.await;
            reading.tell_to_stop();
        };
        tokio::select! {
            biased;
            () = worker.run(until) => {}
            never = jobs => match never {},
        }
        reading.stopped(settings.stop_timeout).await;
        Ok(())
    }
}

/// The journal is there, of the right version, and knows the destinations.
async fn prepare(journal: &dyn Store, destinations: &[Destination]) -> Result<u16> {
    let partitions = journal.partitions().await?;
    journal.register(destinations).await?;
    Ok(partitions)
}
