//! When messages died.

use jiff::Timestamp;
use posthaste::inspect::{Filter, Page, Status};
use posthaste::journal::Position;

use super::Operator;

impl Operator {
    /// When the oldest dead message of a destination was tried for the last time.
    pub async fn oldest_death(&self, destination: &str) -> posthaste::Result<Option<Timestamp>> {
        let dead = Filter { statuses: vec![Status::Dead], destination: Some(destination.into()), ..Filter::default() };
        let oldest = self.store.list(&dead, Page::after(Position::START, 1)).await?;
        let Some(row) = oldest.rows.first() else { return Ok(None) };
        let deliveries = self.store.get(row.id).await?.map(|report| report.deliveries).unwrap_or_default();
        let died = deliveries.iter().find(|delivery| delivery.destination == destination);
        Ok(died.and_then(|delivery| delivery.timeline.last()).map(|attempt| attempt.at))
    }
}
