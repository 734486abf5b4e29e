//! Aggregates that publish what happens to them.
//!
//! A [`DomainEvent`] is a plain struct. An [`Aggregate`] collects its events in an [`Events`] buffer. A [`UnitOfWork`] saves
//! aggregates by the application's own code ([`Persist`]) and writes their events in the same transaction, in the order in
//! which they happened. The buffers are emptied after the commit, not before: a unit of work that is rolled back keeps them.
//!
//! ```
//! use posthaste::domain::{Aggregate, DomainEvent, Events};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, DomainEvent)]
//! #[event(type = "customer.created.v1", aggregate = "customer")]
//! struct CustomerCreated {
//!     #[event(aggregate_id)]
//!     id: u64,
//!     email: String,
//! }
//!
//! struct Customer { id: u64, email: String, events: Events }
//!
//! impl Aggregate for Customer {
//!     fn events(&self) -> &Events { &self.events }
//! }
//!
//! impl Customer {
//!     fn create(id: u64, email: &str) -> Self {
//!         let mut events = Events::default();
//!         events.register(CustomerCreated { id, email: email.into() });
//!         Self { id, email: email.into(), events }
//!     }
//! }
//! # let customer = Customer::create(7, "a@example.org");
//! # assert_eq!((customer.id, customer.email.as_str(), customer.events.len()), (7, "a@example.org", 1));
//! ```
//!
//! On the other side, an [`Inbox`] lets a consumer do a thing once, and a [`Transactional`] handler does so for handlers in the
//! same process.

pub use self::changes::Changes;
pub use self::connection::{Begin, Connection, HasOutbox, Transaction};
#[cfg(feature = "postgres")]
pub use self::drivers::deadpool_postgres::PooledTransaction;
pub use self::event::{DomainEvent, decode};
pub use self::events::{Conflict, Events};
pub use self::inbox::{Inbox, Receipt};
#[cfg(feature = "handlers")]
pub use self::transactional::{Effect, Transactional};
pub use self::unit_of_work::{Persist, UnitOfWork};
#[cfg(feature = "derive")]
pub use posthaste_derive::DomainEvent;

#[cfg(feature = "rusqlite")]
pub mod blocking;
mod changes;
mod connection;
mod drivers;
mod event;
mod events;
mod inbox;
#[cfg(test)]
mod tests;
#[cfg(feature = "handlers")]
mod transactional;
#[cfg(feature = "handlers")]
mod typed;
mod unit_of_work;

/// Something with an identity that changes as a whole and says what happened to it.
pub trait Aggregate {
    /// What has happened since it was loaded.
    fn events(&self) -> &Events;
}
