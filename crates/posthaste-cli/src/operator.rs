//! What an operator can see and do. The command line and the HTTP API both go through here.
//!
//! Every change goes to the audit log of the store, right after it was made, with who asked for it.

use std::sync::Arc;
use std::time::Duration;

use posthaste::Destination;
use posthaste::destination::Name;
use posthaste::inspect::{
    AuditEntry, Change, Filter, Listed, Listing, Mode, Operation, OperationReport, Overview, Page, Report,
    TenantChange, TenantPause,
};
#[cfg(feature = "http")]
use posthaste::journal::Position;
use posthaste::message::MessageId;
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
use crate::paging;
use crate::selection::{Selection, line};
use crate::{clock, health};

#[cfg(feature = "http")]
mod deaths;
mod documents;
mod jobs;
#[cfg(feature = "http")]
mod lane;
#[cfg(feature = "http")]
mod preview;
mod purging;
#[cfg(feature = "http")]
mod settle;
#[cfg(feature = "http")]
mod setup;
mod sources;
mod trials;
mod who;

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

    /// Pauses or resumes one tenant at a destination. Returns whether that changed anything.
    pub async fn set_tenant_paused(
        &self,
        who: &str,
        destination: &str,
        tenant: &str,
        paused: bool,
    ) -> anyhow::Result<bool> {
        if tenant.is_empty() {
            return Err(Misuse("the tenant is empty: name the one that is meant".into()).into());
        }
        let name = self.known(destination).await?;
        let pause = || TenantPause { tenant: tenant.to_owned(), since: clock::now(), who: who.to_owned() };
        let (action, change) = match paused {
            true => ("pause tenant", TenantChange::Pause(pause())),
            false => ("resume tenant", TenantChange::Resume(tenant.to_owned())),
        };
        let changed = self.store.change_tenant(&name, &change).await?;
        if changed {
            self.record(who, action, format!("{tenant} at {name}"), 1).await?;
        }
        Ok(changed)
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

    pub async fn audit(&self, before: Option<u64>, limit: usize) -> posthaste::Result<Vec<AuditEntry>> {
        self.store.audit(before, limit).await
    }

    async fn record(&self, who: &str, action: &str, target: String, affected: u64) -> posthaste::Result<()> {
        tracing::info!(who, action, target, affected, "an operator made a change");
        let change = Change { who: who.to_owned(), action: action.to_owned(), target, affected };
        self.store.record(&change).await
    }
}
