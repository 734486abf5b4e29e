//! What expressions do to real messages.

use posthaste::inspect::{Filter, Page};
use posthaste::journal::Position;

use super::Operator;
use crate::exit::Misuse;
use crate::expressions::{Trial, Tried, Wanted};
use crate::selection::{Selection, line};

impl Operator {
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
}
