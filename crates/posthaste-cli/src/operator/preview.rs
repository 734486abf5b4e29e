//! What a replay or a discard of many would do.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use posthaste::inspect::{Filter, Listed, Mode, Operation, Page};
use posthaste::journal::Position;
use posthaste::rules::operation::effect;
use serde::Serialize;

use super::Operator;
use super::jobs::refuse_everything;

/// How long a preview looks at deliveries.
const PATIENCE: Duration = Duration::from_millis(500);

/// Deliveries that a preview looks at together.
const AT_ONCE: usize = 500;

/// Deliveries that a preview shows.
const SHOWN: usize = 10;

/// What a worker does in a second, as a rule of thumb: it pauses as long as it works.
const PER_SECOND: f64 = 2_000.0;

/// What a job would do. If there are more deliveries than a moment allows to look at, these are the first of them.
#[derive(Debug, Default, Serialize)]
pub struct Preview {
    pub affected: u64,
    pub not_applicable: u64,
    /// Newer messages of the same key were delivered already.
    pub overtaken: u64,
    pub keys: u64,
    /// Whether all were looked at.
    pub complete: bool,
    pub estimate_seconds: f64,
    pub sample: Vec<Listed>,
}

impl Operator {
    /// Looks at what the filter selects, for a moment.
    pub async fn preview(&self, operation: Operation, filter: &Filter) -> anyhow::Result<Preview> {
        refuse_everything(filter)?;
        let began = Instant::now();
        let (mut preview, mut keys) = (Preview::default(), HashSet::new());
        let mut after = Position::START;
        loop {
            let listing = self.list(filter, Page::after(after, AT_ONCE), Some(Duration::ZERO)).await?;
            self.look(operation, &listing.rows, &mut preview, &mut keys).await?;
            match listing.next {
                Some(next) if began.elapsed() < PATIENCE => after = next,
                next => {
                    preview.complete = next.is_none();
                    break;
                }
            }
        }
        preview.keys = keys.len() as u64;
        preview.estimate_seconds = (preview.affected + preview.not_applicable) as f64 / PER_SECOND;
        Ok(preview)
    }

    async fn look(
        &self,
        operation: Operation,
        rows: &[Listed],
        preview: &mut Preview,
        keys: &mut HashSet<(Option<String>, String)>,
    ) -> posthaste::Result<()> {
        let applies = |row: &&Listed| row.status.is_some_and(|status| effect(operation, status).is_some());
        let affected: Vec<&Listed> = rows.iter().filter(applies).collect();
        let known = rows.iter().filter(|row| row.destination.is_some()).count();
        preview.affected += affected.len() as u64;
        preview.not_applicable += (known - affected.len()) as u64;
        keys.extend(affected.iter().filter_map(|row| Some((row.tenant.clone(), row.key.clone()?))));
        let room = SHOWN - preview.sample.len();
        preview.sample.extend(affected.iter().take(room).map(|row| (*row).clone()));
        if operation == Operation::Replay && !affected.is_empty() {
            preview.overtaken += self.overtaken(&affected).await?;
        }
        Ok(())
    }

    /// How many of these were overtaken. Each (destination, status) is asked about by itself, so that only these are meant.
    async fn overtaken(&self, rows: &[&Listed]) -> posthaste::Result<u64> {
        let groups: HashSet<_> = rows.iter().map(|row| (row.destination.clone(), row.status)).collect();
        let mut overtaken = 0;
        for (destination, status) in groups {
            let same = rows.iter().filter(|row| (&row.destination, row.status) == (&destination, status));
            let filter = Filter {
                ids: same.map(|row| row.id).collect(),
                destination: destination.as_deref().map(Into::into),
                statuses: status.into_iter().collect(),
                ..Filter::default()
            };
            overtaken += self.store.operate(Operation::Replay, &filter, Mode::DryRun).await?.overtaken;
        }
        Ok(overtaken)
    }
}
