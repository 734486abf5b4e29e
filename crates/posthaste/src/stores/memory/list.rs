//! Deliveries in journal order, and which of them are meant.

use std::ops::Bound::{Excluded, Unbounded};

use super::core::{Core, Stored};
use super::status::Delivery;
use crate::inspect::{Filling, Filter, Listed, Listing, Order, Page};
use crate::journal::Position;
use crate::rules::route;

impl Core {
    /// See [`crate::inspect::Inspect::list`]. The deliveries of one message stay on one page, so that a page can start after a position.
    pub fn list(&self, filter: &Filter, page: Page) -> Listing {
        let mut filling = Filling::new(page);
        for (&position, stored) in self.beyond(page) {
            if !filling.wants_more() {
                return filling.stop();
            }
            let deliveries = self.deliveries_of(position, stored);
            let found = deliveries.iter().filter(|delivery| delivery.matches(filter)).map(Delivery::listed).collect();
            filling.add(found, 1, position);
        }
        filling.end()
    }

    fn beyond(&self, page: Page) -> Box<dyn Iterator<Item = (&Position, &Stored)> + '_> {
        match page.order {
            Order::OldestFirst => Box::new(self.journal.range((Excluded(page.beyond), Unbounded))),
            Order::NewestFirst => Box::new(self.journal.range(..page.beyond).rev()),
        }
    }
}

impl Delivery<'_> {
    pub(super) fn matches(&self, filter: &Filter) -> bool {
        self.message_matches(filter)
            && (filter.statuses.is_empty() || self.at.is_some_and(|at| filter.statuses.contains(&at.status)))
            && filter.destination.as_ref().is_none_or(|name| self.at.is_some_and(|at| at.name == name))
            && filter
                .error
                .as_ref()
                .is_none_or(|pattern| self.error().is_some_and(|error| route::matches(pattern, error)))
    }

    fn error(&self) -> Option<&str> {
        self.at.and_then(|at| at.parked)?.error.as_deref()
    }

    fn message_matches(&self, filter: &Filter) -> bool {
        let message = &*self.stored.message;
        let pattern = |pattern: &String| route::matches(pattern, &message.event_type);
        (filter.ids.is_empty() || filter.ids.contains(&message.id))
            && filter.event_type.as_ref().is_none_or(pattern)
            && (filter.key.is_none() || filter.key.as_deref() == message.key.as_deref())
            && filter.aggregate_type.as_ref().is_none_or(|wanted| *wanted == message.aggregate_type)
            && filter.aggregate_id.as_ref().is_none_or(|wanted| *wanted == message.aggregate_id)
            && (filter.tenant.is_none() || filter.tenant.as_deref() == message.tenant.as_deref())
            && filter.since.is_none_or(|since| message.occurred_at >= since)
            && filter.before.is_none_or(|before| message.occurred_at < before)
    }

    pub(super) fn listed(&self) -> Listed {
        let message = &*self.stored.message;
        let parked = self.at.and_then(|at| at.parked);
        Listed {
            destination: self.at.map(|at| at.name.to_string()),
            status: self.at.map(|at| at.status),
            attempts: parked.map_or(0, |parked| parked.attempts),
            error: parked.and_then(|parked| parked.error.clone()),
            due_at: self.at.and_then(|at| at.due_at(message)),
            ..Listed::new(self.position, message)
        }
    }
}
