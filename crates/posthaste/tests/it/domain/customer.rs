//! A customer as an application has one.

use posthaste::domain::{Aggregate, DomainEvent, Events};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
pub(super) struct CustomerCreated {
    #[event(aggregate_id)]
    pub(super) id: i64,
    pub(super) email: String,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, DomainEvent)]
#[event(type = "customer.updated.v1", aggregate = "customer")]
pub(super) struct CustomerUpdated {
    #[event(aggregate_id)]
    pub(super) id: i64,
    pub(super) email: String,
    #[event(correlation_id)]
    pub(super) request: Option<String>,
}

#[derive(Debug)]
pub(super) struct Customer {
    pub(super) id: i64,
    pub(super) email: String,
    pub(super) events: Events,
}

impl Aggregate for Customer {
    fn events(&self) -> &Events {
        &self.events
    }
}

impl Customer {
    pub(super) fn create(id: i64, email: &str) -> Self {
        let mut events = Events::default();
        events.register(CustomerCreated { id, email: email.into() });
        Self { id, email: email.into(), events }
    }

    /// As a repository loads it.
    pub(super) fn loaded(id: i64, email: &str, version: u64) -> Self {
        Self { id, email: email.into(), events: Events::at_version(version) }
    }

    pub(super) fn change_email(&mut self, email: &str) {
        self.email = email.into();
        let updated = CustomerUpdated { id: self.id, email: email.into(), request: Some("r-1".into()) };
        self.events.register_replacing(updated);
    }
}

pub(super) const TABLE: &str =
    "CREATE TABLE customers (id BIGINT PRIMARY KEY, email TEXT NOT NULL, version BIGINT NOT NULL)";
