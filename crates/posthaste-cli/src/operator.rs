//! What an operator can see and do. The command line and the HTTP API both go through here.
//!
//! Every change goes to the audit log of the store, right after it was made, with who asked for it.

use std::sync::Arc;
use std::time::Duration;

use posthaste::Destination;
use posthaste::destination::Name;
use posthaste::inspect::{
    AuditEntry, Change, Filter, Listed, Listing, Mode, Operation, OperationReport, Overview, Page, Report,
    SourceChange, SourceStatus,
};
use posthaste::journal::Position;
use posthaste::message::MessageId;
use posthaste::source::Checkpoint;
use posthaste::store::Store;

pub use self::documents::{OperationAnswer, PauseAnswer, PurgeAnswer, StatusAnswer, hex, show};
pub use self::jobs::JobAnswer;
#[cfg(feature = "http")]
pub use self::lane::Lane;
#[cfg(feature = "http")]
pub use self::preview::Preview;
#[cfg(feature = "http")]
pub use self::setup::Setup;
pub use self::who::user;
use crate::config::{DestinationPlan, Plan, SourcePlan};
use crate::exit::Misuse;
use crate::explain::{Explanation, Facts, explain};
use crate::expressions::{Trial, Tried, Wanted};
use crate::paging;
use crate::selection::{Selection, line};
use crate::{clock, health};

mod documents;
mod jobs;
#[cfg(feature = "http")]
mod lane;
#[cfg(feature = "http")]
mod preview;
#[cfg(feature = "http")]
mod setup;
mod who;

/// Messages per transaction of a purge: short enough that writers hardly notice.
const PURGE_BATCH: usize = 5_000;

/// A store, and what the config says about its destinations.
#[derive(Clone)]
pub struct Operator {
    store: Arc<dyn Store>,
    destinations: Arc<[Destination]>,
    transforms: Arc<[(Name, String)]>,
    retention: Option<Duration>,
    sources: Arc<[SourcePlan]>,
    #[cfg(feature = "http")]
    setup: Arc<Setup>,
}

impl Operator {
    pub fn new(plan: &Plan, store: &Arc<dyn Store>) -> Self {
        Self {
            store: store.clone(),
            destinations: plan.destinations.iter().map(|planned| planned.destination.clone()).collect(),
            transforms: plan.destinations.iter().filter_map(DestinationPlan::transform).collect(),
            retention: plan.relay.retention,
            sources: plan.sources.clone().into(),
            #[cfg(feature = "http")]
            setup: Arc::new(Setup::of(plan)),
        }
    }

    /// The config in force.
    #[cfg(feature = "http")]
    pub fn setup(&self) -> Arc<Setup> {
        self.setup.clone()
    }

    pub async fn overview(&self) -> posthaste::Result<Overview> {
        self.store.overview().await
    }

    pub async fn status(&self) -> posthaste::Result<StatusAnswer> {
        let overview = self.overview().await?;
        let problems = health::problems(&overview);
        Ok(StatusAnswer { well: problems.is_empty(), problems, overview })
    }

    /// One page. With some patience given, it may be short and still have a next one.
    pub async fn list(&self, filter: &Filter, page: Page, patience: Option<Duration>) -> posthaste::Result<Listing> {
        paging::read(&*self.store, filter, page, patience).await
    }

    /// The event types of the newest messages.
    #[cfg(feature = "http")]
    pub async fn event_types(&self) -> posthaste::Result<Vec<String>> {
        let newest = self.store.list(&Filter::default(), Page::before(Position::END, 500)).await?;
        let mut types: Vec<String> = Vec::new();
        for row in newest.rows {
            if !types.contains(&row.event_type) {
                types.push(row.event_type);
            }
        }
        Ok(types)
    }

    /// The destinations of the config.
    #[cfg(feature = "http")]
    pub fn destinations(&self) -> &[Destination] {
        &self.destinations
    }

    #[cfg(feature = "http")]
    pub async fn leases(&self) -> posthaste::Result<Vec<posthaste::inspect::PartitionStatus>> {
        self.store.leases().await
    }

    /// Payloads may be personal or secret: each look at one over the network is written down.
    #[cfg(feature = "http")]
    pub async fn looked_at_payload(&self, who: &str, id: MessageId) -> posthaste::Result<()> {
        self.record(who, "payload", format!("id:{id}"), 1).await
    }

    /// Every event of an aggregate that is kept.
    pub async fn history(&self, kind: &str, id: &str, tenant: Option<&str>) -> posthaste::Result<Vec<Listed>> {
        let filter = Filter {
            aggregate_type: Some(kind.to_owned()),
            aggregate_id: Some(id.to_owned()),
            tenant: tenant.map(str::to_owned),
            ..Filter::default()
        };
        paging::read_all(&*self.store, &filter).await
    }

    /// A message, and why it is where it is; or an error that says what may have become of it.
    pub async fn examine(&self, id: MessageId) -> posthaste::Result<(Report, Vec<Explanation>)> {
        let missing = || {
            let text = format!("no message has the id {id}: it was never committed, or it was delivered and purged");
            posthaste::Error::new(posthaste::error::Kind::NotFound, text)
        };
        let report = self.store.get(id).await?.ok_or_else(missing)?;
        let explanations = explain(Facts { report: &report, destinations: &self.destinations, now: clock::now() });
        Ok((report, explanations))
    }

    /// What filter and transform of a destination, or others in their place, do to the newest messages of its route. Nothing is
    /// delivered.
    pub async fn try_out(&self, who: &str, wanted: &Wanted, mut filter: Filter) -> anyhow::Result<Vec<Tried>> {
        let known = self.destinations.iter().find(|known| known.name.as_str() == wanted.destination);
        let Some(destination) = known else {
            let names: Vec<&str> = self.destinations.iter().map(|known| known.name.as_str()).collect();
            let text = format!("the config has no destination {}: it has {}", wanted.destination, names.join(", "));
            return Err(Misuse(text).into());
        };
        let transform = self.transforms.iter().find(|(name, _)| *name == destination.name).map(|(_, source)| &**source);
        let configured = destination.filter.as_ref().map(posthaste::destination::Filter::text);
        let trial = Trial::new(wanted.filter.as_deref().or(configured), wanted.transform.as_deref().or(transform))?;
        filter.destination = Some(destination.name.clone());
        let newest = self.list(&filter, Page::before(Position::END, wanted.limit), None).await?;
        let mut tried = Vec::with_capacity(newest.rows.len());
        for row in newest.rows {
            // What was purged meanwhile is left out.
            if let Some(report) = self.store.get(row.id).await? {
                tried.push(trial.run(&report));
            }
        }
        self.record(who, "try", line::write(&Selection::from(&filter)), tried.len() as u64).await?;
        Ok(tried)
    }

    /// Replays or discards what the filter selects, or counts it.
    pub async fn operate(
        &self,
        who: &str,
        operation: Operation,
        filter: &Filter,
        mode: Mode,
    ) -> anyhow::Result<OperationReport> {
        jobs::refuse_everything(filter)?;
        let report = self.store.operate(operation, filter, mode).await?;
        if mode == Mode::Apply {
            let action = match operation {
                Operation::Replay => "replay",
                Operation::Discard => "discard",
            };
            self.record(who, action, line::write(&Selection::from(filter)), report.affected).await?;
        }
        Ok(report)
    }

    /// Pauses or resumes a destination. Returns whether that changed anything.
    pub async fn set_paused(&self, who: &str, destination: &str, paused: bool) -> anyhow::Result<bool> {
        let name = self.known(destination).await?;
        let (action, changed) = match paused {
            true => ("pause", self.store.pause(&name).await?),
            false => ("resume", self.store.resume(&name).await?),
        };
        if changed {
            self.record(who, action, name.to_string(), 1).await?;
        }
        Ok(changed)
    }

    pub async fn sources(&self) -> posthaste::Result<Vec<SourceStatus>> {
        self.store.sources().await
    }

    /// One source, or an error that names those there are.
    pub async fn source(&self, name: &str) -> anyhow::Result<SourceStatus> {
        let sources = self.sources().await?;
        let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
        let missing = || match names.as_slice() {
            [] => format!("no source is called {name}: no relay has read one into this store yet"),
            some => format!("no source is called {name}: the store knows {}", some.join(", ")),
        };
        Ok(sources.into_iter().find(|source| source.name == name).ok_or_else(|| Misuse(missing()))?)
    }

    /// Pauses, resumes or rewinds a source. Returns whether that changed anything.
    pub async fn change_source(&self, who: &str, name: &str, change: &SourceChange) -> anyhow::Result<bool> {
        self.source(name).await?;
        let changed = self.store.change_source(&Name::from(name), change).await?;
        if changed {
            let (action, target) = match change {
                SourceChange::Pause => ("pause source", name.to_owned()),
                SourceChange::Resume => ("resume source", name.to_owned()),
                SourceChange::Rewind(to) => {
                    let to = to.as_ref().map_or("the beginning", |to| to.as_str());
                    ("rewind source", format!("{name} to {to}"))
                }
            };
            self.record(who, action, target, 1).await?;
        }
        Ok(changed)
    }

    /// What a person means by a place in a source: its own words, or the beginning.
    pub fn checkpoint(&self, name: &str, text: &str) -> Result<Option<Checkpoint>, Misuse> {
        if text == "beginning" {
            return Ok(None);
        }
        let planned = self.sources.iter().find(|planned| planned.feed.name.as_str() == name);
        let parsed = match planned.and_then(|planned| planned.source.open()) {
            Some(source) => source.parse(text),
            None => Checkpoint::new(text),
        };
        parsed.map(Some).map_err(|wrong| Misuse(format!("the position {wrong}; or write `beginning`")))
    }

    /// The name of a destination that the store knows. A mistyped one is refused, because to pause it would change nothing.
    async fn known(&self, wanted: &str) -> anyhow::Result<Name> {
        let Overview { destinations, .. } = self.overview().await?;
        if destinations.iter().any(|counts| counts.destination == wanted) {
            return Ok(Name::from(wanted));
        }
        let names: Vec<_> = destinations.into_iter().map(|counts| counts.destination).collect();
        Err(Misuse(match names.as_slice() {
            [] => format!("no destination is called {wanted}: no relay has run on this store yet"),
            some => format!("no destination is called {wanted}: the store knows {}", some.join(", ")),
        })
        .into())
    }

    /// How old a message must be to be purged: as asked for, or as the config says.
    pub fn purge_age(&self, asked: Option<Duration>) -> Result<Duration, Misuse> {
        asked.or(self.retention).ok_or_else(|| {
            let text = "the config keeps messages forever: say which ones to remove with --older-than, such as --older-than 30d";
            Misuse(text.into())
        })
    }

    pub async fn purgeable(&self, older_than: Duration) -> posthaste::Result<u64> {
        self.store.purgeable(older_than).await
    }

    /// Removes old delivered messages, and says after each step how many are gone so far.
    pub async fn purge(&self, who: &str, older_than: Duration, step: impl Fn(u64)) -> posthaste::Result<u64> {
        let mut removed = 0;
        loop {
            let purged = self.store.purge(older_than, PURGE_BATCH).await?;
            removed += purged.messages;
            if !purged.more {
                break;
            }
            step(removed);
        }
        let target = format!("delivered messages older than {}", posthaste::duration::brief(older_than));
        self.record(who, "purge", target, removed).await?;
        Ok(removed)
    }

    pub async fn audit(&self, before: Option<u64>, limit: usize) -> posthaste::Result<Vec<AuditEntry>> {
        self.store.audit(before, limit).await
    }

    async fn record(&self, who: &str, action: &str, target: String, affected: u64) -> posthaste::Result<()> {
        tracing::info!(who, action, target, affected, "an operator made a change");
        let change = Change { who: who.to_owned(), action: action.to_owned(), target, affected };
        self.store.record(&change).await
    }
}
